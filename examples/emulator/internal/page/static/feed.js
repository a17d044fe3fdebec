// A list that may be endless. The page keeps a window of it: new items come in at one end,
// "load older" at the other, and what is far away leaves the document.

import { h, icon } from './dom.js';
import { t } from './i18n.js';

const PAGE = 50; // Items of one request.
const WINDOW = 200; // Items in the document.

export class Feed {
  // load(before, limit) gives a page, newest first, as the API does. render makes the
  // element of an item. upwards puts the newest last, as a chat does.
  constructor({ load, render, label, empty, upwards = false, onchange = () => {} }) {
    Object.assign(this, { load, render, empty, upwards, onchange });
    this.items = []; // Newest first.
    this.next = null;
    this.missed = 0;
    this.atNewest = true;
    this.list = h('ul', { class: upwards ? 'feed' : 'list', 'aria-label': label });
    this.olderButton = h('button', { type: 'button', class: 'quiet older', hidden: true, onclick: () => this.older() }, t('feed.older'));
    this.newestButton = h('button', { type: 'button', class: 'newest', hidden: true, onclick: () => this.newest() });
    this.nothing = h('div', { hidden: true });
    this.box = h('div', { class: 'scroll', tabindex: '-1' },
      upwards ? [this.olderButton, this.nothing, this.list] : [this.nothing, this.list, this.olderButton]);
    this.node = h('div', { class: 'feedbox' }, this.box, this.newestButton);
  }

  async newest() {
    const page = await this.load(undefined, PAGE);
    this.items = page.items;
    this.next = page.next ?? null;
    this.missed = 0;
    this.atNewest = true;
    this.draw();
    this.toNewest();
  }

  async older() {
    if (!this.next) return;
    this.olderButton.disabled = true;
    try {
      const page = await this.load(this.next, PAGE);
      const known = new Set(this.items.map((item) => item.id));
      this.items.push(...page.items.filter((item) => !known.has(item.id)));
      this.next = page.next ?? null;
      if (this.items.length > WINDOW) {
        this.items = this.items.slice(-WINDOW);
        this.atNewest = false;
      }
      this.hold(() => this.draw());
    } finally {
      this.olderButton.disabled = false;
    }
  }

  // take shows items that are new, or that changed. accept says whether a new one belongs
  // into the list.
  take(items, accept = () => true) {
    const follow = this.follows();
    const places = new Map(this.items.map((item, i) => [item.id, i]));
    const fresh = new Map();
    for (const item of items) {
      if (places.has(item.id)) this.items[places.get(item.id)] = item;
      else if (fresh.has(item.id) || accept(item)) fresh.set(item.id, item);
    }
    if (this.atNewest && fresh.size) {
      this.items.unshift(...[...fresh.values()].slice(-WINDOW).reverse());
      if (this.items.length > WINDOW) {
        this.items.length = WINDOW;
        this.next = this.items.at(-1).id;
      }
    }
    if (!this.atNewest || !follow) this.missed += fresh.size;
    if (follow) this.draw();
    else this.hold(() => this.draw());
    if (follow) this.toNewest();
  }

  find(id) {
    return this.items.find((item) => item.id === id);
  }

  draw() {
    const items = this.upwards ? this.items.toReversed() : this.items;
    this.sync(items);
    this.olderButton.hidden = !this.next;
    this.nothing.hidden = items.length > 0;
    if (items.length === 0 && this.empty) this.nothing.replaceChildren(this.empty());
    this.sayMissed();
    this.onchange(this.items);
  }

  sync(items) {
    const old = new Map([...this.list.children].map((node) => [node.dataset.key, node]));
    let before = this.list.firstElementChild;
    for (const item of items) {
      let node = old.get(item.id);
      old.delete(item.id);
      if (node && node.item !== item) {
        const made = this.make(item);
        if (before === node) before = made;
        node.replaceWith(made);
        node = made;
      }
      node ??= this.make(item);
      if (node === before) before = before.nextElementSibling;
      else this.list.insertBefore(node, before);
    }
    for (const node of old.values()) node.remove();
  }

  make(item) {
    const node = this.render(item);
    node.dataset.key = item.id;
    node.item = item;
    return node;
  }

  sayMissed() {
    this.newestButton.hidden = this.missed === 0 && this.atNewest;
    const text = this.missed ? t('feed.missed', { n: this.missed }) : t('feed.newest');
    this.newestButton.replaceChildren(icon('down'), text);
    this.newestButton.classList.toggle('up', !this.upwards);
  }

  // follows reports whether the reader is at the newest item.
  follows() {
    if (!this.atNewest) return false;
    const { scrollTop, scrollHeight, clientHeight } = this.box;
    return this.upwards ? scrollHeight - scrollTop - clientHeight < 80 : scrollTop < 40;
  }

  toNewest() {
    this.missed = 0;
    this.sayMissed();
    this.box.scrollTop = this.upwards ? this.box.scrollHeight : 0;
  }

  // hold draws without moving what is being read.
  hold(draw) {
    const box = this.box.getBoundingClientRect();
    const anchor = [...this.list.children].find((node) => node.getBoundingClientRect().bottom > box.top);
    const top = anchor?.getBoundingClientRect().top;
    const key = anchor?.dataset.key;
    draw();
    const after = [...this.list.children].find((node) => node.dataset.key === key);
    if (after) this.box.scrollTop += after.getBoundingClientRect().top - top;
  }
}
