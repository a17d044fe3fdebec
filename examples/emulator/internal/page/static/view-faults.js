// What can go wrong, on switches, and the clock.

import * as api from './api.js';
import { fill, h, icon } from './dom.js';
import { dateTime, maybe, span, t } from './i18n.js';
import * as live from './live.js';
import { soon } from './live.js';
import { action, facts, field, input, note, panel, tag, tick, toast, trying } from './parts.js';

const steps = ['1m', '31m', '2h'];

export default async function faults({ body, signal }) {
  const areas = h('div', { class: 'columns' });
  const clock = h('div', { class: 'inside' });
  const cards = new Map();
  const draw = async () => {
    const found = await api.get('/faults', {}, signal);
    for (const item of found.areas) {
      const state = JSON.stringify(item.active ?? null);
      const card = cards.get(item.area);
      if (card?.state === state) {
        card.node.querySelector('.hits')?.replaceChildren(hits(item));
        continue;
      }
      const node = area(item, draw);
      if (card) card.node.replaceWith(node);
      else timePanel.before(node);
      cards.set(item.area, { node, state });
    }
  };
  const drawClock = async () => fill(clock, time(await api.get('/time', {}, signal), drawClock));
  const timePanel = panel(t('time.title'), clock);
  timePanel.classList.add('tall');
  areas.append(timePanel, panel(t('reset.title'), h('div', { class: 'inside' }, reset())));
  fill(body, areas);
  live.on(['fault', 'reset', 'gap'], () => { draw().catch(() => {}); }, signal);
  live.on(['exchange'], soon(draw, signal), signal);
  live.on(['time', 'reset', 'gap'], () => { drawClock().catch(() => {}); }, signal);
  await Promise.all([draw(), drawClock()]);
}

function hits(item) {
  return document.createTextNode(t('faults.hits', { n: item.hits ?? 0 }));
}

function area(item, draw) {
  const { active } = item;
  const path = api.path('faults', item.area);
  const node = panel(t(`area.${item.area}`));
  node.classList.toggle('active', Boolean(active));
  node.querySelector('header').append(active ? tag('warn', t('faults.on'), 'faults') : tag('', t('faults.off')));
  node.append(h('div', { class: 'inside' }, active ? running(item, active, path, draw) : form(item, path, draw)));
  return node;
}

function running(item, active, path, draw) {
  return [
    h('p', null, h('strong', null, t(`fault.${active.kind}`)), ' ', h('span', { class: 'sub' }, t(`fault.${active.kind}.about`))),
    facts([t('faults.ops'), active.on?.length > 0 && active.on.map((name) => maybe(`operation.${name}`, name)).join(', ')],
      [t('faults.delay'), active.delay && h('code', null, active.delay)], [t('faults.code'), active.code && h('code', null, active.code)],
      [t('faults.left'), active.left !== undefined && String(active.left)]),
    h('p', { class: 'sub hits', 'aria-live': 'off' }, hits(item)),
    h('div', null, action('check', t('faults.heal'), async () => { await api.del(path); await draw(); }, 'primary')),
  ];
}

function form(item, path, draw) {
  const about = h('p', { class: 'sub' });
  const more = h('div', { class: 'stack' });
  const name = `kind-${item.area}`;
  const choice = h('div', { class: 'choices', role: 'radiogroup', 'aria-label': t('faults.choose', { area: t(`area.${item.area}`) }) },
    item.offers.map((offer, i) => h('label', { class: 'choice', title: t(`fault.${offer.kind}.about`) },
      h('input', { type: 'radio', name, value: offer.kind, checked: i === 0 }), h('span', null, t(`fault.${offer.kind}`)))));
  const chosen = () => item.offers.find((offer) => offer.kind === choice.querySelector(':checked').value);
  const times = input('times', { type: 'number', min: '0', placeholder: t('faults.always') });
  let delay = null;
  let code = null;
  let ops = [];
  const details = () => {
    const offer = chosen();
    delay = offer.delay ? input('delay', { class: 'mono', placeholder: offer.delay }) : null;
    code = offer.kind === 'refused' && item.area === 'conversion' ? input('code', { type: 'number', class: 'mono', placeholder: '30004' }) : null;
    const counted = offer.kind !== 'wrong_clock'; // A clock is that of the whole area.
    ops = counted && (offer.on ?? []).length > 1 ? offer.on.map((op) => [op, tick(op, maybe(`operation.${op}`, op), true)]) : [];
    about.textContent = t(`fault.${offer.kind}.about`);
    fill(more, h('div', { class: 'fields' }, delay && field(t('faults.delay'), delay), code && field(t('faults.code'), code), counted && field(t('faults.times'), times)),
      ops.length > 0 && h('fieldset', { class: 'plain' }, h('legend', { class: 'label' }, t('faults.ops')), h('div', { class: 'row' }, ops.map(([, box]) => box))));
  };
  choice.addEventListener('change', details);
  details();
  return h('form', { class: 'stack', onsubmit: trying(async () => {
    const setting = { kind: chosen().kind };
    const on = ops.filter(([, box]) => box.querySelector('input').checked).map(([op]) => op);
    if (ops.length && on.length < ops.length) setting.on = on;
    if (times.isConnected && times.value) setting.times = Number(times.value);
    if (delay?.value) setting.delay = delay.value.trim();
    if (code?.value) setting.code = Number(code.value);
    await api.put(path, setting);
    await draw();
  }) }, choice, about, h('details', null, h('summary', { class: 'sub' }, t('faults.more')), more),
  h('div', null, h('button', null, icon('faults'), t('faults.switch'))));
}

function time(found, draw) {
  const by = input('by', { class: 'mono', required: true, placeholder: '90m' });
  const dates = tick('dates', t('time.dates'));
  const go = async (amount) => {
    await api.post('/time/advance', { by: amount, dates: dates.querySelector('input').checked });
    await draw();
  };
  const offset = (text) => (text && !/^0s?$/.test(text) ? h('code', null, `+${span(text)}`) : t('time.same'));
  return [
    h('p', { class: 'sub' }, t('time.about')),
    facts([t('time.now'), dateTime(found.now)], [t('time.ahead'), offset(found.offset)], [t('time.dateahead'), offset(found.dates_offset)]),
    h('div', { class: 'row' }, steps.map((amount) => action('clock', `+${amount}`, () => go(amount)))),
    h('form', { class: 'row', onsubmit: trying(() => go(by.value.trim())) }, h('div', { class: 'grow' }, field(t('time.by'), by, t('time.by.about'))), h('button', null, t('time.go'))),
    dates, h('p', { class: 'hint' }, t('time.dates.about')),
  ];
}

// reset asks once more, in place: what it does cannot be undone.
function reset() {
  const box = h('div', { class: 'row' });
  const ask = () => fill(box, h('button', { type: 'button', onclick: sure }, icon('bin'), t('reset.go')));
  const sure = () => {
    fill(box, action('bin', t('reset.sure'), async () => {
      await api.post('/reset');
      toast('good', t('reset.done'));
      ask();
    }, 'danger'), h('button', { type: 'button', class: 'quiet', onclick: ask }, t('reset.no')));
    box.firstElementChild.focus();
  };
  ask();
  return [h('p', { class: 'sub' }, t('reset.about')), box, note('', t('reset.machine'), h('code', null, 'curl -X POST …/_emulator/reset'))];
}
