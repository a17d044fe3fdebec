// Every exchange in both directions, and the explanation of a request that is pasted.

import * as api from './api.js';
import { fill, h, icon } from './dom.js';
import { about, direction, explanation, half, line, rules, status } from './exchange.js';
import { Feed } from './feed.js';
import { t } from './i18n.js';
import * as live from './live.js';
import { action, choosing, copy, empty, english, field, input, link, note, panel, select, tick, toast, trying } from './parts.js';

const areas = ['conversion', 'chat', 'viewer', 'plugin', 'token'];

export default async function requests({ body, actions, rest, query, signal }) {
  const pair = h('div', { class: 'pair' });
  const filter = { area: query.get('area') ?? '', direction: '', refused: '', text: '' };
  const feed = new Feed({
    label: t('requests.list'),
    load: (before, limit) => api.get('/exchanges', { before, limit, ...filter }, signal),
    render: (item) => h('li', null, line(item, pair.dataset.chosen)),
    empty: () => (Object.values(filter).some(Boolean) ? empty('search', t('requests.nomatch')) : empty('requests', t('requests.empty'), h('p', null, t('requests.empty.about')))),
  });
  fill(actions, h('a', { class: 'button', href: '#/requests/explain' }, icon('search'), t('explain.title')));
  const detail = h('div', { class: 'stack' });
  fill(pair, h('section', { class: 'panel', 'aria-label': t('requests.list') }, filters(filter, feed), feed.node), detail);
  fill(body, pair);
  const choose = choosing({ pair, view: 'requests', show: (id, until) => show(detail, id, until), signal });
  live.on(['exchange', 'reset', 'gap'], (events) => {
    if (events.some((event) => event.kind !== 'exchange')) feed.newest();
    else feed.take(events.map((event) => event.item).filter(Boolean), (item) => matches(item, filter));
  }, signal);
  await Promise.all([feed.newest(), choose(rest)]);
  return choose;
}

function matches(item, { area, direction: way, refused, text }) {
  return (!area || item.area === area) && (!way || item.direction === way) && (!refused || item.refused)
    && (!text || `${item.method} ${item.url} ${item.reason ?? ''}`.toLowerCase().includes(text.toLowerCase()));
}

function filters(filter, feed) {
  const area = select('area', [['', t('requests.allareas')], ...areas.map((name) => [name, t(`area.${name}`)])], filter.area);
  const way = select('direction', [['', t('requests.bothways')], ['in', t('requests.in')], ['out', t('requests.out')]]);
  const find = input('text', { type: 'search', placeholder: t('requests.find') });
  const refused = tick('refused', t('requests.onlyrefused'));
  for (const [node, label] of [[area, 'requests.area'], [way, 'requests.way'], [find, 'requests.find']]) node.setAttribute('aria-label', t(label));
  return h('form', { class: 'filters', role: 'search', onsubmit: (event) => event.preventDefault(), onchange: () => {
    Object.assign(filter, { area: area.value, direction: way.value, refused: refused.querySelector('input').checked || '', text: find.value.trim() });
    feed.newest();
  } }, area, way, find, refused);
}

async function show(detail, id, signal) {
  if (id === 'explain') {
    fill(detail, back(), paste(signal));
    return;
  }
  if (!id) {
    fill(detail, h('div', { class: 'panel' }, empty('requests', t('requests.none'), h('p', null, t('requests.none.about')),
      h('a', { class: 'button', href: '#/requests/explain' }, t('explain.title')))));
    return;
  }
  const found = await api.exists(api.get(api.path('exchanges', id), {}, signal));
  if (found) fill(detail, back(), exchange(found));
  else fill(detail, back(), h('div', { class: 'panel' }, empty('requests', t('app.gone'), h('p', null, t('app.gone.about')))));
}

function back() {
  return h('a', { class: 'button quiet onlysmall', href: '#/requests' }, icon('back'), t('app.back'));
}

function exchange(item) {
  const again = action('again', t('requests.again'), async () => {
    const made = await api.post(api.path('exchanges', item.id, 'resend'), {});
    toast(made.refused ? 'bad' : 'good', t('requests.sent', { status: String(made.status || t('requests.noanswer')) }));
    location.hash = `#/requests/${encodeURIComponent(made.id)}`;
  });
  again.disabled = !item.resendable;
  if (!item.resendable) again.title = t('requests.notwhole');
  const views = { conversion: 'conversions', chat: 'chat' };
  return h('article', { class: 'stack', 'aria-label': `${item.method} ${item.url}` },
    h('section', { class: 'panel' },
      h('header', null, h('h2', { class: 'grow mono' }, `${item.method} ${item.url}`), h('div', { class: 'row' },
        action('copy', t('requests.curl'), async () => copy(await api.get(api.path('exchanges', item.id, 'curl')))), again)),
      h('div', { class: 'inside' }, h('div', { class: 'row' }, direction(item), status(item)),
        item.refused && item.reason && item.explanation?.verdict !== 'refused' && note('bad', english(item.reason)),
        about(item, [t('requests.led'), item.area === 'conversion' && item.ref && link(views.conversion, item.ref, t('requests.led.conversion'))],
          [t('requests.session'), item.session && link('viewer', item.session, t('requests.session.go'))]))),
    item.explanation && panel(t('explain.signature'), h('div', { class: 'inside' }, explanation(item.explanation))),
    item.broken?.length > 0 && panel(t('requests.broken'), h('div', { class: 'inside' }, rules(item.broken))),
    h('section', { class: 'panel', 'aria-label': t('requests.bytes') }, half(t('requests.request'), item.request, true), half(t('requests.response'), item.response, true)));
}

// paste explains a request that the program has not seen.
function paste(signal) {
  const text = h('textarea', { class: 'mono tall', required: true, spellcheck: 'false', placeholder: 'POST /api/v1/webhook/send?key=… HTTP/1.1\nDate: …\nContent-Md5: …\nContent-Type: application/json\nAuthorization: …\n\n{"msgtype":"text","text":{"content":"…"}}' });
  const app = input('app_id', { class: 'mono' });
  const key = input('app_key', { class: 'mono', type: 'password', autocomplete: 'new-password' });
  const robot = input('robot_key', { class: 'mono' });
  const secret = input('signing_secret', { class: 'mono', type: 'password', autocomplete: 'new-password' });
  const outcome = h('div', { class: 'stack', role: 'status' });
  const explain = async () => {
    const found = await api.post('/explain', {
      request: text.value.replaceAll('\r\n', '\n'), app_id: app.value || undefined, app_key: key.value || undefined,
      robot_key: robot.value || undefined, signing_secret: secret.value || undefined,
    }, signal);
    fill(outcome, explanation(found));
  };
  return panel(t('explain.title'), h('div', { class: 'inside' }, h('p', { class: 'sub' }, t('explain.about')),
    h('form', { class: 'stack', onsubmit: trying(explain) }, field(t('explain.request'), text),
      h('details', null, h('summary', { class: 'sub' }, t('explain.keys')),
        h('div', { class: 'fields' }, field(t('explain.app'), app), field(t('explain.appkey'), key), field(t('explain.robot'), robot), field(t('explain.secret'), secret)),
        h('p', { class: 'hint' }, t('explain.keys.about'))),
      h('div', null, h('button', { class: 'primary' }, icon('search'), t('explain.go')))), outcome));
}
