// A request and its answer, with the signature taken apart.

import { h, icon } from './dom.js';
import { maybe, size, t } from './i18n.js';
import { at, code, english, facts, fold, note, tag, took, words } from './parts.js';

// line is an exchange in a list: which way, what, how it ended.
export function line(item, chosen) {
  return h('a', { href: `#/requests/${encodeURIComponent(item.id)}`, 'aria-current': item.id === chosen ? 'true' : null },
    h('span', { class: 'line' }, arrow(item), h('code', { class: 'grow', title: item.url }, `${item.method} ${short(item.url)}`)),
    h('span', { class: 'line sub' }, status(item), h('span', { class: 'grow' }, item.refused && item.reason ? english(item.reason) : operation(item)),
      item.fault && tag('warn', t(`fault.${item.fault}`), 'faults'), at(item.at)));
}

// short leaves out the host, which an outgoing request has.
function short(url) {
  return url.replace(/^https?:\/\/[^/]+(?=\/)/, '');
}

export function direction(item) {
  return tag(item.direction === 'in' ? '' : 'accent', t(`direction.${item.direction}`), item.direction);
}

function arrow(item) {
  const words = t(`direction.${item.direction}`);
  return h('span', { class: `arrow ${item.direction}`, title: words }, icon(item.direction), h('span', { class: 'said' }, words));
}

export function status(item) {
  const words = [item.status || t('requests.noanswer'), item.code ? t('requests.code', { code: String(item.code) }) : ''].filter(Boolean).join(' · ');
  return tag(item.refused ? 'bad' : 'good', words);
}

export function operation(item) {
  return `${t(`area.${item.area}`)} · ${maybe(`operation.${item.operation}`, item.operation)}`;
}

// rules lists what an answer broke. Without a rule it is a refusal, in good form.
export function rules(list) {
  if (!list?.length) return null;
  return h('ul', { class: 'rules' }, list.map((item) => h('li', null, note('bad',
    item.rule ? h('strong', null, english(item.rule)) : h('strong', null, t('rule.refusal')),
    item.detail && english(item.detail, 'p'),
    facts([t('rule.call'), item.call && h('code', null, item.call)], [t('rule.field'), item.field && h('code', null, item.field)],
      [t('rule.answer'), (item.status || item.code || item.message) && [item.status, item.code && t('requests.code', { code: String(item.code) }), item.message].filter(Boolean).join(' · ')])))));
}

const verdicts = { valid: 'good', refused: 'bad', unsigned: '' };
const states = { ok: ['good', 'check'], failed: ['bad', 'cross'], not_reached: ['', 'minus'] };

// explanation shows the checks in their order, and what the signature is made of.
export function explanation(found) {
  if (!found) return null;
  return [
    note(verdicts[found.verdict], h('strong', null, t(`verdict.${found.verdict}`)), english(found.summary, 'p'),
      found.caller && h('p', null, t('explain.caller'), ' ', h('code', null, found.caller))),
    found.cause && note('warn', h('strong', null, t('explain.cause')), words(`cause.${found.cause}`, found.cause_text)),
    found.steps.length > 0 && h('ol', { class: 'checks', 'aria-label': t('explain.steps') }, found.steps.map(check)),
    found.canonical?.length > 0 && h('div', { class: 'stack tight' }, h('h3', null, t('explain.canonical')), h('p', { class: 'sub' }, t('explain.canonical.about')),
      h('ol', { class: 'parts' }, found.canonical.map(({ part, text }) => h('li', null, h('span', { class: 'sub' }, maybe(`part.${part}`, part)), h('code', null, text || t('explain.nothing')))))),
  ];
}

function check(item) {
  const [kind, picture] = states[item.state];
  return h('li', { class: `check ${item.state}` }, h('div', { class: 'row' }, tag(kind, t(`check.state.${item.state}`), picture), h('strong', null, t(`check.${item.check}`))),
    h('p', { class: 'sub' }, english(item.text)),
    facts([t('explain.found'), item.found !== undefined && h('code', null, item.found || t('explain.nothing'))], [t('explain.expected'), item.expected && h('code', null, item.expected)]));
}

// half shows one side of an exchange: its line, its headers and its body.
export function half(title, part, open) {
  const node = fold([h('strong', null, title), h('code', { class: 'grow' }, part.line), part.body && h('span', { class: 'sub' }, size(part.body.size))],
    part.error && note('bad', english(part.error)),
    part.header.length > 0 && facts(...part.header.map(({ name, value }) => [h('code', null, name), h('code', null, value)])),
    body(title, part.body));
  node.open = open;
  return node;
}

function body(title, { kind, text, size: bytes, cut }) {
  if (kind === 'none' || (!text && !bytes)) return h('p', { class: 'sub' }, t('requests.nobody'));
  if (kind === 'binary') return h('p', { class: 'sub' }, t('requests.binary', { size: size(bytes) }));
  return [code(text ?? '', t('requests.body', { title })), cut && note('', t('requests.cut'))];
}

// about lists what is known of an exchange besides its bytes.
export function about(item, ...more) {
  return facts([t('requests.operation'), operation(item)], [t('requests.at'), at(item.at)], [t('requests.took'), took(item.took)],
    [t('requests.by'), item.direction === 'in' && item.by && t(`by.${item.by}`)], [t('requests.fault'), item.fault && tag('warn', t(`fault.${item.fault}`), 'faults')], ...more);
}
