// A document as pictures, which load as one scrolls. Each has its room before it is there.

import * as api from './api.js';
import { fill, h, icon } from './dom.js';
import { t } from './i18n.js';
import { empty, english } from './parts.js';

const PATIENCE = 700; // Milliseconds between two questions whether the pages are ready.
const MOST = 60; // Pages that are shown at once.

// pages shows the document of a path of the API, such as /viewer/sessions/1.
export function pages(path, name, signal) {
  const box = h('div', { class: 'pages', tabindex: '0', role: 'region', 'aria-label': t('pages.of', { name }) });
  fill(box, h('p', { class: 'waiting', role: 'status' }, t('pages.working')));
  draw(box, path, name, signal).catch((err) => {
    if (!signal.aborted) fill(box, empty('warning', t('pages.none'), english(err.message, 'p')));
  });
  return box;
}

async function draw(box, path, name, signal) {
  let found = await api.get(`${path}/pages`, {}, signal);
  while (found.state === 'running') {
    await new Promise((done) => { setTimeout(done, PATIENCE); });
    found = await api.get(`${path}/pages`, {}, signal);
  }
  if (found.state === 'failed') {
    fill(box, empty('document', t('pages.none'), found.message && english(found.message, 'p')));
    return;
  }
  fill(box);
  more(box, path, name, found, 0);
}

function more(box, path, name, found, from) {
  const to = Math.min(from + MOST, found.pages);
  for (let n = from + 1; n <= to; n += 1) box.append(page(path, name, found, n));
  if (to >= found.pages) return;
  const button = h('button', { type: 'button', onclick: () => { button.remove(); more(box, path, name, found, to); } }, t('pages.more', { n: found.pages - to }));
  box.append(button);
}

function page(path, name, found, n) {
  const { width = 595, height = 842 } = found.sizes?.[n - 1] ?? {};
  const picture = h('img', {
    src: api.address(`${path}/pages/${n}.png`, { width: 1200 }), loading: 'lazy', decoding: 'async',
    width: Math.round(width), height: Math.round(height), alt: t('pages.page', { page: n, name }),
    onerror: () => picture.replaceWith(h('div', { class: 'missing' }, icon('warning'), t('pages.broken', { page: n }))),
  });
  return h('figure', null, picture, h('figcaption', null, t('pages.number', { page: n, pages: found.pages })));
}
