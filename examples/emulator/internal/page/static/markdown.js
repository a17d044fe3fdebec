// The subset of Markdown that a chat shows (protocol 2.8), as elements. What is not part
// of it stays as it was written.

import { h } from './dom.js';
import { t } from './i18n.js';

const DEPTH = 12;

// text renders the content of a text message, in which only mentions are special.
export function text(content) {
  return h('p', { class: 'plain' }, inline(content, { mentionsOnly: true }, 0));
}

// markdown renders markdown text as blocks.
export function markdown(source) {
  const blocks = [];
  let open = null; // { kind, lines }
  const flush = () => {
    if (open) blocks.push(block(open));
    open = null;
  };
  for (const line of source.replaceAll('\r\n', '\n').split('\n')) {
    const [kind, rest] = classify(line);
    if (kind === 'blank') {
      flush();
      continue;
    }
    const joins = open && (open.kind === kind || (kind === 'text' && open.kind !== 'heading'));
    if (!joins || kind === 'heading') {
      flush();
      open = { kind, lines: [rest] };
    } else if (kind === 'text' && open.kind !== 'text') {
      open.lines[open.lines.length - 1] += `\n${rest}`;
    } else {
      open.lines.push(rest);
    }
  }
  flush();
  return blocks;
}

function classify(line) {
  let m;
  if (!line.trim()) return ['blank', ''];
  if ((m = /^(#{1,6})\s+(.*)$/.exec(line))) return ['heading', m];
  if ((m = /^>\s?(.*)$/.exec(line))) return ['quote', m[1]];
  if ((m = /^\s*[-*+]\s+(.*)$/.exec(line))) return ['bullets', m[1]];
  if ((m = /^\s*(\d{1,9})\.\s+(.*)$/.exec(line))) return ['numbers', m];
  return ['text', line];
}

function block({ kind, lines }) {
  switch (kind) {
    case 'heading':
      return h('p', { class: `md-heading md-h${lines[0][1].length}` }, inline(lines[0][2], {}, 0));
    case 'quote':
      return h('blockquote', null, h('p', null, breaks(lines.join('\n'))));
    case 'bullets':
      return h('ul', { class: 'md-list' }, lines.map((line) => h('li', null, breaks(line))));
    case 'numbers':
      return h('ol', { class: 'md-list', start: number(lines[0]) }, lines.map((line) => h('li', null, breaks(line[2] ?? line))));
    default:
      return h('p', null, breaks(lines.join('\n')));
  }
}

function number(line) {
  return line[1] === '1' ? null : line[1];
}

// breaks keeps a line break after two spaces; any other becomes a space.
function breaks(source) {
  return source.split(/ {2,}\n/).flatMap((line, i) => [i > 0 && h('br'), ...inline(line.replaceAll('\n', ' '), {}, 0)]);
}

const rules = [
  { start: '<', make: tag },
  { start: '**', make: pair('**', 'strong') },
  { start: '~~', make: pair('~~', 's') },
  { start: '*', make: pair('*', 'em') },
  { start: '_', make: pair('_', 'em', true) },
  { start: '![', make: image },
  { start: '[', make: link },
  { start: '\\', make: escape },
  { start: '&', make: entity },
];
const mentionRules = [{ start: '<', make: mention }];

// inline returns the nodes of one line.
function inline(source, options, depth) {
  const active = options.mentionsOnly ? mentionRules : rules;
  const nodes = [];
  let plain = '';
  let i = 0;
  while (i < source.length) {
    const made = depth < DEPTH ? match(active, source, i, options, depth) : null;
    if (!made) {
      plain += source[i];
      i += 1;
    } else {
      if (plain) nodes.push(plain);
      plain = '';
      nodes.push(made.node);
      i = made.end;
    }
  }
  if (plain) nodes.push(plain);
  return nodes;
}

function match(active, source, i, options, depth) {
  for (const rule of active) {
    if (!source.startsWith(rule.start, i)) continue;
    const made = rule.make(source, i, options, depth);
    if (made) return made;
  }
  return null;
}

// pair makes the rule of a mark that opens and closes with the same characters. Marks of
// one word do nothing inside it: snake_case stays.
function pair(mark, name, wordly = false) {
  return (source, i, options, depth) => {
    const from = i + mark.length;
    if (/\s/.test(source[from] ?? ' ')) return null;
    if (wordly && /\w/.test(source[i - 1] ?? '')) return null;
    let end = source.indexOf(mark, from);
    while (mark === '*' && end >= 0 && source.startsWith('**', end)) end = source.indexOf(mark, end + 2);
    if (end <= from || /\s/.test(source[end - 1])) return null;
    if (wordly && /\w/.test(source[end + mark.length] ?? '')) return null;
    return { node: h(name, null, inline(source.slice(from, end), options, depth + 1)), end: end + mark.length };
  };
}

function tag(source, i, options, depth) {
  return mention(source, i) ?? font(source, i, options, depth) ?? bareLink(source, i);
}

const MENTION = /<at\s+(user_id|email)\s*=\s*(?:"([^"]*)"|'([^']*)')\s*>([^<]*)<\/at>/y;

function mention(source, i) {
  MENTION.lastIndex = i;
  const m = MENTION.exec(source);
  if (!m) return null;
  const who = m[2] ?? m[3];
  const name = m[1] === 'user_id' && who === '-1' ? t('chat.everyone') : m[4].trim() || who;
  return { node: h('span', { class: 'mention', title: `${m[1]}: ${who}` }, `@${name}`), end: i + m[0].length };
}

const FONT = /<font\s+color\s*=\s*(?:"([^"]*)"|'([^']*)')\s*>/y;

function font(source, i, options, depth) {
  FONT.lastIndex = i;
  const m = FONT.exec(source);
  if (!m) return null;
  const from = i + m[0].length;
  const end = source.indexOf('</font>', from);
  if (end < 0) return null;
  const node = h('span', { class: 'tint' }, inline(source.slice(from, end), options, depth + 1));
  paint(node, m[1] ?? m[2]);
  return { node, end: end + '</font>'.length };
}

// paint sets a colour of the message. The style sheet keeps its contrast in both themes.
function paint(node, color) {
  if (['info', 'comment', 'warning'].includes(color)) node.classList.add(`tint-${color}`);
  else if (/^(#[0-9a-f]{3}|#[0-9a-f]{6}|[a-z]+)$/i.test(color) && CSS.supports('color', color)) node.style.setProperty('--tint', color);
  else node.classList.remove('tint');
}

const BARE = /<(https?:\/\/[^\s<>]+)>/y;

function bareLink(source, i) {
  BARE.lastIndex = i;
  const m = BARE.exec(source);
  return m && { node: anchor(m[1], [m[1]]), end: i + m[0].length };
}

const LINK = /\[([^\]]*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)/y;

function link(source, i, options, depth) {
  LINK.lastIndex = i;
  const m = LINK.exec(source);
  return m && { node: anchor(m[2], inline(m[1] || m[2], options, depth + 1)), end: i + m[0].length };
}

// image shows where a picture would be. The page loads nothing from other hosts.
function image(source, i) {
  LINK.lastIndex = i + 1;
  const m = LINK.exec(source);
  return m && { node: h('span', { class: 'picture' }, t('chat.picture'), ' ', anchor(m[2], [m[2]])), end: i + 1 + m[0].length };
}

// anchor makes a link to a web address. Any other address is shown and cannot be followed.
export function anchor(address, content) {
  if (!/^https?:\/\//i.test(address)) return h('span', { class: 'unsafe', title: address }, content);
  return h('a', { href: address, rel: 'noreferrer noopener', target: '_blank' }, content);
}

function escape(source, i) {
  return /[!-/:-@[-`{-~]/.test(source[i + 1] ?? '') ? { node: source[i + 1], end: i + 2 } : null;
}

const ENTITY = /&(lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#x[0-9a-f]{1,6});/iy;
const NAMED = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ' };

function entity(source, i) {
  ENTITY.lastIndex = i;
  const m = ENTITY.exec(source);
  if (!m) return null;
  const name = m[1].toLowerCase();
  const code = name.startsWith('#x') ? parseInt(name.slice(2), 16) : Number(name.slice(1));
  const node = NAMED[name] ?? (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : m[0]);
  return { node, end: i + m[0].length };
}
