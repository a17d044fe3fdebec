// What holds for the whole program, below the views: how far its clock is ahead, and how
// many faults are on.

import * as api from './api.js';
import { fill, h, icon } from './dom.js';
import { span, t } from './i18n.js';
import * as live from './live.js';

const node = document.getElementById('clock');
let ahead = '';
let active = 0;

export function start() {
  const always = new AbortController().signal;
  live.on(['time', 'fault', 'reset', 'gap'], load, always);
  load();
}

async function load() {
  try {
    const [time, faults] = await Promise.all([api.get('/time'), api.get('/faults')]);
    ahead = /^0s?$/.test(time.offset) ? '' : time.offset;
    active = faults.areas.filter((area) => area.active).length;
    draw();
  } catch {
    // The state of the stream says that the program is not there.
  }
}

export function draw() {
  fill(node,
    ahead && h('a', { href: '#/faults' }, icon('clock'), t('app.ahead', { by: span(ahead) })),
    active > 0 && h('a', { href: '#/faults' }, icon('faults'), t('faults.active', { n: active })));
}
