// A group as its members see it, with the robots in it.

import * as api from './api.js';
import { fill, h, icon } from './dom.js';
import { Feed } from './feed.js';
import { t } from './i18n.js';
import * as live from './live.js';
import { message } from './message.js';
import { empty, input, select, trying, tick, code } from './parts.js';
import { robots as robotPanel } from './robots.js';

const members = [[2001, 'Ann'], [2002, 'Bob']];

export default async function chat({ body, actions, rest, signal }) {
  let robots = (await api.get('/chat/robots', {}, signal)).items;
  const filter = { refused: false, text: '' };
  const reply = replying();
  const compose = composer(robots, reply, (item) => feed.take([item]));
  const feed = new Feed({
    label: t('chat.messages'),
    upwards: true,
    load: (before, limit) => api.get('/chat/messages', { before, limit, refused: filter.refused || '', text: filter.text }, signal),
    render: (item) => message(item, (replied) => { reply.set(replied); compose.focus(); }),
    empty: () => (filter.refused || filter.text ? empty('search', t('chat.nomatch')) : nothing(robots)),
  });
  feed.box.setAttribute('tabindex', '0');
  feed.box.setAttribute('role', 'log');
  feed.box.setAttribute('aria-live', 'off');
  feed.box.setAttribute('aria-label', t('chat.messages'));
  const said = h('p', { class: 'said', role: 'status' });
  const side = robotPanel(robots, rest[0], signal);
  fill(actions, filters(filter, feed));
  fill(body, h('div', { class: 'chatroom' },
    h('section', { class: 'panel room-panel', 'aria-label': t('chat.group') }, feed.node, compose.node, said), side.node));

  live.on(['message', 'reset', 'gap'], (events) => {
    if (events.some((event) => event.kind !== 'message')) {
      feed.newest();
      return;
    }
    const items = events.map((event) => event.item).filter(Boolean);
    feed.take(items.map((item) => ({ ...item, delivery: item.delivery ?? feed.find(item.id)?.delivery })), (item) => matches(item, filter));
    const last = items.at(-1);
    if (last) said.textContent = t(last.refused ? 'chat.said.refused' : 'chat.said', { name: last.robot_name ?? last.sender_name ?? '' });
  }, signal);
  live.on(['robot', 'reset', 'gap'], async () => {
    robots = (await api.get('/chat/robots', {}, signal)).items;
    side.draw(robots);
    compose.draw(robots);
  }, signal);
  await feed.newest();
}

function matches(item, filter) {
  if (filter.refused && !item.refused) return false;
  return !filter.text || JSON.stringify(item).toLowerCase().includes(filter.text.toLowerCase());
}

function nothing(robots) {
  return empty('chat', t('chat.empty'), h('p', null, t('chat.empty.about')), robots[0] && code(robots[0].curl, t('overview.curl')));
}

function filters(filter, feed) {
  const find = input('find', { type: 'search', placeholder: t('chat.find'), 'aria-label': t('chat.find') });
  const refused = tick('refused', t('chat.onlyrefused'));
  return h('form', { class: 'row', role: 'search', onsubmit: (event) => event.preventDefault(), onchange: () => {
    filter.text = find.value.trim();
    filter.refused = refused.querySelector('input').checked;
    feed.newest();
  } }, refused, h('div', { class: 'find' }, find));
}

// replying holds which message the next line answers.
function replying() {
  const node = h('div', { class: 'replying', hidden: true });
  const reply = {
    node,
    id: undefined,
    set(item) {
      reply.id = item?.id;
      node.hidden = !item;
      if (item) {
        fill(node, icon('reply'), h('span', { class: 'grow' }, t('chat.replyto', { name: item.robot_name ?? item.sender_name ?? '' })),
          h('button', { type: 'button', class: 'quiet square', 'aria-label': t('chat.noreply'), onclick: () => reply.set(null) }, icon('cross')));
      }
    },
  };
  return reply;
}

// composer is the line to write in. Enter sends, Shift and Enter begin a line.
function composer(robots, reply, show) {
  const line = h('textarea', { name: 'text', rows: '1', maxlength: '5000', required: true, placeholder: t('chat.write'), 'aria-label': t('chat.write'), 'aria-describedby': 'keys' });
  const who = select('sender', members.map(([value, name]) => [String(value), name]), '2001');
  who.setAttribute('aria-label', t('chat.as'));
  const robot = h('select', { name: 'robot', 'aria-label': t('chat.mention') });
  const draw = (list) => {
    const chosen = robot.value || list[0]?.id || '';
    fill(robot, h('option', { value: '' }, t('chat.nobody')), list.map((item) => h('option', { value: item.id }, `@${item.name}`)));
    robot.value = list.some((item) => item.id === chosen) ? chosen : '';
  };
  draw(robots);
  const send = async () => {
    const text = line.value.trim();
    if (!text) return;
    const said = await api.post('/chat/say', { text, robot: robot.value || undefined, sender: Number(who.value), reply_to: reply.id });
    show({ ...said.message, delivery: said.delivery ?? said.message.delivery });
    line.value = '';
    reply.set(null);
    line.focus();
  };
  const form = h('form', { class: 'composer', onsubmit: trying(send) }, reply.node,
    h('div', { class: 'row' }, who, h('span', { class: 'sub' }, t('chat.to')), robot, h('span', { class: 'sub wide', id: 'keys' }, t('chat.keys'))),
    h('div', { class: 'row' }, h('div', { class: 'grow' }, line), h('button', { class: 'primary' }, icon('send'), t('chat.send'))));
  line.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  return { node: form, draw, focus: () => line.focus() };
}
