// The texts of the page, in English and Chinese. Which language: the switch, else what the
// browser asked for (the lang attribute as the server wrote it).

let catalog = {};
let language = 'en';

export const languages = ['en', 'zh-CN'];

export function current() {
  return language;
}

export async function load(lang) {
  const wanted = languages.includes(lang) ? lang : 'en';
  const answer = await fetch(`/static/catalog/${wanted}.json`);
  catalog = await answer.json();
  language = wanted;
  document.documentElement.lang = wanted;
}

// t returns the text of key. {name} stands for a value; a value n chooses between
// key.one and key.other where the catalog has them.
export function t(key, values = {}) {
  let text = catalog[key];
  if (text === undefined && 'n' in values) {
    const form = new Intl.PluralRules(language).select(values.n);
    text = catalog[`${key}.${form}`] ?? catalog[`${key}.other`];
  }
  if (text === undefined) return key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    if (!(name in values)) return whole;
    const value = values[name];
    return typeof value === 'number' ? number(value) : String(value);
  });
}

// maybe returns the text of key, or other where the catalog has none: for codes that come
// from the service, which may know more of them than the page.
export function maybe(key, other, values) {
  return key in catalog ? t(key, values) : other;
}

export function number(n) {
  return new Intl.NumberFormat(language).format(n);
}

export function size(bytes) {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  let n = bytes;
  let i = 0;
  while (n >= 1000 && i < units.length - 1) {
    n /= 1000;
    i += 1;
  }
  const options = { style: 'unit', unit: units[i], unitDisplay: i ? 'short' : 'long', maximumFractionDigits: n < 10 && i ? 1 : 0 };
  return new Intl.NumberFormat(language, options).format(n);
}

export function time(at) {
  return new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }).format(new Date(at));
}

export function dateTime(at) {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }).format(new Date(at));
}

// span writes a duration of Go, "31m0s", without its zeros.
export function span(text) {
  return text.replace(/m0s$/, 'm').replace(/h0m$/, 'h');
}

// duration writes seconds as 1:59:59, which reads the same in both languages.
export function duration(seconds) {
  const s = Math.max(0, Math.round(seconds));
  const two = (n) => String(n).padStart(2, '0');
  const hours = Math.floor(s / 3600);
  const rest = `${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
  return hours ? `${hours}:${rest}` : rest;
}
