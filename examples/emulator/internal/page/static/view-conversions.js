// Documents in, text and PDF out.

import * as api from './api.js';
import { fill, h, icon } from './dom.js';
import { Feed } from './feed.js';
import { maybe, number, size, t } from './i18n.js';
import * as live from './live.js';
import { pages } from './pages.js';
import { action, at, choosing, code, dropzone, empty, english, facts, field, input, link, note, panel, select, tabs, tag, tick, took } from './parts.js';

const LONGEST = 200_000; // Characters of a text that are shown.
const kinds = { waiting: '', running: 'accent', success: 'good', failed: 'bad', cancelled: 'warn', refused: 'bad' };
const marks = { waiting: 'clock', running: 'again' };

export default async function conversions({ body, rest, signal }) {
  const pair = h('div', { class: 'pair' });
  const feed = new Feed({
    label: t('conversions.list'),
    load: (before, limit) => api.get('/conversions', { before, limit }, signal),
    render: (item) => entry(item, pair.dataset.chosen),
    empty: () => empty('conversions', t('conversions.empty'), h('p', null, t('conversions.empty.about'))),
  });
  const detail = h('div', { class: 'stack' });
  fill(pair, h('div', { class: 'stack' }, upload(), h('section', { class: 'panel', 'aria-label': t('conversions.list') }, feed.node)), detail);
  fill(body, pair);
  const choose = choosing({ pair, view: 'conversions', show: (id, until) => show(detail, id, until), signal });
  live.on(['task', 'reset', 'gap'], (events) => {
    if (events.some((event) => event.kind !== 'task')) feed.newest();
    else feed.take(events.map((event) => event.item).filter(Boolean));
  }, signal);
  await Promise.all([feed.newest(), choose(rest)]);
  return choose;
}

function entry(item, chosen) {
  return h('li', null, h('a', { href: `#/conversions/${encodeURIComponent(item.id)}`, 'aria-current': item.id === chosen ? 'true' : null },
    h('span', { class: 'line' }, h('strong', { class: 'grow' }, item.name || t('conversions.noname')), h('span', { class: 'tag' }, item.target)),
    h('span', { class: 'line sub' }, stateTag(item), h('span', { class: 'grow' }, item.state === 'running' ? `${number(Math.round(item.progress))} %` : ''), at(item.at)),
    item.state === 'running' && progress(item)));
}

function stateTag(item) {
  return tag(kinds[item.state] ?? '', maybe(`task.${item.state}`, item.state), marks[item.state]);
}

function progress(item) {
  return h('progress', { max: 100, value: item.progress, 'aria-label': t('conversions.progress') });
}

// upload takes documents, with the parameters of the form.
function upload() {
  const target = select('target', [['pdf', t('target.pdf')], ['txt', t('target.txt')]], 'pdf');
  const options = h('div', { class: 'fields' });
  const draw = () => fill(options, common(), target.value === 'txt' ? textOnly() : tick('show_comments', t('option.show_comments')));
  target.addEventListener('change', draw);
  draw();
  const form = h('form', { class: 'stack', onsubmit: (event) => event.preventDefault() },
    dropzone(t('conversions.drop'), t('conversions.drop.about'), async (files) => {
      let last;
      for (const file of files.slice(0, 20)) last = await api.post('/conversions', fields(form, file));
      location.hash = `#/conversions/${encodeURIComponent(last.id)}`;
    }),
    field(t('option.target'), target),
    h('details', null, h('summary', { class: 'sub' }, t('conversions.options')), options));
  return panel(t('conversions.new'), h('div', { class: 'inside' }, form));
}

function common() {
  return [
    field(t('option.password'), input('password', { type: 'text' })),
    field(t('option.from_page'), input('from_page', { inputmode: 'numeric', placeholder: '1' })),
    field(t('option.to_page'), input('to_page', { inputmode: 'numeric', placeholder: '3' })),
  ];
}

function textOnly() {
  return [field(t('option.ranges'), input('ranges', { placeholder: '1,3-5' })), tick('long_txt', t('option.long_txt')), tick('hold_line_feed', t('option.hold_line_feed'))];
}

function fields(form, file) {
  const data = new FormData();
  for (const control of form.elements) {
    if (!control.name) continue;
    if (control.type === 'checkbox') { if (control.checked) data.append(control.name, 'true'); } else if (control.value) data.append(control.name, control.value);
  }
  data.append('file', file, file.name);
  return data;
}

// show keeps the detail of one conversion up to date.
async function show(detail, id, signal) {
  if (!id) {
    fill(detail, h('div', { class: 'panel' }, empty('document', t('conversions.none'), h('p', null, t('conversions.none.about')))));
    return;
  }
  const load = () => api.exists(api.get(api.path('conversions', id), {}, signal));
  const found = await load();
  if (!found) {
    fill(detail, h('div', { class: 'panel' }, empty('document', t('app.gone'), h('p', null, t('app.gone.about')))));
    return;
  }
  const state = h('div', { class: 'stack' });
  const results = h('div', { class: 'stack' });
  fill(detail, h('a', { class: 'button quiet onlysmall', href: '#/conversions' }, icon('back'), t('app.back')), state, results);
  let shown = '';
  const draw = (item) => {
    fill(state, head(item));
    const now = JSON.stringify(item.results);
    if (item.results.length && now !== shown) fill(results, outcome(item, signal));
    shown = now;
  };
  draw(found);
  live.follow('task', (event) => event.item?.id === id, async () => {
    const now = await load();
    if (now) draw(now);
  }, signal);
}

function head(item) {
  const busy = item.state === 'waiting' || item.state === 'running';
  return h('section', { class: 'panel', 'aria-label': item.name },
    h('header', { class: 'over' }, h('h2', { class: 'grow' }, item.name || t('conversions.noname')), stateTag(item),
      busy && action('cross', t('conversions.cancel'), () => api.post(api.path('conversions', item.id, 'cancel')))),
    busy ? progress(item) : h('div', { class: 'room' }),
    h('div', { class: 'inside' },
      item.message && note(item.state === 'cancelled' ? 'warn' : 'bad', english(item.message)),
      facts([t('conversions.target'), t(`target.${item.target}`)], [t('conversions.task'), item.task_id && h('code', null, item.task_id)],
        [t('conversions.app'), h('code', null, item.app_id)], [t('conversions.source'), item.url && h('code', null, item.url)],
        [t('conversions.at'), at(item.at)], [t('conversions.took'), item.took !== undefined && took(item.took)],
        [t('conversions.request'), item.exchange && link('requests', item.exchange, t('conversions.request.go'))]),
      parameters(item)));
}

function parameters(item) {
  return h('div', { class: 'columns' },
    h('div', { class: 'stack tight' }, h('h3', null, t('conversions.sent')),
      item.sent.length ? facts(...item.sent.map(({ name, value, unknown }) => [h('code', null, name), [h('code', null, value), unknown && [' ', tag('warn', t('conversions.unknown'))]]])) : h('p', { class: 'sub' }, t('conversions.sent.none'))),
    item.understood.length > 0 && h('div', { class: 'stack tight' }, h('h3', null, t('conversions.understood')),
      facts(...item.understood.map(({ name, value, default: untold }) => [h('code', null, name), [english(value), untold && h('span', { class: 'sub' }, ' ', t('conversions.default'))]]))));
}

function outcome(item, signal) {
  const many = item.results.length > 1;
  const parts = item.results.slice(0, 100).map((result) => [
    many ? t('conversions.result.n', { n: result.n }) : t('conversions.result'),
    () => (result.type === 'pdf' ? pdf(item, result, signal) : text(item, result, signal)),
  ]);
  return panel(t('conversions.results'), h('div', { class: 'inside' }, many ? tabs(t('conversions.results'), parts) : parts[0][1]()));
}

function address(item, result) {
  return api.path('conversions', item.id, 'results', result.n);
}

function bar(item, result) {
  return h('div', { class: 'row ends' }, h('span', { class: 'sub' }, size(result.size)),
    h('a', { class: 'button quiet', href: api.address(address(item, result)), download: `${item.name}.${item.target}` }, icon('download'), t('app.download')));
}

function given() {
  return note('', t('conversions.given'));
}

function pdf(item, result, signal) {
  if (result.kept === false) return given();
  return h('div', { class: 'stack' }, bar(item, result), pages(address(item, result), item.name, signal));
}

function text(item, result, signal) {
  if (result.kept === false) return given();
  const box = h('div', { class: 'stack' }, bar(item, result), h('p', { class: 'sub' }, t('app.loading')));
  api.get(address(item, result), {}, signal).then((found) => {
    const words = typeof found === 'string' ? found : JSON.stringify(found);
    box.lastChild.replaceWith(words.trim() ? code(words.slice(0, LONGEST), t('conversions.result')) : note('', t('conversions.notext')));
    if (words.length > LONGEST) box.append(note('', t('conversions.cut', { n: LONGEST })));
  }, (err) => { if (!signal.aborted) box.lastChild.replaceWith(note('bad', english(err.message))); });
  return box;
}
