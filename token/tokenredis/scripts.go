package tokenredis

// The scripts read and write one hash. Times are microseconds of the clock of the
// server; tostring would round them, so text writes them. Each returns a sealed token or
// an empty text, the time until that expires, and a number.
//
//	token    the sealed token
//	expires  when it expires
//	life     how long it was valid when it was stored
//	stored   the number of its fetch
//	fence    the number of the last fetch that was begun
//	owner    the call that fetches
//	until    when another may
//
// More time than there was at the beginning means that the clock was set back.
const common = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function text(n) return string.format('%.0f', n) end
local held = redis.call('HMGET', KEYS[1], 'token', 'expires', 'life', 'stored', 'fence', 'owner', 'until')
local token, left, life = held[1] or '', (tonumber(held[2]) or 0) - now, tonumber(held[3]) or 0
local stored, fence = tonumber(held[4]) or 0, tonumber(held[5]) or 0
local owner, busy = held[6], (tonumber(held[7]) or 0) - now
if token == '' or left < math.min(1000000, life / 10) or left > life then token, left = '', 0 end
local function keep(lease)
  redis.call('PEXPIRE', KEYS[1], text(math.ceil(math.max(left, lease) / 1000) + 1000))
end
`

// lookScript: ARGV is the call, Early, how long it may fetch, and 1 if the token cannot be
// opened. The number is that of the fetch to make, or 0. A fence by the clock also
// works if Redis has lost the last one. The hundredth is for caches, which ask by
// another clock: at that time they want a new token.
const lookScript = common + `
local early, lease = tonumber(ARGV[2]), tonumber(ARGV[3])
if ARGV[4] == '1' then token, left = '', 0 end
if token ~= '' and left > math.min(early, life / 2) * 1.01 then return {token, left, 0} end
if busy > 0 and busy <= lease and owner ~= ARGV[1] then return {token, left, 0} end
fence = math.max(now, fence + 1)
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'until', text(now + lease), 'fence', text(fence))
keep(lease)
return {token, left, fence}
`

// storeScript: ARGV is the number of the fetch, the sealed token, the time until it
// expires, and how long a call may fetch. If a later fetch was faster, it returns that
// token. The number is 1 if the token was stored.
const storeScript = common + `
local mine = tonumber(ARGV[1])
if mine < stored then return {token, left, 0} end
left = tonumber(ARGV[3])
redis.call('HSET', KEYS[1], 'token', ARGV[2], 'expires', text(now + left), 'life', text(left), 'stored', text(mine))
keep(tonumber(ARGV[4]))
return {'', 0, 1}
`

// releaseScript: ARGV is the call.
const releaseScript = common + `
if owner == ARGV[1] then redis.call('HDEL', KEYS[1], 'owner', 'until') end
return {'', 0, 0}
`

// forgetScript: ARGV is how long a call may fetch. No fetch that was begun before is
// stored.
const forgetScript = common + `
fence = math.max(now, fence + 1)
redis.call('HDEL', KEYS[1], 'token', 'expires', 'life', 'owner', 'until')
redis.call('HSET', KEYS[1], 'stored', text(fence), 'fence', text(fence))
left = 0
keep(tonumber(ARGV[1]))
return {'', 0, 0}
`
