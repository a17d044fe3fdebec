-- Takes a slot for a caller, or keeps its place in the queue. Times are microseconds of
-- the clock of the server.
--
-- KEYS   sent   when each slot of the last period was taken
--        queue  when each caller that waits asked first
--        alive  until when each caller that waits keeps its place without asking again
-- ARGV   id of the caller, slots in a period, length of the period,
--        how long the caller can wait (-1: as long as it takes)
-- Returns a state (0 queued, 1 taken, 2 refused), the time until the slot, and the time
-- after which the caller must ask again.
local sent, queue, alive = KEYS[1], KEYS[2], KEYS[3]
local id, limit, period, patience = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- tostring would round what has more than 14 digits.
local function text(n) return string.format('%.0f', n) end
local function expire(key, after) redis.call('PEXPIRE', key, text(math.ceil(after / 1000) + 1000)) end

redis.call('ZREMRANGEBYSCORE', sent, '-inf', text(now - period))
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', alive, '-inf', text(now))) do
  redis.call('ZREM', queue, dead)
  redis.call('ZREM', alive, dead)
end

-- If the clock was set back, what is in its future is from before: it counts from now on.
-- longest is the most that alive is ahead, see beat.
local longest = 31000000
for key, latest in pairs({[sent] = now, [queue] = now, [alive] = now + longest}) do
  for _, from_before in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. text(latest), '+inf')) do
    redis.call('ZADD', key, text(latest), from_before)
  end
end

-- A slot that was not used, because its answer was late or lost, is given back.
redis.call('ZREM', sent, id)

local used = redis.call('ZCARD', sent)
local free = limit - used
local place = redis.call('ZRANK', queue, id)
local ahead = place or redis.call('ZCARD', queue)

if ahead < free then
  redis.call('ZREM', queue, id)
  redis.call('ZREM', alive, id)
  redis.call('ZADD', sent, text(now), id)
  expire(sent, period)
  return {1, 0, 0}
end

-- Those ahead take the free slots now, and then each slot again a period later.
local turn = ahead - free
local oldest = now
if turn % limit < used then
  local at = turn % limit
  oldest = tonumber(redis.call('ZRANGE', sent, at, at, 'WITHSCORES')[2])
end
local wait = oldest + period * (1 + math.floor(turn / limit)) - now

if patience >= 0 and wait >= patience then
  redis.call('ZREM', queue, id)
  redis.call('ZREM', alive, id)
  return {2, wait, 0}
end

-- A place that is far back needs less care: if its process has died, that is noticed
-- before its turn.
local beat = math.min(math.max(math.floor(wait / 4), 1000000), 10000000)
if not place then
  redis.call('ZADD', queue, text(now), id)
end
redis.call('ZADD', alive, text(now + 3 * beat + 1000000), id)
expire(queue, 3 * beat + 1000000)
expire(alive, 3 * beat + 1000000)
return {0, wait, beat}
