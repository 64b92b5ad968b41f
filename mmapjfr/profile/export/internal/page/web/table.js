// The table of methods, with callers and callees of the one that was chosen.
import { h } from './dom.js';
import { split } from './names.js';
import { methodRows, neighbours } from './methods.js';
import { change, number, percent, signed } from './units.js';

const page = 150; // rows that are shown at once

export class MethodTable {
  // choose is called with a name that was clicked.
  constructor(choose) {
    this.choose = choose;
    this.chosen = -1;
    this.by = 'self';
    this.filter = h('input', { type: 'search', placeholder: 'Filter methods', 'aria-label': 'Filter methods', oninput: () => { this.shown = page; this.fill(); } });
    this.body = h('tbody');
    this.head = h('tr');
    this.detail = h('div', { className: 'detail' });
    this.more = h('button', { className: 'more-rows', onclick: () => { this.shown += 4 * page; this.fill(); } });
    this.element = h('section', { className: DIFFERENCE ? 'methods difference' : 'methods', 'aria-label': 'Methods' },
      h('div', { className: 'methods-top' }, this.filter),
      h('div', { className: 'methods-list' }, h('table', {}, h('thead', {}, this.head), this.body), this.more),
      this.detail);
    this.shown = page;
  }

  // show shows another tree: a CallTree.
  show(tree, unit) {
    const other = DIFFERENCE && Boolean(this.tree?.old) !== Boolean(tree.old);
    this.tree = tree;
    this.unit = unit;
    this.shown = page;
    this.rows = methodRows(tree);
    if (other) this.by = tree.old ? 'selfChange' : 'self';
    this.sort();
  }

  sort() {
    const { names } = this.tree.nodes;
    const { by } = this;
    const value = by === 'name' ? () => 0 : (r) => Math.abs(r[by]);
    this.rows.sort((a, b) => value(b) - value(a) || (by === 'name' ? 0 : b.total - a.total) || (names[a.name] < names[b.name] ? -1 : 1));
    const columns = DIFFERENCE && this.tree.old
      ? [['self', 'Self'], ['selfChange', 'Change'], ['total', 'Total'], ['totalChange', 'Change'], ['name', 'Method']]
      : [['self', 'Self'], ['total', 'Total'], ['name', 'Method']];
    this.head.replaceChildren(...columns.map(([key, text]) => h('th', { scope: 'col', 'aria-sort': key === by ? (key === 'name' ? 'ascending' : 'descending') : 'none' },
      h('button', { onclick: () => { this.by = key; this.sort(); } }, text, key === by ? (key === 'name' ? ' ▲' : ' ▼') : ''))));
    this.fill();
  }

  fill() {
    const { names } = this.tree.nodes;
    const text = this.filter.value.toLowerCase();
    const rows = text ? this.rows.filter((r) => names[r.name].toLowerCase().includes(text)) : this.rows;
    this.body.replaceChildren(...rows.slice(0, this.shown).map((r) => this.row(r)));
    this.more.hidden = rows.length <= this.shown;
    this.more.textContent = `${(rows.length - this.shown).toLocaleString('en')} more`;
    this.showDetail();
  }

  row(r) {
    const cells = [this.bar(r.self), this.change(r.self, r.selfChange), this.bar(r.total), this.change(r.total, r.totalChange), this.nameCell(r.name)];
    return h('tr', { className: r.name === this.chosen ? 'chosen' : '' }, cells);
  }

  change(now, by) { return DIFFERENCE && this.tree.old ? changeCell(now, by, this.unit) : null; }

  bar(n) {
    const whole = this.tree.now[0];
    const cell = h('td', { className: 'bar', title: percent(n, whole) }, n ? number(n, this.unit) : h('span', { className: 'dim' }, '–'));
    cell.style.setProperty('--share', (100 * n) / (whole || 1) + '%');
    return cell;
  }

  nameCell(name) {
    if (name < 0) return h('td', { className: 'name dim' }, 'none (outermost frame)');
    const text = this.tree.nodes.names[name];
    const [pack, rest] = split(text, this.tree.nodes.kindOfName[name]);
    return h('td', { className: 'name' }, h('button', { title: text, 'aria-pressed': String(name === this.chosen), onclick: () => this.choose(name) }, rest, h('span', { className: 'dim' }, pack ? ' ' + pack.slice(0, -1) : '')));
  }

  // mark makes a name the chosen one; -1 for none.
  mark(name) {
    if (name === this.chosen) return;
    this.chosen = name;
    this.fill();
  }

  showDetail() {
    this.detail.hidden = this.chosen < 0;
    if (this.chosen < 0) return;
    const { callers, callees } = neighbours(this.tree, this.chosen);
    const list = (title, rows) => [h('h3', {}, title), rows.length
      ? h('table', { 'aria-label': title }, h('tbody', {}, rows.slice(0, 40).map((r) => h('tr', {}, this.bar(r.total), this.change(r.total, r.totalChange), this.nameCell(r.name)))))
      : h('p', { className: 'dim' }, 'none')];
    const [, rest] = split(this.tree.nodes.names[this.chosen], this.tree.nodes.kindOfName[this.chosen]);
    this.detail.replaceChildren(h('h2', {}, rest, h('button', { className: 'close', title: 'Close', 'aria-label': 'Close', onclick: () => this.choose(-1) }, '×')), ...list('Callers', callers), ...list('Callees', callees));
  }
}

function changeCell(now, by, unit) {
  return h('td', { className: by > 0 ? 'more' : by < 0 ? 'less' : 'dim', title: change(now, now - by) }, by ? signed(by, unit) : '–');
}
