// The page of heat maps: a heat map above the flame graphs of the cells that are chosen there.
import css from './heat.css';
import { start } from './start.js';
import { Page } from './page.js';
import { HeatMap, heatColors, scales } from './heatmap.js';
import { chooseRanges } from './heatpointer.js';
import { below, readRange, select } from './range.js';
import { Clock } from './clock.js';
import { h } from './dom.js';
import { number } from './units.js';

class HeatPage extends Page {
  constructor(data) {
    super(data);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets.push(sheet);
    this.map = new HeatMap(data.header, { hover: (u, e) => this.hoverCell(u, e), choose: (range, second, done) => this.chooseRange(range, second, done) });
    this.map.clock = new Clock(false);
    this.forget = chooseRanges(this.map);
    this.scales = h('select', { 'aria-label': 'Scale of the heat map', title: 'Time per column and row (Z)', onchange: () => this.set({ cells: this.scales.value }) },
      scales.filter((s) => s.row >= data.header.cell).map((s) => h('option', { value: s.name }, s.text)));
    this.utc = h('button', { title: 'Times in UTC (U)', onclick: () => this.act('utc') }, 'UTC');
    this.whole = h('button', { title: 'Select all of the time (X)', onclick: () => this.act('whole') }, 'All');
    this.chosenText = h('output', {});
    this.mostText = h('span', { className: 'dim last' });
    this.toolbar.element.after(h('section', { className: 'heat', 'aria-label': 'Heat map' },
      h('div', { className: 'heat-bar' }, this.scales, this.utc, this.whole, this.chosenText, this.mostText), this.map.element));
  }

  defaults() { return { ...super.defaults(), range: '', second: '', cells: '', utc: '' }; }
  weighing() { return [...super.weighing(), 'range', 'second']; }

  helpKeys() {
    return [
      ['Click, drag in the map', 'select a time range; Shift extends it, Esc selects all'],
      ['Ctrl + click, drag', 'select a second range to compare with'],
      ['Arrows in the map', 'move to the next cell; Shift and Ctrl as above'],
      ['Z', 'change the scale'],
      ['U', 'UTC or local time'],
      ['X', 'select all'],
      ...super.helpKeys()];
  }

  keyNames() { return { ...super.keyNames(), z: 'cells', u: 'utc', x: 'whole' }; }

  set(changes, all) {
    super.set(changes, all);
    this.showMap();
    this.showTimes();
  }

  // weigh computes the flame graph of the range.
  weigh() {
    const { cells } = this.all.header;
    const range = readRange(this.state.range, cells);
    const second = range && readRange(this.state.second, cells);
    this.map.ranges = [range, second].filter(Boolean);
    this.data = select(this.all, second || range || { from: 0, to: cells }, second && range);
    super.weigh();
  }

  // showMap shows the cells of the kind, the value and the thread, and those with what was found.
  showMap() {
    const { map, state } = this;
    const scale = scales.find((s) => s.name === state.cells && s.row >= this.all.header.cell) || map.fitting();
    if (map.scale !== scale) map.setScale(scale);
    this.scales.value = scale.name;
    const key = [scale.name, this.kind, this.value, this.thread].join();
    if (this.shownMap !== key || this.shownFound !== this.found) {
      this.shownMap = key;
      this.shownFound = this.found;
      const { values } = this.all.header.kinds[this.kind];
      map.show(this.all.groups[0][this.kind], values[this.value], this.value, this.thread, this.found && below(this.all.nodes, this.found));
      this.mostText.textContent = `at most ${number(map.most, this.unit)} in ${scale.row < 1000 ? scale.row + ' ms' : scale.row / 1000 + ' s'}`;
    }
    map.redraw();
  }

  showFound(found, text) {
    super.showFound(found, text);
    this.showMap();
  }

  showTimes() {
    const { map, state } = this;
    map.clock = new Clock(Boolean(state.utc));
    this.utc.setAttribute('aria-pressed', String(Boolean(state.utc)));
    const { first, cell } = this.all.header;
    const [range, second] = map.ranges.map(({ from, to }) => `${map.clock.span((first + from) * cell, (first + to) * cell)} (${number((to - from) * cell * 1e6, 'nanoseconds')})`);
    this.chosenText.textContent = second ? `${second}, compared with ${range}` : range || 'Click or drag to select a time range';
    if (range && !(this.view.total[0] > 0)) this.chosenText.textContent += ': no samples here';
    this.whole.hidden = !range;
    map.redraw();
  }

  showColors() {
    super.showColors();
    this.map.colors = heatColors(document.documentElement.dataset.theme === 'dark');
    this.map.redraw();
  }

  // chooseRange takes a range; while it is being drawn the map alone shows it.
  chooseRange(range, second, done) {
    const text = (r) => `${r.from}-${r.to}`;
    const first = readRange(this.state.range, this.all.header.cells);
    if (done) this.set(second && first ? { second: text(range) } : { range: text(range), second: '' });
    else this.map.ranges = second && first ? [first, range] : [range];
    this.map.redraw();
  }

  hoverCell(u, e) {
    if (u < 0) {
      this.tooltip.hide();
      return;
    }
    const { map } = this;
    this.tooltip.say([map.clock.span(map.timeOf(u), map.timeOf(u + 1)) + ' ' + map.clock.name(map.timeOf(u)), map.describe(u)], e);
  }

  act(name) {
    const { state } = this;
    const own = {
      utc: () => this.set({ utc: state.utc ? '' : '1' }),
      whole: () => { this.forget(null); this.set({ range: '', second: '' }); },
      cells: () => {
        const list = [...this.scales.options].map((o) => o.value);
        this.set({ cells: list[(list.indexOf(this.map.scale.name) + 1) % list.length] });
      },
    };
    if (own[name]) own[name]();
    else if (name === 'reset' && this.chart.zoomed === this.view.root && state.range) own.whole();
    else super.act(name);
  }
}

start(HeatPage);
