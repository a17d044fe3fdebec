// The stream of events. Views listen for the kinds they show, and are given what happened
// in batches, so that ten thousand messages do not draw the page ten thousand times.

import { t } from './i18n.js';

const PAUSE = 60; // Milliseconds in which events gather.
const RETRY = 2000; // Before a stream that ended for good is opened again.

const listeners = new Set();
let queue = [];
let timer = 0;
let last = '';
let state = 'connecting';
let source = null;

// on calls back with arrays of events of the kinds until signal aborts. Kind "gap" says
// that events were lost: what is shown has to be loaded again.
export function on(kinds, callback, signal) {
  const listener = { kinds: new Set(kinds), callback };
  listeners.add(listener);
  signal.addEventListener('abort', () => listeners.delete(listener));
}

// follow calls load now, and again after an event of the kind that is mine, or a gap. It
// listens before it loads, so nothing is missed, and loads once at a time, so that an older
// answer never comes last.
export function follow(kind, mine, load, signal) {
  let due = false;
  let running = false;
  const run = async () => {
    due = true;
    if (running) return;
    running = true;
    while (due && !signal.aborted) {
      due = false;
      await load().catch(() => {}); // The next event tries again.
    }
    running = false;
  };
  on([kind, 'gap'], (events) => { if (events.some((event) => event.kind === 'gap' || mine(event))) run(); }, signal);
  run();
}

export function start() {
  document.addEventListener('visibilitychange', () => (document.hidden ? rest() : open()));
  open();
}

// rest ends the stream while nobody looks: a browser has only six connections for all
// pages of the program.
function rest() {
  source?.close();
  source = null;
  if (!last) last = 'none';
}

function open() {
  if (source) return;
  if (last === 'none') {
    // What happened meanwhile is not known.
    last = '';
    queue.push({ kind: 'gap' });
    timer ||= setTimeout(deliver, PAUSE);
  }
  const stream = new EventSource(last ? `/_emulator/events?since=${last}` : '/_emulator/events');
  source = stream;
  stream.onopen = () => become('open');
  stream.onmessage = (message) => {
    last = message.lastEventId || last;
    queue.push(JSON.parse(message.data));
    timer ||= setTimeout(deliver, PAUSE);
  };
  stream.onerror = () => {
    become('lost');
    if (stream.readyState !== EventSource.CLOSED) return; // The browser tries again.
    source = null;
    setTimeout(() => { if (!document.hidden) open(); }, RETRY);
  };
}

function deliver() {
  const events = queue;
  queue = [];
  timer = 0;
  for (const { kinds, callback } of [...listeners]) {
    const wanted = events.filter((event) => kinds.has(event.kind));
    if (wanted.length) callback(wanted);
  }
}

// soon runs work at most once a second, and once more after the last call.
export function soon(work, signal) {
  let timer = 0;
  signal.addEventListener('abort', () => clearTimeout(timer));
  return () => {
    timer ||= setTimeout(() => {
      timer = 0;
      work().catch(() => {}); // The next event tries again.
    }, 1000);
  };
}

function become(next) {
  if (state !== next) {
    state = next;
    report();
  }
}

// report writes the state into the shell.
export function report() {
  const node = document.getElementById('live');
  node.dataset.t = `app.${state}`;
  node.dataset.state = state;
  node.textContent = t(`app.${state}`);
  node.classList.toggle('lost', state === 'lost');
}
