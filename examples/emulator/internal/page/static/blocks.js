// The text of a chat message, from the tree that the program makes of it. Colours keep
// their contrast in both themes, links lead only to the web, pictures are not loaded.

import { h } from './dom.js';
import { t } from './i18n.js';

export function blocks(list) {
  return (list ?? []).map(block);
}

function block(item) {
  switch (item.type) {
    case 'heading':
      return h('p', { class: `md-heading md-h${item.level}` }, inlines(item.inlines));
    case 'quote':
      return h('blockquote', null, blocks(item.blocks));
    case 'list':
      return h(item.ordered ? 'ol' : 'ul', { class: 'md-list', start: item.ordered && item.start > 1 ? item.start : null },
        (item.items ?? []).map((content) => h('li', null, blocks(content))));
    default:
      return h('p', null, inlines(item.inlines));
  }
}

function inlines(list) {
  return (list ?? []).map(inline);
}

const marks = { bold: 'strong', italic: 'em', strike: 's' };

function inline(item) {
  switch (item.type) {
    case 'text':
      return item.text ?? '';
    case 'break':
      return h('br');
    case 'bold':
    case 'italic':
    case 'strike':
      return h(marks[item.type], null, inlines(item.inlines));
    case 'color':
      return tint(item.color ?? '', inlines(item.inlines));
    case 'link':
      return anchor(item.url, inlines(item.inlines));
    case 'image':
      return h('span', { class: 'picture' }, t('chat.picture'), ' ', anchor(item.url, [item.url]));
    case 'mention':
      return mention(item);
    default:
      return item.text ?? '';
  }
}

function tint(color, content) {
  if (['info', 'comment', 'warning'].includes(color)) return h('span', { class: `tint tint-${color}` }, content);
  if (!/^(#[0-9a-f]{3}|#[0-9a-f]{6}|[a-z]+)$/i.test(color) || !CSS.supports('color', color)) return h('span', null, content);
  const node = h('span', { class: 'tint' }, content);
  node.style.setProperty('--tint', color);
  return node;
}

export function anchor(address, content) {
  if (!/^https?:\/\//i.test(address ?? '')) return h('span', null, content);
  return h('a', { href: address, rel: 'noreferrer noopener', target: '_blank' }, content);
}

function mention(item) {
  const name = item.mention === 'all' ? t('chat.everyone') : item.text || item.user || '';
  return h('span', { class: 'mention', title: item.user ?? null }, `@${name}`);
}
