// The toolbar: what is shown, and how.
import { h } from './dom.js';
import { threadTotals } from './weigh.js';
import { number, percent } from './units.js';

function select(label, onchange) {
  const e = h('select', { 'aria-label': label, onchange: () => onchange(e.value) });
  return e;
}

function options(e, list, chosen) {
  e.replaceChildren(...list.map(([value, text]) => h('option', { value, selected: String(value) === String(chosen) }, text)));
  e.hidden = list.length < 2;
}

export class Toolbar {
  // set(changes) changes the state; do(name) does what a key does.
  constructor(data, set, act) {
    this.data = data;
    const { header } = data;
    this.kind = select('Type of profile', (type) => set({ type, value: '' }));
    this.value = select('Value', (value) => set({ value }));
    this.thread = select('Thread', (thread) => set({ thread }));
    this.widths = DIFFERENCE ? select('Widths', (widths) => set({ widths })) : null;
    this.scale = DIFFERENCE ? select('Scale of the difference', (scale) => set({ scale })) : null;
    this.colors = select('Colors', (colour) => set({ colour }));
    this.shown = '';
    this.search = h('input', { type: 'search', className: 'search', placeholder: 'Search   /', 'aria-label': 'Search frames by a regular expression', oninput: () => set({ search: this.search.value }) });
    this.found = h('output', { className: 'found' });
    const button = (name, text, title) => h('button', { title, 'aria-label': title, onclick: () => act(name) }, text);
    this.buttons = {
      reversed: button('reversed', 'Invert', 'Innermost frames first, merged by callee (R)'),
      flame: button('flame', 'Flames', 'Root at the bottom or at the top (I)'),
      methods: button('methods', 'Methods', 'Table of methods (M)'),
    };
    const start = header.start ? new Date(header.start).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }) : '';
    const length = header.start && header.end > header.start ? number((header.end - header.start) * 1e6, 'nanoseconds') : '';
    const about = DIFFERENCE && header.sets === 2 ? 'compared with ' + (header.base || 'another profile') : header.about || [start, length].filter(Boolean).join(' · ');
    this.element = h('header', {},
      h('div', { className: 'title' }, h('h1', { title: header.title }, header.title || 'Profile'), h('span', { className: 'dim' }, about), (header.warnings || []).map((line) => h('span', { className: 'warning', title: line }, '⚠ ' + line))),
      h('div', { className: 'tools' },
        h('div', { className: 'group' }, this.kind, this.value, this.thread, this.widths, this.scale),
        h('div', { className: 'group wide' }, this.search, button('previous', '‹', 'Previous match (N)'), button('next', '›', 'Next match (n)'), this.found),
        h('div', { className: 'group' }, Object.values(this.buttons), this.colors, button('theme', '◐', 'Light or dark (L)'), button('help', '?', 'Help (?)'))));
  }

  // show shows a state, with the numbers of the kind and the value.
  show(state, kind, value, diff) {
    const { header } = this.data;
    for (const [name, b] of Object.entries(this.buttons)) b.setAttribute('aria-pressed', String(Boolean(state[name])));
    if (this.search.value !== state.search) this.search.value = state.search;
    const shown = JSON.stringify([kind, value, state.thread, state.widths, state.scale, state.colour, diff]);
    if (shown === this.shown) return; // making the lists again takes time
    this.shown = shown;
    const { values } = header.kinds[kind];
    options(this.kind, header.kinds.map((k) => [k.name, k.title]), header.kinds[kind].name);
    options(this.value, values.map((v) => [v.name, v.name]), values[value].name);
    const totals = threadTotals(this.data, kind, value);
    const sum = totals.reduce((n, t) => n + t[1], 0);
    options(this.thread, [['', `All threads (${totals.length})`]].concat(totals.map(([i, n]) => [i, `${percent(n, sum)}  ${threadName(header.threads[i])}`])), state.thread);
    if (DIFFERENCE) {
      options(this.widths, diff ? [['', 'Widths: both'], ['now', 'Widths: now'], ['before', 'Widths: before']] : [], state.widths);
      options(this.scale, diff ? [['', 'Absolute'], ['normal', 'Normalized']] : [], state.scale);
    }
    options(this.colors, [DIFFERENCE && diff ? ['change', 'Color: change'] : null, ['kind', 'Color: kind'], ['package', 'Color: package']].filter(Boolean), state.colour);
  }
}

export function threadName({ name, id }) {
  if (name === '' && id === 0) return '(no thread)';
  return id ? `${name} (${id})` : name;
}
