// Parts that several views use.

import { append, h, icon, id } from './dom.js';
import { current, dateTime, maybe, number, t, time } from './i18n.js';
import { say } from './phrases.js';

const shown = 6000; // Milliseconds of a toast.

// toast says something in the corner, and to a screen reader. kind is good or bad.
export function toast(kind, text) {
  const node = h('div', { class: `toast ${kind}` }, icon(kind === 'bad' ? 'warning' : 'check'), h('span', { class: 'grow' }, text),
    h('button', { type: 'button', class: 'quiet square', 'aria-label': t('app.close'), onclick: () => node.remove() }, icon('cross')));
  const box = document.getElementById('toasts');
  while (box.children.length > 2) box.firstElementChild.remove();
  box.append(node);
  setTimeout(() => node.remove(), shown);
}

// trying runs work when its button is pressed: the button waits, and an error is said.
export function trying(work) {
  return async (event) => {
    event.preventDefault();
    const button = event.submitter ?? (event.currentTarget instanceof HTMLButtonElement ? event.currentTarget : null);
    if (button) button.disabled = true;
    try {
      await work(event);
    } catch (err) {
      if (err.name !== 'AbortError') toast('bad', err.field ? `${err.field}: ${err.message}` : err.message);
    } finally {
      if (button) button.disabled = false;
    }
  };
}

export function action(name, label, work, kind = '') {
  return h('button', { type: 'button', class: kind || null, onclick: trying(work) }, name && icon(name), label);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast('good', t('app.copied'));
  } catch {
    toast('bad', t('app.notcopied'));
  }
}

// code shows text to be copied. label names it for a screen reader. A command keeps its
// lines; other text wraps.
export function code(text, label, kind = '') {
  return h('div', { class: `code ${kind}` },
    h('pre', { tabindex: '0', role: 'group', 'aria-label': label }, text),
    h('button', { type: 'button', class: 'quiet square', 'aria-label': t('app.copy', { what: label }), title: t('app.copyshort'), onclick: () => copy(text) }, icon('copy')));
}

const marks = { good: 'check', bad: 'cross', warn: 'warning', accent: 'info' };

// tag is a word about a state: an icon, a colour and the word, so that none is alone.
export function tag(kind, text, picture = marks[kind]) {
  return h('span', { class: `tag ${kind}` }, picture && icon(picture), text);
}

export function note(kind, ...content) {
  return h('div', { class: `note ${kind}` }, icon(marks[kind] ?? 'info'), h('div', { class: 'stack grow' }, content));
}

// empty says that there is nothing yet, and what to do next.
export function empty(picture, title, ...content) {
  return h('div', { class: 'empty' }, icon(picture), h('p', { class: 'title' }, title), content);
}

export function at(moment) {
  return h('time', { datetime: moment, title: dateTime(moment) }, time(moment));
}

// english shows what the program says: in the language of the page if it is a sentence
// that is known, else in English, and marked as such.
export function english(text, name = 'span') {
  const known = say(text);
  return known ? h(name, null, known) : h(name, { lang: 'en' }, text);
}

// words says what key says, and what the program says of it in English. An English reader
// needs only the latter.
export function words(key, text) {
  const own = maybe(key, '');
  if (!text) return h('p', null, own);
  if (!own || current() === 'en') return english(text, 'p');
  return [h('p', null, own), h('p', { class: 'sub' }, english(text))];
}

// secret shows a value in full, with a button to copy it.
export function secret(value, label) {
  return h('span', { class: 'secret' }, h('code', null, value),
    h('button', { type: 'button', class: 'quiet square small', 'aria-label': t('app.copy', { what: label }), title: t('app.copyshort'), onclick: () => copy(value) }, icon('copy')));
}

export function took(milliseconds) {
  if (milliseconds < 1) return t('app.ms', { n: '<1' });
  if (milliseconds < 1000) return t('app.ms', { n: number(Math.round(milliseconds)) });
  return t('app.seconds', { n: number(Math.round(milliseconds / 100) / 10) });
}

// facts is a list of names and values; those without a value are left out.
export function facts(...pairs) {
  const node = h('dl', { class: 'facts' });
  for (const [name, value] of pairs) {
    if (value !== undefined && value !== null && value !== '' && value !== false) append(node, [h('dt', null, name), h('dd', null, value)]);
  }
  return node;
}

// field puts a label above a control, and a hint below.
export function field(label, control, hint) {
  control.id ||= id('f');
  const about = hint && h('span', { class: 'hint', id: id('h') }, hint);
  if (about) control.setAttribute('aria-describedby', about.id);
  return h('div', { class: 'field' }, h('label', { for: control.id }, label), control, about);
}

export function input(name, props = {}) {
  return h('input', { name, autocomplete: 'off', spellcheck: 'false', ...props });
}

export function tick(name, label, checked = false) {
  return h('label', { class: 'tick' }, h('input', { type: 'checkbox', name, checked }), label);
}

// select offers options as [value, text].
export function select(name, options, chosen) {
  const node = h('select', { name }, options.map(([value, text]) => h('option', { value }, text)));
  if (chosen !== undefined && chosen !== null) node.value = chosen;
  return node;
}

export function fold(summary, ...content) {
  return h('details', { class: 'fold' }, h('summary', null, summary), h('div', { class: 'inside' }, content));
}

export function panel(title, ...content) {
  const label = id('p');
  const heading = title && h('h2', { id: label }, title);
  return h('section', { class: 'panel', 'aria-labelledby': heading ? label : null }, heading && h('header', null, heading), content);
}

// tabs shows one of several parts: [[name, content], ...]. Content may be a function, which
// is called when its tab is opened for the first time.
export function tabs(label, parts) {
  const body = h('div', { class: 'stack', role: 'tabpanel', id: id('tab') });
  const made = new Map();
  const buttons = parts.map(([name, content], i) => h('button', {
    type: 'button', role: 'tab', id: id('tab'), 'aria-controls': body.id, onclick: () => open(i), onkeydown: (event) => move(event, i),
  }, name));
  const open = (i) => {
    buttons.forEach((button, j) => {
      button.setAttribute('aria-selected', String(i === j));
      button.tabIndex = i === j ? 0 : -1;
    });
    if (!made.has(i)) made.set(i, typeof parts[i][1] === 'function' ? parts[i][1]() : parts[i][1]);
    body.setAttribute('aria-labelledby', buttons[i].id);
    body.replaceChildren(made.get(i));
  };
  const move = (event, i) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (i + step + parts.length) % parts.length;
    open(next);
    buttons[next].focus();
  };
  open(0);
  return h('div', { class: 'stack' }, h('div', { class: 'tabs', role: 'tablist', 'aria-label': label }, buttons), body);
}

// dropzone takes a file by drop or by its button.
export function dropzone(label, hint, take) {
  const file = h('input', { type: 'file', class: 'said', 'aria-label': label, onchange: () => give(file.files) });
  const give = (list) => {
    const files = [...list];
    file.value = '';
    if (files.length) trying(() => take(files))(new Event('drop'));
  };
  const zone = h('div', {
    class: 'drop',
    ondragover: (event) => { event.preventDefault(); zone.classList.add('over'); },
    ondragleave: () => zone.classList.remove('over'),
    ondrop: (event) => { event.preventDefault(); zone.classList.remove('over'); give(event.dataTransfer.files); },
  }, icon('upload'), h('strong', null, label), h('span', { class: 'hint' }, hint),
  h('span', { class: 'button' }, t('app.choose')), file);
  zone.addEventListener('click', (event) => { if (event.target !== file) file.click(); });
  return zone;
}

// choosing puts a list beside the detail of one of its items. show(id, signal) fills the
// detail; the function that is returned takes the rest of an address.
export function choosing({ pair, view, show, signal }) {
  let stop = new AbortController();
  return async ([id]) => {
    stop.abort();
    stop = new AbortController();
    pair.classList.toggle('chosen', Boolean(id));
    pair.dataset.chosen = id ?? '';
    for (const node of pair.querySelectorAll('.list a')) {
      if (id && node.hash === place(view, id)) node.setAttribute('aria-current', 'true');
      else node.removeAttribute('aria-current');
    }
    await show(id, AbortSignal.any([signal, stop.signal]));
    // On a small screen the list has given way.
    if (document.activeElement === document.body) pair.querySelector('.onlysmall')?.focus();
  };
}

// place is the address of an item of a view.
export function place(view, item) {
  return `#/${view}/${encodeURIComponent(item)}`;
}

// link leads to a place of the page.
export function link(view, item, ...content) {
  return h('a', { href: `#/${view}${item ? `/${encodeURIComponent(item)}` : ''}` }, content);
}
