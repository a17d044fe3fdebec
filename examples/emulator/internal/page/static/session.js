// One document, open as one user: toolbar, pages, callbacks, history, rename, save.

import * as api from './api.js';
import { fill, h, icon, sync } from './dom.js';
import { dateTime, maybe, size, t } from './i18n.js';
import * as live from './live.js';
import { pages } from './pages.js';
import { action, at, dropzone, empty, english, field, fold, input, note, panel, select, tag, tick, toast, took, trying } from './parts.js';
import { line, rules } from './exchange.js';

// session shows what is found, and follows it. others gives the sessions of the same document.
export function session(found, others, signal) {
  const path = api.path('viewer', 'sessions', found.id);
  const node = h('div', { class: 'stack' });
  const title = h('div', { class: 'stack tight grow' });
  const tools = h('div', { class: 'toolbar' });
  const document = h('div', { class: 'sheet' });
  const steps = h('div', null);
  const saving = h('div', { class: 'stack' });
  const history = h('div', null);
  let opened = '';
  let current = found;

  const draw = (item) => {
    current = item;
    fill(title, heading(item));
    toolbar(tools, item, path, () => save.scrollIntoView({ block: 'nearest' }));
    steps.hidden = item.steps.length === 0;
    sync(steps, item.steps, (one) => one.id, (one) => step(one));
    const last = item.steps.find((one) => one.kind === 'history' && one.versions);
    fill(history, versions(last, item, path));
    const now = item.steps.find((one) => (one.kind === 'open' || one.kind === 'version') && one.ok)?.id ?? '';
    if (now && now !== opened) fill(document, pages(path, item.file?.name ?? item.file_id, signal));
    if (!now) fill(document, empty('document', t('session.unopened'), h('p', null, t('session.unopened.about'))));
    opened = now;
  };

  fill(saving, saver(path, () => others()));
  const save = panel(t('session.save'), h('div', { class: 'inside' }, saving));
  fill(node,
    h('section', { class: 'panel', 'aria-label': t('session.document') },
      h('header', null, title, h('div', { class: 'row' },
        action('again', t('session.reopen'), () => api.post(`${path}/open`)),
        action('bin', t('session.close'), async () => { await api.del(path); location.hash = '#/viewer'; }, 'quiet'))),
      tools, document),
    h('div', { class: 'columns' },
      panel(t('session.callbacks'), h('p', { class: 'sub inside' }, t('session.callbacks.about')), steps),
      h('div', { class: 'stack' }, save, panel(t('session.history'), history))));
  draw(found);
  live.follow('session', (event) => event.ref === found.id || event.item?.id === found.id || event.item?.session === found.id, async () => {
    const now = await api.exists(api.get(path, {}, signal));
    if (now) draw(now);
  }, signal);
  return node;
}

function heading(item) {
  return [
    h('h2', null, item.file?.name ?? item.file_id),
    h('p', { class: 'sub' }, [
      item.file && t('session.version', { n: item.file.version }), item.file && size(item.file.size),
      item.user ? t('session.as', { name: item.user }) : t('viewer.nouser'), item.signed ? t('session.signed', { app: item.app_id }) : t('session.unsigned'),
    ].filter(Boolean).join(' · ')),
    h('p', { class: 'sub mono' }, `${item.gateway}/v3/3rd/files/${item.file_id}`),
  ];
}

// toolbar shows the buttons that the permission makes, each with the reason.
function toolbar(node, item, path, toSave) {
  if (!item.toolbar?.length) {
    fill(node);
    node.hidden = true;
    return;
  }
  node.hidden = false;
  const work = {
    history: () => api.post(`${path}/history`),
    rename: () => node.querySelector('form').classList.toggle('hidden'),
    edit: toSave,
    download: () => { location.href = api.address(`${path}/document`); },
  };
  const name = input('name', { value: item.file?.name ?? '', 'aria-label': t('session.newname'), maxlength: '240' });
  fill(node,
    h('ul', { class: 'tools-row', 'aria-label': t('session.toolbar') }, item.toolbar.map(({ button, shown, why }) => h('li', null,
      shown && work[button]
        ? h('button', { type: 'button', class: 'small', title: why, onclick: trying(work[button]) }, icon('check'), t(`tool.${button}`))
        : h('span', { class: shown ? 'tool on' : 'tool', title: why, tabindex: '0' }, icon(shown ? 'check' : 'minus'), t(`tool.${button}`),
          h('span', { class: 'said' }, shown ? t('tool.on') : t('tool.off'), ' ', why))))),
    h('form', { class: 'row hidden', onsubmit: trying(async () => {
      const done = await api.post(`${path}/rename`, { name: name.value });
      toast(done.ok ? 'good' : 'bad', done.summary);
    }) }, h('div', { class: 'grow' }, name), h('button', { class: 'primary' }, t('session.rename'))));
}

// step is one thing that the viewer did: its callbacks in order, and the rules that broke.
function step(item) {
  const node = fold(
    [tag(item.ok ? 'good' : 'bad', maybe(`step.${item.kind}`, item.kind)), h('span', { class: 'grow' }, outcome(item)),
      h('span', { class: 'sub' }, took(item.took), ' · ', at(item.at))],
    rules(item.broken),
    item.exchanges.length > 0 && h('ol', { class: 'list calls', 'aria-label': t('session.calls') }, item.exchanges.map((one) => h('li', null, line(one)))));
  node.open = !item.ok;
  return node;
}

// outcome says how a step ended. The rules that broke are below it.
function outcome({ summary, broken }) {
  const rules = broken.filter((one) => one.rule).length;
  return rules > 0 ? t('viewer.broken', { n: rules }) : english(summary);
}

function versions(last, item, path) {
  if (!last) return empty('clock', t('session.nohistory'), h('p', null, t('session.nohistory.about')), action('clock', t('session.gethistory'), () => api.post(`${path}/history`)));
  if (!last.versions.length) return h('p', { class: 'sub inside' }, t('session.emptyhistory'));
  return h('ul', { class: 'versions' }, last.versions.map((version) => h('li', { class: 'row ends' },
    h('div', { class: 'stack tight' }, h('div', { class: 'row' }, h('strong', null, t('session.version', { n: version.version })), version.version === item.file?.version && tag('accent', t('session.shown'))),
      h('span', { class: 'sub' }, [version.name, size(version.size), version.modifier_name || version.modifier_id, version.modified_at && dateTime(version.modified_at)].filter(Boolean).join(' · '))),
    action('document', t('session.openversion'), () => api.post(`${path}/version`, { version: version.version })))));
}

// saver takes an edited file, and may save it as two users at the same time.
function saver(path, others) {
  const automatic = tick('automatic', t('session.automatic'));
  const together = h('div', null);
  const outcome = h('div', { class: 'stack', role: 'status' });
  let choice = null;
  const refresh = () => {
    const list = others();
    choice = list.length ? select('with', [['', t('session.alone')], ...list.map((item) => [item.id, item.user || item.id])], choice?.value ?? '') : null;
    fill(together, choice && field(t('session.with'), choice, t('session.with.about')));
  };
  refresh();
  return [
    dropzone(t('session.drop'), t('session.drop.about'), async ([file]) => {
      const data = new FormData();
      data.append('file', file, file.name);
      if (automatic.querySelector('input').checked) data.append('automatic', 'true');
      if (choice?.value) data.append('with', choice.value);
      const done = await api.post(`${path}/save`, data);
      fill(outcome, done.items.map((one) => note(one.ok ? 'good' : 'bad', english(one.summary))));
      refresh();
    }),
    automatic, together, outcome,
  ];
}
