// The chart: draws a view of the tree on a canvas. It visits what is visible only: frames narrower
// than a pixel become grey strips, and what is below them is not looked at.
import { Labels } from './label.js';

export const rowHeight = 19;
const least = 0.9; // pixels of a frame that is drawn by itself
const font = '12px system-ui, sans-serif';
const duration = 160; // of zooming, in milliseconds

export class Chart {
  // box has an element .scroller with a .spacer, which gives it its height, and the canvas.
  constructor(box, events) {
    this.scroller = box.querySelector('.scroller');
    this.spacer = box.querySelector('.spacer');
    this.canvas = box.querySelector('canvas');
    this.context = this.canvas.getContext('2d', { alpha: false });
    this.labels = new Labels(this.context, font);
    this.events = events;
    this.flame = false;
    this.hovered = this.selected = -1;
    this.zoomed = 0;
    this.frame = 0;
    new ResizeObserver(() => { this.settle(); }).observe(this.scroller);
    this.scroller.addEventListener('scroll', () => this.redraw());
  }

  // show draws another view, zoomed to a node.
  show(view, node) {
    this.view = view;
    this.hovered = this.selected = -1;
    this.zoomed = node;
    this.goal = null;
    this.range = this.rangeOf(node);
    this.settle();
  }

  rangeOf(node) {
    const { left, total } = this.view;
    return { from: left[node], to: left[node] + Math.max(total[node], 1e-9) };
  }

  zoomTo(node) {
    this.zoomed = node;
    this.moveTo(this.rangeOf(node));
  }

  // moveTo moves to a range of weights.
  moveTo(range, quick) {
    const all = this.rangeOf(this.view.root);
    const size = Math.min(range.to - range.from, all.to - all.from);
    const from = Math.max(all.from, Math.min(range.from, all.to - size));
    this.goal = { from, to: from + size, start: this.range, time: performance.now() };
    if (quick || matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.range = { from, to: from + size };
      this.goal = null;
      this.settle();
    }
    this.redraw();
  }

  // zoomBy makes the range smaller or larger around a point.
  zoomBy(factor, x) {
    const { from, to } = this.goal || this.range;
    const at = from + (to - from) * x;
    const least = this.view.total[this.view.root] * 1e-9;
    const size = Math.max((to - from) * factor, least);
    this.moveTo({ from: at - size * x, to: at + size * (1 - x) }, true);
    this.fitZoomed();
  }

  panBy(share) {
    const { from, to } = this.goal || this.range;
    const by = (to - from) * share;
    this.moveTo({ from: from + by, to: to + by }, true);
    this.fitZoomed();
  }

  // fitZoomed takes as zoomed the innermost frame that fills the chart.
  fitZoomed() {
    const { from, to } = this.range;
    const slack = (to - from) * 1e-6;
    let node = this.view.root;
    for (let c = node; c >= 0;) {
      const { from: l, to: r } = this.rangeOf(c);
      if (l <= from + slack && r >= to - slack) {
        node = c;
        c = this.view.peek(c);
      } else {
        c = r <= from + slack ? this.view.next(c) : -1;
      }
    }
    this.zoomed = node;
    this.events.zoom(node);
  }

  // settle gives the chart the height of what is drawn.
  settle() {
    if (!this.view) return;
    const ratio = window.devicePixelRatio || 1;
    this.width = this.scroller.clientWidth;
    this.height = this.scroller.clientHeight;
    if (this.canvas.width !== Math.round(this.width * ratio) || this.canvas.height !== Math.round(this.height * ratio)) {
      this.canvas.width = Math.round(this.width * ratio);
      this.canvas.height = Math.round(this.height * ratio);
      this.canvas.style.width = this.width + 'px';
      this.canvas.style.height = this.height + 'px';
    }
    this.resize();
    this.paint(); // at once: a canvas of a new size is empty
  }

  resize() {
    let depth = 0;
    const deeper = (i, d) => { depth = Math.max(depth, d); };
    this.visit(this.range, Infinity, deeper, deeper);
    this.rows = depth + 1;
    const bottom = this.scroller.scrollHeight - this.scroller.scrollTop;
    const height = Math.max(this.height, this.rows * rowHeight + 6);
    if (height === this.tall) return;
    this.tall = height;
    this.spacer.style.height = height + 'px';
    if (this.flame) this.scroller.scrollTop = this.scroller.scrollHeight - bottom;
  }

  setFlame(flame) {
    this.flame = flame;
    if (!this.view) return;
    this.settle();
    this.scroller.scrollTop = flame ? this.tall : 0;
  }

  redraw() {
    if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.step(); });
  }

  // step draws a frame, and asks for another one while something moves.
  step() {
    if (!this.view) return;
    const goal = this.goal;
    if (goal) {
      const t = Math.min(1, (performance.now() - goal.time) / duration);
      const ease = 1 - (1 - t) ** 3;
      this.range = { from: goal.start.from + (goal.from - goal.start.from) * ease, to: goal.start.to + (goal.to - goal.start.to) * ease };
      if (t === 1) {
        this.range = { from: goal.from, to: goal.to };
        this.goal = null;
        this.settle();
        if (this.zoomed !== this.view.root) this.reveal(this.zoomed);
      }
      this.redraw();
    }
    this.paint();
  }

  paint() {
    this.draw();
    if (this.view.work((least * (this.range.to - this.range.from)) / this.width)) {
      this.resize();
      this.redraw();
    }
  }

  y(depth) { return (this.flame ? this.tall - (depth + 1) * rowHeight - 3 : depth * rowHeight + 3) - this.scroller.scrollTop; }

  depthAt(y) {
    y += this.scroller.scrollTop - 3;
    return Math.floor((this.flame ? this.tall - 6 - y : y) / rowHeight);
  }

  // visit calls functions for the frames of a range, from the left: wide ones with their place, and
  // narrow ones. Rows from depth on are left out.
  visit(range, depth, wide, narrow) {
    const { view } = this;
    const { left, total } = view;
    const scale = this.width / (range.to - range.from);
    const nodes = [view.root];
    const depths = [0];
    while (nodes.length) {
      const i = nodes.pop();
      const d = depths.pop();
      const x = (left[i] - range.from) * scale;
      if (x >= this.width) continue; // and all to the right
      const next = view.next(i);
      if (next >= 0) {
        nodes.push(next);
        depths.push(d);
      }
      const w = total[i] * scale;
      if (x + w <= 0 || w <= 0) continue;
      if (w < least) {
        narrow(i, d, x, w);
        continue;
      }
      wide(i, d, x, w);
      if (d + 1 >= depth) continue;
      const first = view.first(i);
      if (first >= 0) {
        nodes.push(first);
        depths.push(d + 1);
      }
    }
  }

  draw() {
    const c = this.context;
    const ratio = window.devicePixelRatio || 1;
    const { ui } = this.palette;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = ui.page;
    c.fillRect(0, 0, this.width, this.height);
    c.font = font;
    c.textBaseline = 'middle';
    const zoomDepth = this.depthOf(this.zoomed);
    const strips = []; // by depth: from, to, whether something was found in it
    const end = (this.flame ? this.depthAt(0) : this.depthAt(this.height)) + 1;
    this.drawn = 0;
    this.visit(this.range, end, (i, d, x, w) => {
      const y = this.y(d);
      if (y > -rowHeight && y < this.height) this.drawFrame(i, x, y, w, d < zoomDepth);
    }, (i, d, x, w) => {
      const y = this.y(d);
      if (y < -rowHeight || y > this.height) return;
      const strip = strips[d];
      if (strip && x <= strip.to + 0.5) {
        strip.to = x + w;
        strip.found ||= this.hits(i);
        return;
      }
      if (strip) this.drawStrip(d, strip);
      strips[d] = { from: x, to: x + w, found: this.hits(i) };
    });
    strips.forEach((strip, d) => this.drawStrip(d, strip));
    this.outline(this.hovered, 1);
    if (this.selected !== this.hovered) this.outline(this.selected, 2);
  }

  hits(i) { return this.found?.(i); }

  drawStrip(d, { from, to, found }) {
    const c = this.context;
    c.fillStyle = found ? this.palette.ui.found : this.palette.ui.strip;
    c.fillRect(from, this.y(d), Math.max(to - from, 0.5), rowHeight - 1);
  }

  drawFrame(i, x, y, w, dim) {
    const c = this.context;
    const { ui } = this.palette;
    const from = Math.max(x, 0);
    const to = Math.min(x + w, this.width);
    const gap = w > 4 ? 1 : w > 2 ? 0.5 : 0.2;
    const hit = i !== this.view.root && this.foundNames?.[this.view.name(i)];
    c.globalAlpha = dim ? 0.45 : this.foundNames && !hit ? 0.5 : 1;
    c.fillStyle = hit ? ui.found : this.palette.of(this.view, i);
    c.fillRect(from, y, to - from - gap, rowHeight - 1);
    this.drawn++;
    const room = to - from - 9;
    if (room < 14) {
      c.globalAlpha = 1;
      return;
    }
    const text = this.labels.fit(this.events.label(i), this.view.kind(i), room);
    c.globalAlpha = dim ? 0.7 : 1;
    c.fillStyle = hit ? ui.foundText : ui.text;
    if (text) c.fillText(text, from + 4, y + rowHeight / 2);
    c.globalAlpha = 1;
  }

  outline(i, thick) {
    if (i < 0) return;
    const p = this.placeOf(i);
    const c = this.context;
    c.strokeStyle = this.palette.ui.outline;
    c.lineWidth = thick;
    c.strokeRect(p.x + 0.5, p.y + 0.5, Math.max(p.w - 2, 1), rowHeight - 2);
  }

  depthOf(i) {
    let d = 0;
    for (; i > 0; i = this.view.parent(i)) d++;
    return d;
  }

  // placeOf returns where a frame is in the chart, as far as it is visible.
  placeOf(i) {
    const scale = this.width / (this.range.to - this.range.from);
    const x = (this.view.left[i] - this.range.from) * scale;
    const from = Math.max(x, 0);
    return { x: from, w: Math.min(x + this.view.total[i] * scale, this.width) - from, y: this.y(this.depthOf(i)) };
  }

  // reveal scrolls so that the row of a frame is visible, with some rows around it.
  reveal(i) {
    const y = this.y(this.depthOf(i));
    const room = Math.min(3 * rowHeight, this.height / 3);
    if (y < 0) this.scroller.scrollTop += y - room;
    else if (y + rowHeight > this.height) this.scroller.scrollTop += y + rowHeight + room - this.height;
  }

  // nodeAt returns the frame at a point; -1 if there is no frame that is drawn by itself.
  nodeAt(x, y) {
    const { view, range } = this;
    const at = range.from + ((range.to - range.from) * x) / this.width;
    let i = view.root;
    for (let d = this.depthAt(y); d > 0; d--) {
      let c = view.peek(i);
      while (c >= 0 && view.left[c] + view.total[c] <= at) c = view.next(c);
      if (c < 0 || view.left[c] > at) return -1;
      i = c;
    }
    const scale = this.width / (range.to - range.from);
    return this.depthAt(y) >= 0 && view.total[i] * scale >= least ? i : -1;
  }
}
