// One message of the group, or a refused one with the reason.

import { blocks, anchor } from './blocks.js';
import { h, icon } from './dom.js';
import { current, t } from './i18n.js';
import { at, english, link, tag, words } from './parts.js';

// message renders an item. answer is called with it when its reply button is pressed.
export function message(item, answer) {
  const name = (item.from === 'robot' ? item.robot_name : item.sender_name) || t('chat.unknown');
  return h('li', { class: `message ${item.from}${item.refused ? ' refused' : ''}` },
    h('span', { class: 'face', 'aria-hidden': 'true' }, item.from === 'robot' ? icon('gear') : [...name][0]),
    h('article', { class: 'stack tight', 'aria-label': t('chat.by', { name }) },
      h('div', { class: 'line' }, h('strong', null, name), item.from === 'robot' && h('span', { class: 'sub' }, t('chat.robot')),
        h('span', { class: 'sub' }, at(item.at)),
        h('span', { class: 'tools' },
          !item.refused && h('button', { type: 'button', class: 'quiet small', onclick: () => answer(item) }, icon('reply'), t('chat.reply')),
          item.exchange && h('a', { class: 'button quiet small', href: `#/requests/${encodeURIComponent(item.exchange)}` }, icon('requests'), t('chat.request')))),
      item.reply_to && h('blockquote', { class: 'answered' }, item.reply_to.sender_name && h('strong', null, item.reply_to.sender_name, ' '), item.reply_to.text),
      item.refused && refusal(item),
      h('div', { class: 'bubble' }, content(item)),
      item.advice?.length > 0 && h('ul', { class: 'advice' }, item.advice.map((line) => h('li', null, icon('info'), english(line)))),
      item.delivery && delivery(item.delivery)));
}

// telling are the refusals whose reason says more than their kind.
const telling = ['timestamp', 'signature', 'message', 'length'];

function refusal(item) {
  return h('div', { class: 'why' }, tag('bad', t('chat.refused')), words(`refused.${item.refused}`, telling.includes(item.refused) || current() === 'en' ? item.reason : ''));
}

function delivery(outcome) {
  return h('div', { class: 'why' }, tag(outcome.ok ? 'good' : 'warn', t(outcome.ok ? 'chat.delivered' : 'chat.undelivered')), !outcome.ok && h('span', { class: 'sub' }, english(outcome.text)),
    outcome.exchange && h('span', { class: 'sub' }, link('requests', outcome.exchange, t('chat.request'))));
}

function content(item) {
  if (item.card) return card(item.card);
  if (item.link) {
    return h('div', { class: 'stack tight linked' }, h('strong', null, item.link.title), blocks(item.link.blocks),
      item.link.url && h('div', null, button(item.link.url, item.link.button || t('chat.details'))));
  }
  if (item.blocks?.length) return blocks(item.blocks);
  return h('pre', { class: 'raw' }, item.raw ?? '');
}

function button(address, words) {
  const node = anchor(address, [words]);
  node.classList.add('button');
  return node;
}

// card shows the face that a reader of a locale would see, and lets one choose the locale.
function card({ face, i18n }) {
  const box = h('div', { class: 'card' });
  const locales = Object.keys(i18n ?? {}).sort();
  const faces = { '': face, ...i18n };
  const buttons = ['', ...locales].map((locale) => h('button', { type: 'button', class: 'small', 'aria-pressed': String(locale === ''), onclick: () => choose(locale) }, locale || t('chat.locale.default')));
  const choose = (locale) => {
    buttons.forEach((node, i) => node.setAttribute('aria-pressed', String(['', ...locales][i] === locale)));
    box.lang = locale;
    box.replaceChildren(...side(faces[locale]));
  };
  box.replaceChildren(...side(face));
  return h('div', { class: 'stack tight' }, locales.length > 0 && h('div', { class: 'tabs', role: 'group', 'aria-label': t('chat.locale') }, buttons), box);
}

function side(face) {
  return [
    h('div', { class: 'card-head' }, h('div', { class: 'card-title' }, blocks(face.title)), face.subtitle && h('div', { class: 'sub' }, blocks(face.subtitle))),
    ...face.elements.map((element) => h('div', { class: 'card-part' }, blocks(element))),
  ];
}
