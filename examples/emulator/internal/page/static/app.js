// The frame of the page: which view is shown, in which language and colours, and whether
// the program is there. Views are functions in view-*.js.

import { append, fill, h, icon } from './dom.js';
import * as i18n from './i18n.js';
import { t } from './i18n.js';
import * as live from './live.js';
import * as status from './status.js';
import { toast } from './parts.js';
import chat from './view-chat.js';
import conversions from './view-conversions.js';
import faults from './view-faults.js';
import overview from './view-overview.js';
import plugin from './view-plugin.js';
import requests from './view-requests.js';
import viewer from './view-viewer.js';

const views = { overview, conversions, chat, viewer, plugin, requests, faults };
const root = document.documentElement;
const main = document.getElementById('main');
const side = document.getElementById('side');
const menu = document.getElementById('menu');

let leave = () => {};
let shown = ''; // The view.
let asked; // Its query.
let choose = null; // Changes what is chosen in it, if it can.

// show puts the view of the address into main. #/requests/7?area=chat is the view requests
// with the rest ["7"] and the query area=chat. A view may return a function that takes
// another rest, so that its list stays as it is.
function show() {
  const [place, search] = location.hash.replace(/^#\/?/, '').split('?');
  const [name, ...rest] = place.split('/').map(decode);
  const view = Object.hasOwn(views, name) ? name : 'overview';
  openMenu(false);
  if (view === shown && search === asked && choose) {
    choose(rest).catch((err) => { if (err.name !== 'AbortError') toast('bad', err.message); });
    return;
  }
  mark(view);
  leave();
  choose = null;
  asked = search;
  const stop = new AbortController();
  leave = () => stop.abort();
  const title = h('h1', { tabindex: '-1' }, t(`${view}.title`));
  const actions = h('div', { class: 'row' });
  const body = h('div', { class: 'stack wide' });
  const section = h('div', { class: 'view', 'data-view': view },
    h('header', { class: 'head' }, h('div', null, title, h('p', null, t(`${view}.about`))), actions), body);
  const moved = shown && shown !== view;
  shown = view;
  main.replaceChildren(section);
  document.title = `${t(`${view}.title`)} · ${t('app.name')}`;
  if (moved) {
    scrollTo(0, 0);
    title.focus({ preventScroll: true });
  }
  views[view]({ body, actions, rest, query: new URLSearchParams(search), signal: stop.signal }).then((change) => {
    if (!stop.signal.aborted) choose = change ?? null;
  }, (err) => {
    if (!stop.signal.aborted) fill(body, failure(err));
  });
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function failure(err) {
  return h('div', { class: 'panel' }, h('div', { class: 'empty' }, icon('warning'),
    h('p', { class: 'title' }, t('app.failed')), h('p', null, err.message),
    h('button', { type: 'button', onclick: () => { choose = null; show(); } }, icon('again'), t('app.again'))));
}

function mark(view) {
  for (const link of document.querySelectorAll('[data-view]')) {
    if (link.dataset.view === view && link.localName === 'a') link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

function openMenu(open) {
  side.classList.toggle('open', open);
  menu.setAttribute('aria-expanded', String(open));
}

// translate writes the texts of the shell again.
function translate() {
  for (const node of document.querySelectorAll('[data-t]')) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll('[data-t-label]')) node.setAttribute('aria-label', t(node.dataset.tLabel));
  root.classList.remove('translating');
}

function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage may be forbidden: the choice then holds until the page is closed.
  }
}

function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function settings() {
  const language = document.getElementById('language');
  language.value = i18n.current();
  language.addEventListener('change', async () => {
    remember('language', language.value);
    await i18n.load(language.value);
    translate();
    live.report();
    status.draw();
    asked = undefined;
    choose = null;
    show();
  });
  const theme = document.getElementById('theme');
  theme.value = root.dataset.theme ?? 'auto';
  theme.addEventListener('change', () => {
    remember('theme', theme.value);
    if (theme.value === 'auto') delete root.dataset.theme;
    else root.dataset.theme = theme.value;
  });
}

function keys(event) {
  if (event.key === 'Escape' && side.classList.contains('open')) {
    openMenu(false);
    menu.focus();
  }
}

async function start() {
  await i18n.load(remembered('language') ?? root.lang);
  translate();
  settings();
  menu.addEventListener('click', () => openMenu(!side.classList.contains('open')));
  document.addEventListener('keydown', keys);
  // A file that misses its box must not replace the page.
  for (const kind of ['dragover', 'drop']) addEventListener(kind, (event) => event.preventDefault());
  addEventListener('unhandledrejection', (event) => {
    // What a view was loading when it was left is of no interest.
    if (event.reason?.name === 'AbortError') event.preventDefault();
    else toast('bad', event.reason?.message ?? String(event.reason));
  });
  addEventListener('hashchange', show);
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });
  live.start();
  status.start();
  show();
}

start().catch((err) => append(main, [h('p', { role: 'alert' }, err.message)]));
