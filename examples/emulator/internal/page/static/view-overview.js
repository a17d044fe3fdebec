// What is running, what to copy, and what each area can play.

import * as api from './api.js';
import { fill, h, icon, sync } from './dom.js';
import { current, maybe, t } from './i18n.js';
import * as live from './live.js';
import { soon } from './live.js';
import { code, english, facts, fold, note, panel, secret, tabs, tag } from './parts.js';

export default async function overview({ body, actions, signal }) {
  const [data, environment] = await Promise.all([api.get('/overview', {}, signal), api.get('/env', { format: 'sh' }, signal)]);
  fill(actions, h('div', { class: 'address' }, h('span', { class: 'sub' }, t('overview.address')), secret(data.url, t('overview.address'))));
  const areas = h('ul', { class: 'tiles', 'aria-label': t('overview.areas') });
  const draw = (found) => sync(areas, found.areas, (area) => area.area, tile);
  draw(data);
  fill(body, first(data), areas, connect(data, environment), h('div', { class: 'columns' }, secrets(data), engine(data)), abilities(data.can));
  live.on(['exchange', 'fault', 'reset', 'gap'], soon(async () => draw(await api.get('/overview', {}, signal)), signal), signal);
}

// first is what a newcomer does: one step for each area.
function first(data) {
  const step = (picture, key, ...content) => h('li', null, icon(picture), h('div', { class: 'stack' }, h('h3', null, t(`overview.${key}`)), content));
  return panel(t('overview.start'),
    h('ol', { class: 'steps' },
      step('conversions', 'convert', h('p', { class: 'sub' }, t('overview.convert.about')),
        h('div', null, h('a', { class: 'button', href: '#/conversions' }, t('overview.convert.go')))),
      step('chat', 'send', h('p', { class: 'sub' }, t('overview.send.about')), code(data.curl, t('overview.curl'))),
      step('viewer', 'open', h('p', { class: 'sub' }, t('overview.open.about')),
        h('div', null, h('a', { class: 'button', href: '#/viewer' }, t('overview.open.go'))))));
}

function tile({ area, count, refused, fault }) {
  return h('li', null, h('a', { class: 'tile', href: `#/requests?area=${area}` },
    h('span', { class: 'sub' }, t(`area.${area}`)), h('span', { class: 'figure' }, t('overview.count', { n: count })),
    h('span', { class: 'row' },
      refused > 0 ? tag('bad', t('overview.refused', { n: refused })) : tag('', t('overview.norefused')),
      fault && tag('warn', t(`fault.${fault.kind}`), 'faults'))));
}

function connect(data, environment) {
  const ci = [
    `curl -X POST ${data.url}/_emulator/reset`,
    `curl '${data.url}/_emulator/wait?kind=message&text=deployed&timeout=30s'`,
    `curl -X POST ${data.url}/_emulator/assert -H 'Content-Type: application/json' \\\n  -d '{"kind":"message","state":"refused","max":0}'`,
  ].join('\n');
  const parts = [
    [t('overview.shell'), () => [h('p', { class: 'sub' }, t('overview.shell.about'), ' ', h('code', null, 'eval "$(go run ./examples/emulator env)"')), code(environment.trim(), t('overview.shell'), 'command')]],
    data.go && ['Go', () => [h('p', { class: 'sub' }, t('overview.go.about')), code(data.go, 'Go', 'command')]],
    ['curl', () => [h('p', { class: 'sub' }, t('overview.curl.about')), code(data.curl, 'curl')]],
    [t('overview.addresses'), () => addresses(data.addresses)],
    [t('overview.ci'), () => [h('p', { class: 'sub' }, t('overview.ci.about'), ' ', h('a', { href: '/_emulator/openapi.yaml' }, 'openapi.yaml')), code(ci, t('overview.ci'), 'command')]],
  ];
  return panel(t('overview.connect'), h('div', { class: 'inside' }, tabs(t('overview.connect'), parts.filter(Boolean).map(([name, make]) => [name, () => h('div', { class: 'stack' }, make())]))));
}

function addresses(list) {
  return [h('div', { class: 'table', tabindex: '0', role: 'region', 'aria-label': t('overview.addresses') }, h('table', null,
    h('thead', null, h('tr', null, ['area', 'method', 'address', 'what'].map((key) => h('th', { scope: 'col' }, t(`overview.col.${key}`))))),
    h('tbody', null, list.map((item) => h('tr', null, h('th', { scope: 'row' }, item.area ? t(`area.${item.area}`) : 'API'), h('td', null, h('code', null, item.method)),
      h('td', null, h('code', null, item.url)), h('td', null, english(item.what)))))))];
}

function secrets(data) {
  const pair = (name, value) => [name, secret(value, name)];
  return panel(t('overview.credentials'), h('div', { class: 'inside' },
    h('p', { class: 'sub' }, t('overview.credentials.about')),
    facts(pair(t('overview.address'), data.url), pair(t('overview.scheme'), data.environment.WEBOFFICE_SCHEME), ...data.apps.slice(0, 5).map((app) => pair(t('overview.app', { id: app.id }), app.key)),
      ...data.robots.slice(0, 5).map((robot) => pair(t('overview.robot', { name: robot.name }), robot.url)),
      ...data.clients.slice(0, 5).map((client) => pair(t('overview.client', { id: client.id }), client.secret)))));
}

function engine({ engine: found, version, started_at: started, bounds }) {
  const able = (key, yes) => [t(`overview.engine.${key}`), yes ? tag('good', t('app.yes')) : tag('warn', t('app.no'))];
  return panel(t('overview.engine'), h('div', { class: 'inside' },
    facts([t('overview.engine.kind'), english(found.description)], able('pdf', found.pdf), able('read', found.read_pdf), able('pictures', found.pictures)),
    found.missing?.length > 0 && note('warn', h('strong', null, t('overview.engine.missing')), found.missing.map((line) => english(line, 'p'))),
    facts([t('overview.version'), version], [t('overview.since'), new Intl.DateTimeFormat(current(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(started))],
      [t('overview.bounds'), Object.entries(bounds ?? {}).map(([name, n]) => maybe(`bound.${name}`, null, { n })).filter(Boolean).map((line) => h('div', null, line))])));
}

const states = { enforced: 'good', assumed: 'accent', unknown: 'warn', absent: '' };

function abilities(list) {
  const groups = Map.groupBy(list, (item) => item.area);
  return panel(t('overview.can'), h('div', { class: 'inside' }, h('p', { class: 'sub' }, t('overview.can.about')),
    h('dl', { class: 'facts' }, Object.keys(states).map((state) => [h('dt', null, stateTag(state)), h('dd', { class: 'sub' }, t(`can.${state}.about`))]))),
  [...groups].map(([area, items]) => fold(
    [h('strong', { class: 'grow' }, t(`area.${area}`)), tally(items)],
    h('ul', { class: 'can' }, items.map((item) => h('li', null, stateTag(item.state),
      h('div', null, current() === 'zh-CN' && item.what_zh ? item.what_zh : english(item.what), h('div', { class: 'sub' }, h('code', null, item.proof)))))))));
}

function stateTag(state) {
  return tag(states[state], t(`can.${state}`), { enforced: 'check', assumed: 'info', unknown: 'warning', absent: 'minus' }[state]);
}

function tally(items) {
  const parts = Object.keys(states).map((state) => [state, items.filter((item) => item.state === state).length]).filter(([, n]) => n > 0);
  return h('span', { class: 'sub' }, parts.map(([state, n]) => `${t(`can.${state}`)} ${n}`).join(' · '));
}
