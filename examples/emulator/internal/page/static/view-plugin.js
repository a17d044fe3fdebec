// The token callback as the plugin calls it, and the token endpoint.

import * as api from './api.js';
import { fill, h, icon } from './dom.js';
import { rules } from './exchange.js';
import { Feed } from './feed.js';
import { duration, span, t } from './i18n.js';
import * as live from './live.js';
import { at, code, empty, english, facts, field, input, link, note, panel, select, tag, tick, toast, trying } from './parts.js';

export default async function plugin({ body, signal }) {
  const overview = await api.get('/overview', {}, signal);
  const clients = h('div', { class: 'inside' });
  const feed = new Feed({
    label: t('plugin.calls'),
    load: (before, limit) => api.get('/plugin/calls', { before, limit }, signal),
    render: (item) => call(item),
    empty: () => empty('plugin', t('plugin.empty'), h('p', null, t('plugin.empty.about'))),
  });
  fill(body, h('div', { class: 'pair steady' },
    h('div', { class: 'stack' }, calling(overview, feed), panel(t('plugin.clients'), clients)),
    panel(t('plugin.calls'), feed.node)));
  const draw = async () => {
    const found = await api.get('/plugin/clients', {}, signal);
    fill(clients, endpoint(overview, found, draw));
  };
  const clock = setInterval(() => tickAll(feed.list), 1000);
  signal.addEventListener('abort', () => clearInterval(clock));
  live.on(['token', 'reset', 'gap', 'time'], async (events) => {
    draw();
    if (events.some((event) => event.kind !== 'token')) {
      await feed.newest();
      return;
    }
    // Only the list says how long a token still works by the clock of the service.
    const { items } = await api.get('/plugin/calls', { limit: 20 }, signal);
    feed.take(items.reverse());
  }, signal);
  await Promise.all([feed.newest(), draw()]);
}

function calling({ apps }, feed) {
  const url = input('url', { type: 'url', class: 'mono', required: true, placeholder: 'http://127.0.0.1:8080' });
  const file = input('file_id', { class: 'mono', required: true, placeholder: 'deck' });
  const token = input('token', { class: 'mono' });
  const app = select('app_id', apps.map(({ id }) => [id, id]), apps[0]?.id);
  const unsigned = tick('unsigned', t('viewer.unsigned'));
  return panel(t('plugin.call'), h('form', { class: 'inside', onsubmit: trying(async () => {
    const done = await api.post('/plugin/calls', {
      url: url.value.trim(), file_id: file.value.trim(), token: token.value || undefined, app_id: app.value || undefined, unsigned: unsigned.querySelector('input').checked,
    });
    toast(done.ok ? 'good' : 'bad', done.summary);
    feed.take([done]);
  }) }, h('p', { class: 'sub' }, t('plugin.call.about')), field(t('plugin.url'), url, t('plugin.url.about')),
  h('div', { class: 'fields' }, field(t('viewer.file'), file), field(t('viewer.app'), app)),
  field(t('plugin.token'), token, t('plugin.token.about')), unsigned,
  h('button', { class: 'primary' }, icon('key'), t('plugin.go'))));
}

function call(item) {
  const life = item.expires_at && h('div', { class: 'life', data: { life: JSON.stringify([Date.now() + item.expires_in * 1000, new Date(item.expires_at) - new Date(item.at)]) } },
    h('span', { class: 'sub' }, t('plugin.left')), h('progress', { max: 1, value: 1, 'aria-label': t('plugin.left') }), h('span', { class: 'number' }));
  const node = h('li', { class: 'inside' },
    h('div', { class: 'row ends' }, h('div', { class: 'row' }, tag(item.ok ? 'good' : 'bad', t(item.ok ? 'plugin.ok' : 'plugin.failed')), h('code', null, item.file_id)),
      h('span', { class: 'row sub' }, item.exchange && link('requests', item.exchange, t('chat.request')), at(item.at))),
    h('p', null, english(item.summary)), rules(item.broken),
    facts([t('plugin.url'), h('code', null, item.url)], [t('viewer.app'), h('code', null, item.app_id)], [t('plugin.shown'), item.token && h('code', null, item.token.shown)]),
    life, item.token?.note && note('warn', english(item.token.note)),
    item.token && (item.token.jwt
      ? h('details', null, h('summary', { class: 'sub' }, t('plugin.decoded')), h('div', { class: 'columns' },
        code(JSON.stringify(item.token.header, null, 2), t('plugin.header')), code(JSON.stringify(item.token.claims, null, 2), t('plugin.claims'))))
      : h('p', { class: 'sub' }, t('plugin.notjwt'))));
  tickAll(node);
  return node;
}

// tickAll lets the lives run down.
function tickAll(root) {
  for (const node of root.querySelectorAll('[data-life]')) {
    const [end, whole] = JSON.parse(node.dataset.life);
    const left = end - Date.now();
    node.querySelector('progress').value = Math.max(0, Math.min(1, left / Math.max(whole, 1)));
    node.querySelector('.number').textContent = left > 0 ? duration(left / 1000) : t('plugin.expired');
    node.classList.toggle('over', left <= 0);
  }
}

function endpoint({ addresses }, { items, life }, draw) {
  const address = addresses.find((one) => one.area === 'token');
  const name = input('id', { class: 'mono', required: true });
  const secret = input('secret', { class: 'mono', required: true });
  const lasts = input('life', { value: span(life), class: 'mono' });
  return [
    h('p', { class: 'sub' }, t('plugin.clients.about')), address && h('code', null, `${address.method} ${address.url}`),
    items.length > 0 && h('ul', { class: 'clients' }, items.map((client) => h('li', { class: 'row ends' },
      h('div', { class: 'stack tight grow' }, h('code', null, client.id), h('span', { class: 'sub' }, h('code', null, client.secret), ' · ', t('plugin.issued', { n: client.issued }))),
      h('button', { type: 'button', class: 'quiet square', 'aria-label': t('plugin.remove', { id: client.id }), onclick: trying(async () => {
        await api.del(api.path('plugin', 'clients', client.id));
        await draw();
      }) }, icon('bin'))))),
    h('details', null, h('summary', { class: 'sub' }, t('plugin.add')), h('form', { class: 'stack', onsubmit: trying(async () => {
      await api.put(api.path('plugin', 'clients', name.value.trim()), { secret: secret.value });
      await draw();
    }) }, h('div', { class: 'fields' }, field(t('plugin.client'), name), field(t('plugin.secret'), secret)), h('div', null, h('button', null, t('plugin.save'))))),
    h('form', { class: 'row', onsubmit: trying(async () => {
      await api.put('/plugin/life', { life: lasts.value.trim() });
      toast('good', t('robot.saved'));
      await draw();
    }) }, h('div', { class: 'grow' }, field(t('plugin.life'), lasts, t('plugin.life.about'))), h('button', null, t('plugin.save'))),
  ];
}
