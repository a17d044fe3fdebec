// Documents of a gateway, opened and edited as the viewer does, by several users at once.

import * as api from './api.js';
import { fill, h, icon, sync } from './dom.js';
import { t } from './i18n.js';
import * as live from './live.js';
import { at, choosing, empty, field, input, panel, select, tag, tick, trying } from './parts.js';
import { session } from './session.js';

export default async function viewer({ body, rest, query, signal }) {
  const [overview, first] = await Promise.all([api.get('/overview', {}, signal), api.get('/viewer/sessions', {}, signal)]);
  let sessions = first.items;
  const pair = h('div', { class: 'pair' });
  const list = h('ul', { class: 'list', 'aria-label': t('viewer.sessions') });
  const nothing = h('p', { class: 'sub inside' }, t('viewer.sessions.none'));
  const draw = () => {
    sync(list, sessions, (item) => item.id, (item) => entry(item, pair.dataset.chosen));
    nothing.hidden = sessions.length > 0;
  };
  const detail = h('div', { class: 'stack' });
  fill(pair, h('div', { class: 'stack' }, opening(overview, query), panel(t('viewer.sessions'), nothing, list)), detail);
  fill(body, pair);
  const choose = choosing({ pair, view: 'viewer', show: (id, until) => show(detail, id, overview, () => sessions, until), signal });
  live.on(['session', 'reset', 'gap'], async () => {
    sessions = (await api.get('/viewer/sessions', {}, signal)).items;
    draw();
  }, signal);
  await choose(rest);
  draw();
  return choose;
}

// show fills the detail with a session, or says what to do without one.
async function show(detail, id, overview, sessions, signal) {
  const found = id && await api.exists(api.get(api.path('viewer', 'sessions', id), {}, signal));
  if (!found) {
    fill(detail, h('div', { class: 'panel' }, id ? empty('document', t('app.gone'), h('p', null, t('app.gone.about'))) : invitation(overview)));
    return;
  }
  const others = () => sessions().filter((item) => item.id !== found.id && item.file_id === found.file_id && item.gateway === found.gateway);
  fill(detail, h('a', { class: 'button quiet onlysmall', href: '#/viewer' }, icon('back'), t('app.back')), session(found, others, signal));
}

function entry(item, chosen) {
  const broken = item.steps.reduce((n, step) => n + step.broken.length, 0);
  return h('li', null, h('a', { href: `#/viewer/${encodeURIComponent(item.id)}`, 'aria-current': item.id === chosen ? 'true' : null },
    h('span', { class: 'line' }, h('strong', { class: 'grow' }, item.file?.name ?? item.file_id), at(item.at)),
    h('span', { class: 'line sub' }, h('span', { class: 'grow' }, item.user || t('viewer.nouser')),
      broken > 0 ? tag('bad', t('viewer.broken', { n: broken })) : item.file && tag('good', t('viewer.opened')))));
}

function invitation({ sample }) {
  return empty('viewer', t('viewer.none'), h('p', null, t('viewer.none.about')),
    sample && h('button', { type: 'button', class: 'primary', onclick: trying(() => start({
      gateway: sample.gateway, file_id: sample.file_id, token: sample.token, user: t('viewer.editor'),
    })) }, icon('document'), t('viewer.sample')));
}

// start opens a session and its document, and shows it.
async function start(request) {
  const made = await api.post('/viewer/sessions', request);
  location.hash = `#/viewer/${encodeURIComponent(made.id)}`;
  await api.post(api.path('viewer', 'sessions', made.id, 'open'));
}

function opening({ sample, apps }, query) {
  const gateway = input('gateway', { type: 'url', class: 'mono', required: true, value: query.get('gateway') ?? '', placeholder: 'http://127.0.0.1:8080' });
  const file = input('file_id', { class: 'mono', required: true, value: query.get('file_id') ?? '', placeholder: 'plan' });
  const user = input('user', { placeholder: 'Ann' });
  const token = input('token', { class: 'mono' });
  const search = input('user_query', { class: 'mono', placeholder: 'a=1&b=2' });
  const app = select('app_id', apps.map(({ id }) => [id, id]), apps[0]?.id);
  const unsigned = tick('unsigned', t('viewer.unsigned'));
  const form = h('form', { class: 'stack', onsubmit: trying(() => start({
    gateway: gateway.value.trim(), file_id: file.value.trim(), user: user.value.trim() || undefined, token: token.value || undefined,
    user_query: search.value || undefined, app_id: app.value || undefined, unsigned: unsigned.querySelector('input').checked,
  })) },
  field(t('viewer.gateway'), gateway, t('viewer.gateway.about')),
  h('div', { class: 'fields' }, field(t('viewer.file'), file), field(t('viewer.user'), user)),
  field(t('viewer.token'), token, t('viewer.token.about')),
  h('details', null, h('summary', { class: 'sub' }, t('viewer.more')),
    h('div', { class: 'stack' }, field(t('viewer.query'), search), field(t('viewer.app'), app), unsigned)),
  h('button', { class: 'primary' }, icon('viewer'), t('viewer.open')));
  const put = (as, words) => () => {
    gateway.value = sample.gateway;
    file.value = sample.file_id;
    token.value = as;
    user.value = words;
  };
  const samples = sample && h('div', { class: 'row' }, h('span', { class: 'sub' }, t('viewer.fill')),
    h('button', { type: 'button', class: 'small', onclick: put(sample.token, t('viewer.editor')) }, t('viewer.editor')),
    sample.reader_token && h('button', { type: 'button', class: 'small', onclick: put(sample.reader_token, t('viewer.reader')) }, t('viewer.reader')));
  return panel(t('viewer.new'), h('div', { class: 'inside' }, samples, form));
}
