// The robots of the group, and their settings.

import * as api from './api.js';
import { fill, h, icon } from './dom.js';
import { current, t } from './i18n.js';
import { action, code, empty, field, fold, input, note, panel, toast, trying, english } from './parts.js';

// robots shows one robot at a time. draw is called when they change.
export function robots(list, wanted) {
  const box = h('div', { class: 'inside' });
  const choice = h('select', { 'aria-label': t('robot.choose') });
  const node = panel(t('robot.title'), box);
  node.querySelector('header').append(h('div', { class: 'row' }, choice, action('plus', t('robot.add'), async () => {
    const made = await api.post('/chat/robots', { name: t('robot.new', { n: choice.options.length + 1 }) });
    chosen = made.id;
  })));
  let known = list;
  let chosen = list.some((robot) => robot.id === wanted) ? wanted : list[0]?.id;
  let shown = '';
  choice.addEventListener('change', () => { chosen = choice.value; draw(known); });
  const draw = (now) => {
    known = now;
    if (!now.some((robot) => robot.id === chosen)) chosen = now[0]?.id;
    fill(choice, now.map((robot) => h('option', { value: robot.id }, robot.name)));
    choice.value = chosen ?? '';
    choice.hidden = now.length < 2;
    const robot = now.find((item) => item.id === chosen);
    const state = JSON.stringify(robot ?? null);
    if (state === shown) return;
    shown = state;
    const open = box.querySelector('details')?.open ?? false;
    fill(box, robot ? settings(robot, open) : empty('chat', t('robot.none'), h('p', null, t('robot.none.about'))));
  };
  draw(list);
  return { node, draw };
}

function settings(robot, open) {
  const more = fold(t('robot.settings'), form(robot));
  more.open = open;
  more.classList.add('boxed');
  return [
    h('p', { class: 'sub' }, summary(robot)),
    code(robot.curl, t('overview.curl')),
    callback(robot),
    more,
  ];
}

function summary(robot) {
  const words = [robot.keywords.length ? t('robot.is.keywords', { words: robot.keywords.join(', ') }) : t('robot.is.nokeywords'),
    robot.allow_list.length ? t('robot.is.allow', { words: robot.allow_list.join(', ') }) : t('robot.is.noallow'),
    robot.signing_secret ? t('robot.is.signed') : t('robot.is.unsigned'), t('robot.is.limit', { n: robot.per_minute })];
  return words.join(current() === 'en' ? ' ' : '');
}

function callback(robot) {
  const url = input('url', { type: 'url', class: 'mono', value: robot.callback_url, placeholder: 'http://127.0.0.1:8080/robot', required: true });
  const outcome = h('div', { role: 'status' });
  const save = async () => {
    const found = await api.put(api.path('chat', 'robots', robot.id, 'callback'), { url: url.value.trim() });
    if (found.ok) toast('good', t('robot.callback.ok'));
    fill(outcome, !found.ok && note('bad', h('strong', null, t('robot.callback.failed')), english(found.text)));
  };
  return h('form', { class: 'stack tight', onsubmit: trying(save) },
    field(t('robot.callback'), url, robot.callback_url ? t('robot.callback.set') : t('robot.callback.about')),
    h('div', { class: 'row' }, h('button', { type: 'submit' }, icon('check'), t('robot.callback.save')),
      robot.callback_url && action('bin', t('robot.callback.remove'), () => api.del(api.path('chat', 'robots', robot.id, 'callback')), 'quiet')), outcome);
}

function form(robot) {
  const name = input('name', { value: robot.name, maxlength: '100' });
  const keywords = h('textarea', { rows: '2', value: robot.keywords.join('\n'), spellcheck: 'false' });
  const allow = h('textarea', { rows: '2', class: 'mono', value: robot.allow_list.join('\n'), spellcheck: 'false', placeholder: '10.1.*.*' });
  const secret = input('secret', { class: 'mono', value: robot.signing_secret });
  const limit = input('limit', { type: 'number', min: '0', max: '100000', value: robot.per_minute });
  const lines = (area) => area.value.split(/[\n,]/).map((line) => line.trim()).filter(Boolean);
  const save = async () => {
    await api.put(api.path('chat', 'robots', robot.id), {
      name: name.value, keywords: lines(keywords), allow_list: lines(allow), signing_secret: secret.value, per_minute: Number(limit.value) || 0,
    });
    toast('good', t('robot.saved'));
  };
  return h('form', { class: 'stack', onsubmit: trying(save) },
    field(t('robot.name'), name), field(t('robot.keywords'), keywords, t('robot.keywords.about')), field(t('robot.allow'), allow, t('robot.allow.about')),
    field(t('robot.secret'), secret, t('robot.secret.about')), field(t('robot.limit'), limit, t('robot.limit.about')),
    h('div', { class: 'row ends' }, h('button', { type: 'submit', class: 'primary' }, t('robot.save')),
      action('bin', t('robot.remove'), () => api.del(api.path('chat', 'robots', robot.id)), 'quiet')));
}
