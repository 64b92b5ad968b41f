// The heat map: what samples weigh in each length of time. A column has the rows of one length of
// time from top to bottom; the next column is the next one. It draws the columns that are visible.
import { h } from './dom.js';
import { sumCells } from './range.js';
import { number, percent } from './units.js';

// scales are what a row and a column stand for; row in milliseconds.
export const scales = [
  { name: '20ms', text: '1 s : 20 ms', row: 20, rows: 50 },
  { name: '1s', text: '1 min : 1 s', row: 1000, rows: 60 },
  { name: '5s', text: '5 min : 5 s', row: 5000, rows: 60 },
];
const axis = 20; // pixels below the rows
const shades = 24;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400]; // seconds between marks

export class HeatMap {
  // events are hover(unit, e) and choose(range, second).
  constructor(header, events) {
    this.header = header;
    this.events = events;
    this.spacer = h('div', { className: 'spacer' });
    this.scroller = h('div', { className: 'heat-scroller', tabIndex: 0, role: 'application', 'aria-label': 'Heat map. Arrow keys select a cell, with Shift a range, with Control a second range to compare with.' }, this.spacer);
    this.canvas = h('canvas', { 'aria-hidden': 'true' });
    this.element = h('div', { className: 'heat-map' }, this.scroller, this.canvas);
    this.context = this.canvas.getContext('2d', { alpha: false });
    this.hovered = -1;
    this.ranges = [];
    new ResizeObserver(() => this.settle()).observe(this.scroller);
    this.scroller.addEventListener('scroll', () => this.redraw());
  }

  // fitting returns the finest scale whose columns have room.
  fitting() {
    const { cell, cells } = this.header;
    const list = scales.filter((s) => s.row >= cell);
    return list.find((s) => (cells * cell) / s.row / s.rows <= innerWidth / 5) || list[list.length - 1];
  }

  // setScale changes what rows and columns are. Columns begin at whole seconds or minutes.
  setScale(scale) {
    const { cell, first, cells } = this.header;
    const middle = this.scale && this.timeOf((this.scroller.scrollLeft + this.width / 2) / this.w * this.scale.rows);
    this.scale = scale;
    this.per = scale.row / cell; // cells of a row
    this.start = Math.floor(first / this.per / scale.rows) * scale.rows; // the first row, in rows since 1970
    this.columns = Math.floor((first + cells - 1) / this.per / scale.rows) - this.start / scale.rows + 1;
    this.settle();
    if (middle) this.scroller.scrollLeft = ((middle / scale.row - this.start) / scale.rows) * this.w - this.width / 2;
  }

  unitOf(cell) { return Math.floor((this.header.first + cell) / this.per) - this.start; }
  cellOf(unit) { return Math.max(0, Math.min((unit + this.start) * this.per - this.header.first, this.header.cells)); }
  timeOf(unit) { return (unit + this.start) * this.scale.row; } // milliseconds since 1970

  // show shows the rows of a kind; nodes are those that were found, or null.
  show(groups, { scale, unit }, value, thread, nodes) {
    const place = (cell) => this.unitOf(cell);
    const sum = (of) => sumCells(groups, value, thread, of, place, new Float64Array(this.columns * this.scale.rows)).map((n) => n * scale);
    this.unit = unit;
    this.sums = sum(null);
    this.hits = nodes && sum(nodes);
    this.most = this.sums.reduce((a, b) => Math.max(a, b), 0);
    this.usual = usual(this.sums);
    this.redraw();
  }

  settle() {
    if (!this.scale) return;
    const ratio = window.devicePixelRatio || 1;
    this.width = this.scroller.clientWidth;
    this.w = Math.max(5, Math.min(24, Math.floor(this.width / this.columns)));
    this.h = innerHeight < 700 ? 2 : innerHeight < 1000 ? 3 : 4;
    this.height = this.h * this.scale.rows;
    this.spacer.style.width = this.columns * this.w + 'px';
    this.element.style.height = this.height + axis + 12 + 'px';
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round((this.height + axis) * ratio);
    this.canvas.style.width = this.width + 'px';
    this.canvas.style.height = this.height + axis + 'px';
    this.draw();
  }

  redraw() {
    if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); });
  }

  draw() {
    if (!this.sums || !this.colors) return;
    const c = this.context;
    const ratio = window.devicePixelRatio || 1;
    const { w, height, width, colors } = this;
    const { rows } = this.scale;
    const left = this.scroller.scrollLeft;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = colors.page;
    c.fillRect(0, 0, width, height + axis);
    c.translate(-left, 0);
    c.fillStyle = colors.empty;
    c.fill(this.shape(this.unitOf(0), this.unitOf(this.header.cells - 1)));
    const from = Math.floor(left / w) * rows;
    const to = Math.min(Math.ceil((left + width) / w) * rows, this.sums.length);
    for (let u = from; u < to; u++) {
      if (this.sums[u] <= 0) continue;
      c.fillStyle = this.colorOf(u);
      this.fill(u);
    }
    this.drawAxis(left);
    this.drawRanges(left);
    if (this.hovered >= 0) this.outline(this.shape(this.hovered, this.hovered), colors.text);
  }

  // drawRanges outlines the ranges, and veils all else.
  drawRanges(left) {
    if (!this.ranges.length) return;
    const shapes = this.ranges.map(({ from, to }) => this.shape(this.unitOf(from), this.unitOf(to - 1)));
    const veil = new Path2D();
    veil.rect(left, 0, this.width, this.height);
    for (const shape of shapes) veil.addPath(shape);
    this.context.fillStyle = this.colors.veil;
    this.context.fill(veil, 'evenodd');
    shapes.forEach((shape, i) => this.outline(shape, this.colors.ranges[i]));
  }

  fill(u) { this.context.fillRect(Math.floor(u / this.scale.rows) * this.w, (u % this.scale.rows) * this.h, this.w - (this.w < 10 ? 0 : 1), this.h); }

  colorOf(u) {
    const { colors, hits } = this;
    if (!hits) return colors.heat[this.shadeOf(this.sums[u])];
    return hits[u] > 0 ? colors.found[this.shadeOf(hits[u])] : colors.grey[this.shadeOf(this.sums[u])];
  }

  // shadeOf is the shade of a weight. The last ones are for the few that weigh more than most.
  shadeOf(n) {
    const { usual, most } = this;
    if (n <= usual) return Math.floor(Math.sqrt(n / usual) * (shades - 5));
    return shades - 5 + Math.ceil((4 * Math.log(n / usual)) / Math.log(most / usual));
  }

  // shape is the outline of the rows from one to another.
  shape(from, to) {
    const { rows } = this.scale;
    const { w, h: height, height: bottom } = this;
    const [a, b] = [Math.floor(from / rows) * w, Math.floor(to / rows) * w];
    const [top, end] = [(from % rows) * height, (to % rows + 1) * height];
    const points = a === b
      ? [[a, top], [a + w, top], [a + w, end], [a, end]]
      : [[a, top], [a + w, top], [a + w, 0], [b + w, 0], [b + w, end], [b, end], [b, bottom], [a, bottom]];
    const path = new Path2D();
    for (const [x, y] of points) path.lineTo(x - 0.5, y - 0.5);
    path.closePath();
    return path;
  }

  outline(path, color) {
    const c = this.context;
    c.strokeStyle = color;
    c.lineWidth = 2;
    c.stroke(path);
  }

  drawAxis(left) {
    const c = this.context;
    const { w, height, clock, colors } = this;
    const { row, rows } = this.scale;
    const column = row * rows;
    const step = 1000 * (steps.find((n) => n * 1000 >= column && (n * 1000 / column) * w >= 90) || steps[steps.length - 1]);
    c.font = '11px system-ui, sans-serif';
    c.textBaseline = 'middle';
    for (let i = Math.max(0, Math.floor((left - 90) / w)); i * w < left + this.width && i < this.columns; i++) {
      const at = this.timeOf(i * rows);
      if ((at + clock.offset(at)) % step !== 0) continue;
      c.fillStyle = colors.line;
      c.fillRect(i * w - 1, height, 1, 6);
      c.fillStyle = colors.dim;
      const text = row < 1000 ? clock.second(at) : clock.minute(at);
      c.fillText(/^00:00(:00)?$/.test(text) ? clock.day(at) : text, i * w + 3, height + axis / 2 + 2);
    }
  }

  // unitAt returns the row at a point, the nearest one if there is none.
  unitAt(x, y) {
    const { rows } = this.scale;
    const column = Math.floor((x + this.scroller.scrollLeft) / this.w);
    const unit = column * rows + Math.max(0, Math.min(rows - 1, Math.floor(y / this.h)));
    return Math.max(this.unitOf(0), Math.min(unit, this.unitOf(this.header.cells - 1)));
  }

  // rangeOf returns the cells from one row to another.
  rangeOf(a, b) { return { from: this.cellOf(Math.min(a, b)), to: this.cellOf(Math.max(a, b) + 1) }; }

  reveal(unit) {
    const x = Math.floor(unit / this.scale.rows) * this.w;
    if (x < this.scroller.scrollLeft) this.scroller.scrollLeft = x - this.width / 4;
    else if (x + this.w > this.scroller.scrollLeft + this.width) this.scroller.scrollLeft = x - this.width * 0.75;
  }

  // describe says what a row weighs.
  describe(u) {
    const text = number(this.sums[u], this.unit);
    return this.hits ? `${text}, found ${number(this.hits[u], this.unit)}: ${percent(this.hits[u], this.sums[u])}` : text;
  }
}

// usual returns what 99 of 100 rows weigh, or less.
function usual(sums) {
  const step = Math.ceil(sums.length / 2e5);
  const some = sums.filter((n, i) => n > 0 && i % step === 0).sort();
  return some[Math.floor(some.length * 0.99)] || Infinity;
}

// heatColors are the colours of a heat map.
export function heatColors(dark) {
  const list = (color) => Array.from({ length: shades }, (_, i) => color(i / (shades - 1)));
  const mix = (hue, saturation) => list((t) => (dark ? `hsl(${hue(t)} ${saturation}% ${24 + 54 * t}%)` : `hsl(${hue(t)} ${saturation}% ${90 - 61 * t}%)`));
  return {
    heat: mix((t) => (dark ? 8 + 40 * t : 46 - 42 * t), 82), found: mix(() => 290, 70), grey: list((t) => `hsl(220 8% ${dark ? 24 + 22 * t : 90 - 28 * t}%)`),
    page: dark ? '#15181d' : '#fff', empty: dark ? '#1d2229' : '#f4f5f7', text: dark ? '#fff' : '#000', dim: dark ? '#929baa' : '#68707c', line: dark ? '#3a414d' : '#c5cbd4',
    ranges: dark ? ['#7aa7f7', '#4dd0a5'] : ['#2f6fde', '#0b8f63'], veil: dark ? 'rgb(21 24 29 / .55)' : 'rgb(255 255 255 / .5)',
  };
}
