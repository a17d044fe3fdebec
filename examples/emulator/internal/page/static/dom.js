// Building the page. Every value becomes text or an attribute, never markup, so that
// nothing which a message, a name or a document holds is executed.

const SVG = 'http://www.w3.org/2000/svg';

// h makes an element: h('a', {href, class: 'x', onclick: f}, 'text', child, [more]).
// Children that are null, undefined or false are left out.
export function h(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) set(node, name, value);
  append(node, children);
  return node;
}

function set(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
  else if (name === 'value') node.value = value;
  else if (name === 'data') Object.assign(node.dataset, value);
  else node.setAttribute(name, value === true ? '' : value);
}

export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

// fill replaces what is in node.
export function fill(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `/static/icons.svg#${name}`);
  svg.append(use);
  return svg;
}

let ids = 0;

// id returns one that nothing else on the page has.
export function id(prefix = 'i') {
  ids += 1;
  return `${prefix}-${ids}`;
}

// sync brings the children of list into the order of items and makes only what is new or
// changed, so that nothing else loses its focus, its selection or its place.
export function sync(list, items, keyOf, render) {
  const old = new Map([...list.children].map((node) => [node.dataset.key, node]));
  let before = list.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    const state = JSON.stringify(item);
    let node = old.get(key);
    old.delete(key);
    if (!node || node.state !== state) {
      const made = render(item);
      made.dataset.key = key;
      made.state = state;
      if (node) {
        keep(node, made);
        if (before === node) before = made;
        node.replaceWith(made);
      }
      node = made;
    }
    if (node === before) before = before.nextElementSibling;
    else list.insertBefore(node, before);
  }
  for (const node of old.values()) node.remove();
}

// keep carries over which parts are open, and puts the focus where it was.
function keep(from, to) {
  const open = [...from.querySelectorAll('details')];
  [...to.querySelectorAll('details')].forEach((node, i) => {
    if (open[i]) node.open = open[i].open;
  });
  if (!from.contains(document.activeElement)) return;
  const all = [...from.querySelectorAll('a, button, input, select, textarea, summary')];
  const at = all.indexOf(document.activeElement);
  queueMicrotask(() => to.querySelectorAll('a, button, input, select, textarea, summary')[at]?.focus());
}
