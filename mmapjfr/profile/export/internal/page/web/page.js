// The page: puts the components together. The state is what the address has. DIFFERENCE is a constant
// of the build: pages of one profile have no code for two.
import { allThreads, sumUp, threadTotals, valuesBelow, weigh } from './weigh.js';
import { CallTree } from './calltree.js';
import { ReversedTree } from './reversed.js';
import { find, matchTotal, outermost, pattern, quote } from './search.js';
import { Palette } from './colors.js';
import { Chart } from './chart.js';
import { point } from './pointer.js';
import { keyNames, keys } from './keys.js';
import { Tooltip } from './tooltip.js';
import { MethodTable } from './table.js';
import { Legend } from './legend.js';
import { Toolbar, threadName } from './toolbar.js';
import { help, helpKeys } from './help.js';
import { h } from './dom.js';
import { kinds, split } from './names.js';
import { change, number, percent } from './units.js';
import { readState, writeState } from './state.js';

export class Page {
  constructor(data) {
    this.all = this.data = data; // a page may show a part
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.toolbar = new Toolbar(data, (changes) => this.set(changes), (name) => this.act(name));
    this.tooltip = new Tooltip();
    this.table = new MethodTable((name) => this.chooseMethod(name));
    this.help = help(data.header, data.nodes, this.helpKeys());
    this.legend = new Legend(data.nodes);
    this.status = h('div', { className: 'status' });
    this.crumb = h('button', { className: 'crumb', title: 'Zoom out (0)', onclick: () => this.act('reset') });
    this.hint = h('span', { className: 'dim' }, 'Click a frame to zoom; ? shows all keys');
    this.live = h('div', { className: 'live', 'aria-live': 'polite' });
    const box = h('div', { className: 'chart' },
      h('div', { className: 'scroller', tabIndex: 0, role: 'application', 'aria-label': 'Flame graph. Arrow keys select frames. The table of methods has the numbers as text.' }, h('div', { className: 'spacer' })),
      h('canvas', { 'aria-hidden': 'true' }));
    document.body.replaceChildren(this.toolbar.element, h('main', {}, h('div', { className: 'graph' }, h('div', { className: 'crumbs' }, this.crumb, this.hint), box), this.table.element), h('footer', {}, this.status, this.legend.element), this.tooltip.element, this.live, this.help);
    this.chart = new Chart(box, { label: (i) => this.label(i), zoom: (i) => this.zoomed(i, false) });
    point(this.chart, { hover: (i, e) => this.hover(i, e), click: (i) => this.zoomTo(i) });
    this.methods = innerWidth > 1150 ? '1' : '0'; // unless the address says otherwise
  }

  // open shows the state of the address.
  open() {
    keys(this, this.keyNames());
    this.state = this.defaults();
    this.load();
    addEventListener('popstate', () => this.load());
    this.dark.addEventListener('change', () => this.showColors());
  }

  // defaults is the state of an address that says nothing, weighing what of it decides the numbers.
  defaults() { return { type: '', value: '', thread: '', reversed: '', flame: '', methods: '', colour: '', theme: '', search: '', zoom: '', ...(DIFFERENCE ? { widths: '', scale: '' } : {}) }; }
  weighing() { return ['type', 'value', 'thread', 'widths', 'scale']; }
  helpKeys() { return helpKeys; }
  keyNames() { return keyNames; }

  // load takes the state from the address.
  load() {
    const state = { ...this.defaults(), ...readState() };
    if (state.methods === '') state.methods = this.methods;
    if (state.methods === '0') state.methods = '';
    this.set(state, true);
  }

  // set changes the state and shows what has changed.
  set(changes, all) {
    const before = this.state;
    const state = this.state = { ...before, ...changes };
    const changed = (...names) => all || names.some((n) => state[n] !== before[n]);
    const weighing = changed(...this.weighing());
    const other = weighing || changed('reversed');
    if (weighing) this.weigh();
    if (other) {
      if (!all) state.zoom = '';
      this.view = state.reversed ? new ReversedTree(this.data.nodes, this.weights) : this.tree;
      this.showColors();
      this.chart.show(this.view, this.view.find(state.zoom));
      this.status.textContent = '';
    } else if (changed('zoom')) {
      this.chart.zoomTo(this.view.find(state.zoom));
    }
    if (changed('flame')) this.chart.setFlame(Boolean(state.flame));
    if (changed('colour', 'theme')) this.showColors();
    if (changed('methods')) this.showMethods();
    if (other || changed('search')) this.search();
    this.toolbar.show({ ...state, colour: this.mode() }, this.kind, this.value, this.data.header.sets === 2);
    this.showZoom();
    this.save(false);
  }

  save(step) { writeState({ ...this.state, methods: (this.state.methods || '0') === this.methods ? '' : this.state.methods || '0' }, step); }

  // weigh computes the tree of the kind, the value and the thread of the state.
  weigh() {
    const { header, groups } = this.data;
    const { state } = this;
    this.kind = Math.max(header.kinds.findIndex((k) => k.name === state.type), 0);
    const { values } = header.kinds[this.kind];
    const chosen = values.findIndex((v) => v.name === state.value);
    this.value = chosen < 0 ? this.mainValue() : chosen;
    this.unit = values[this.value].unit;
    this.thread = allThreads;
    const threads = threadTotals(this.all, this.kind, this.value);
    if (state.thread !== '' && threads.some(([i]) => i === Number(state.thread))) this.thread = Number(state.thread);
    else state.thread = '';
    const now = weigh(this.data, 0, this.kind, this.value, this.thread);
    this.weights = { self: now };
    if (DIFFERENCE && groups.length === 2) this.weights = difference(this.data.nodes, this.state, now, weigh(this.data, 1, this.kind, this.value, this.thread));
    for (let i = 0; i < now.length; i++) if (this.weights.self[i] < 0) this.weights.self[i] = 0;
    this.tree = new CallTree(this.data.nodes, this.weights);
    this.wholes = valuesBelow(this.data, 0, this.data.nodes.n, this.thread);
    this.stale = true;
  }

  // mainValue returns the value that people look at first: the last one, or the number of events if there is nothing else.
  mainValue() {
    const last = this.data.header.kinds[this.kind].values.length - 1;
    return threadTotals(this.all, this.kind, last).some(([, sum]) => sum) ? last : 0;
  }

  mode() { return this.state.colour || (DIFFERENCE && this.data.header.sets === 2 ? 'change' : 'kind'); }

  showColors() {
    const dark = this.state.theme ? this.state.theme === 'dark' : this.dark.matches;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    this.chart.palette = new Palette(this.data.nodes.names, this.mode(), dark);
    this.legend.show(this.chart.palette);
    this.chart.redraw();
  }

  showMethods() {
    this.table.element.hidden = !this.state.methods;
    if (!this.state.methods || !this.stale) return;
    this.stale = false;
    // The chart is painted first.
    requestAnimationFrame(() => setTimeout(() => this.table.show(this.tree, this.unit)));
  }

  label(i) {
    if (i !== this.view.root) return this.data.nodes.names[this.view.name(i)];
    const kind = this.data.header.kinds[this.kind];
    const who = this.thread === allThreads ? '' : ', ' + threadName(this.data.header.threads[this.thread]);
    return `${kind.title}: ${this.text(this.view.root)}${who}`;
  }

  // text says what a node weighs.
  text(i) {
    const { view } = this;
    if (!DIFFERENCE || !view.old) return number(view.total[i], this.unit) + (i === view.root ? '' : ', ' + percent(view.total[i], view.total[view.root]));
    return `${number(view.now[i], this.unit)} now, ${number(view.old[i], this.unit)} before: ${change(view.now[i], view.old[i])}`;
  }

  zoomTo(node) {
    this.chart.zoomTo(node);
    this.zoomed(node, true);
  }

  // zoomed takes note that the chart shows another part.
  zoomed(node, step) {
    const zoom = node === this.view.root ? '' : this.view.key(node);
    if (zoom === this.state.zoom) return;
    this.state = { ...this.state, zoom };
    this.save(step);
    this.showZoom();
  }

  showZoom() {
    const node = this.chart.zoomed;
    this.crumb.hidden = node === this.view.root;
    this.hint.hidden = !this.crumb.hidden;
    if (!this.crumb.hidden) this.crumb.replaceChildren('← ', h('b', {}, split(this.label(node), this.view.kind(node))[1]), ` ${this.text(node)}`);
  }

  hover(node, e) {
    if (node < 0) {
      this.tooltip.hide();
      this.status.textContent = this.chart.selected >= 0 ? this.describe(this.chart.selected) : '';
      this.tipped = -1;
      return;
    }
    if (node === this.tipped) {
      this.tooltip.place(e.clientX, e.clientY);
      return;
    }
    this.tipped = node;
    this.status.textContent = this.describe(node);
    const frame = { name: this.label(node), kind: this.view.kind(node), text: this.shareText(node), chosen: this.kind };
    this.tooltip.show(frame, this.valuesOf(node), this.wholes, this.data.header, e);
  }

  // shareText says what part of all a frame is, and what of it is its own.
  shareText(node) {
    const self = this.view.selfOf(node);
    const share = percent(this.view.total[node], this.view.total[this.view.root]);
    return node === this.view.root ? '' : share + (!this.state.reversed && self ? `, self ${number(self, this.unit)}` : '');
  }

  // valuesOf returns the values of a frame: all of them, or those of the kind if it is reversed.
  valuesOf(node) {
    const { data } = this;
    if (!this.state.reversed) return this.comparable(valuesBelow(data, node, data.nodes.ends[node], this.thread));
    const leaves = this.view.leaves[node];
    return this.comparable(data.groups.map((set, s) => {
      const sums = [];
      sums[this.kind] = data.header.kinds[this.kind].values.map((_, v) => {
        const self = this.selfOf(s, v);
        let sum = 0;
        for (const leaf of leaves) sum += self[leaf];
        return sum;
      });
      return sums;
    }));
  }

  comparable(values) { return DIFFERENCE && this.state.scale === 'normal' && values[1] ? scaled(values, this.wholes) : values; }

  // selfOf returns what the nodes weigh in a value of the kind. It remembers the last ones.
  selfOf(set, value) {
    if (this.selves?.of !== this.tree) this.selves = { of: this.tree };
    const key = set + '.' + value;
    return this.selves[key] ||= weigh(this.data, set, this.kind, value, this.thread);
  }

  describe(i) { return [this.label(i), i === this.view.root ? '' : this.text(i), kinds[this.view.kind(i)]].filter(Boolean).join(' — '); }

  // search finds frames by name.
  search() {
    const { search, methods } = this.state;
    const { names } = this.data.nodes;
    const re = pattern(search);
    this.stop?.();
    this.showFound(null, re ? '…' : '');
    this.stop = re && find(names, re, (found) => this.showFound(found, 'too complex'));
    const exact = search.startsWith('^') ? names.findIndex((name) => '^' + quote(name) + '$' === search) : -1;
    if (methods) {
      if (this.stale) this.showMethods();
      requestAnimationFrame(() => setTimeout(() => this.table.mark(exact)));
    }
  }

  // showFound shows what a search has found; a text if that is nothing yet.
  showFound(found, text) {
    this.found = this.chart.foundNames = found;
    this.chart.found = this.matches = null;
    if (found) {
      const { sum, nodes: count } = matchTotal(this.tree, found);
      this.foundShare = percent(sum, this.tree.total[0]);
      text = sum ? `${this.foundShare} in ${count.toLocaleString('en')}` : 'not found';
      this.markFound();
    }
    this.toolbar.found.textContent = text;
    this.chart.redraw();
  }

  // markFound lets strips show that something in them was found.
  markFound() {
    const { nodes } = this.data;
    if (this.view !== this.tree) {
      this.chart.found = (i) => this.found[this.view.name(i)] === 1;
      return;
    }
    const sums = new Int32Array(nodes.n + 1); // of found nodes before a node
    for (let i = 1; i < nodes.n; i++) sums[i + 1] = sums[i] + this.found[nodes.nameOf[i]];
    this.chart.found = (i) => sums[nodes.ends[i]] > sums[i];
  }

  // visit zooms to the next found frame, or to the one before.
  visit(step) {
    if (!this.found) return;
    if (!this.matches) {
      this.matches = outermost(this.view, this.found, 5000);
      this.match = step > 0 ? -1 : 0;
    }
    const { length } = this.matches;
    if (length === 0) return;
    this.match = (this.match + step + length) % length;
    const node = this.matches[this.match];
    this.zoomTo(node);
    this.choose(node);
    this.toolbar.found.textContent = `${this.foundShare}, ${this.match + 1} of ${length.toLocaleString('en')}`;
  }

  // choose makes a frame the one that keys start from.
  choose(node) {
    this.chart.selected = node;
    this.status.textContent = this.live.textContent = this.describe(node);
    this.chart.reveal(node);
    this.chart.redraw();
  }

  chooseMethod(name) {
    this.set({ search: name < 0 || name === this.table.chosen ? '' : '^' + quote(this.data.nodes.names[name]) + '$' });
  }

  // act does what a button or a key asks for.
  act(name) {
    const { state } = this;
    const flip = (key) => this.set({ [key]: state[key] ? '' : '1' });
    const types = this.data.header.kinds.map((k) => k.name);
    const type = (step) => this.set({ type: types[(this.kind + step + types.length) % types.length], value: '' });
    const actions = {
      reversed: () => flip('reversed'), flame: () => flip('flame'), methods: () => flip('methods'),
      theme: () => this.set({ theme: document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark' }),
      colour: () => {
        const list = [...this.toolbar.colors.options].map((o) => o.value);
        this.set({ colour: list[(list.indexOf(this.mode()) + 1) % list.length] });
      },
      help: () => (this.help.open ? this.help.close() : this.help.showModal()),
      search: () => { this.toolbar.search.focus(); this.toolbar.search.select(); },
      next: () => this.visit(1), previous: () => this.visit(-1),
      reset: () => this.zoomTo(this.view.root),
      nextType: () => type(1), previousType: () => type(-1),
    };
    actions[name]();
  }
}

// difference returns the weights of nodes whose numbers now and before are given.
function difference(nodes, { scale, widths }, now, old) {
  if (scale === 'normal') {
    const factor = sumUp(nodes, now)[0] / (sumUp(nodes, old)[0] || 1) || 1;
    for (let i = 0; i < old.length; i++) old[i] *= factor;
  }
  const self = widths === 'now' ? now.slice() : widths === 'before' ? old.slice() : now.map((n, i) => n + old[i]);
  return { self, now, old };
}

// scaled makes values of both profiles comparable.
function scaled(values, [now, old]) {
  return [values[0], values[1].map((kind, k) => kind.map((n, v) => n * (old[k][v] ? now[k][v] / old[k][v] : 1)))];
}
