// Time series, drawn by uPlot, with a table behind each picture.

import uPlot from '../vendor/uplot/uPlot.esm.js';
import type { Column, Table } from './api';
import { h, visible } from './dom';
import { clock, number } from './format';
import { set } from './state';
import { tableOf } from './table';

// color returns a color of the style sheet.
export function color(name: string): string { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// powers are the steps of an axis of bytes.
const powers = Array.from({ length: 50 }, (_, i) => 2 ** i);

// all pictures point at the same time together
const cursors = uPlot.sync('time');
const drawn = new Set<{ plot: uPlot; box: HTMLElement }>();

// high is the height of a picture: more where the window has room.
const high = () => Math.round(Math.min(280, Math.max(130, innerHeight * 0.11)));

const sizes = new ResizeObserver((list) => {
  for (const e of list) for (const d of drawn) if (d.box === e.target) d.plot.setSize({ width: Math.max(200, e.contentRect.width), height: high() });
});

// redraw drops the pictures that are shown no more, and draws the others in the colors of the theme.
export function redraw() {
  for (const d of drawn) {
    if (d.box.isConnected) d.plot.redraw();
    else { sizes.unobserve(d.box); d.plot.destroy(); drawn.delete(d); }
  }
}

// chartOf returns the picture of an answer: its first column is time, its numbers are lines. A column without values is none.
// zeros is the length of time of a point, in ms, where times without events are zeros.
export function chartOf(t: Table, from: number, to: number, title: string, zeros = 0): HTMLElement {
  const lined = zeros ? withZeros(t, zeros) : t;
  const lines = lined.columns.slice(1).filter((c) => ['integer', 'unsigned', 'number', 'timespan'].includes(c.kind) && c.values.some((v) => v !== null));
  const time = lined.columns[0];
  if (time?.kind !== 'timestamp' || !lines.length) return tableOf(t);
  const box = h('div', { className: 'chart', role: 'img', 'aria-label': title + ' over time; the table below has the values' });
  const data: (number | null)[][] = [time.values.map((v) => Number(v) / 1000), ...lines.map((c) => c.values.map((v) => (typeof v === 'number' ? v : null)))];
  const shown = (c: Column, v: number | null) => (v === null || v === undefined ? '' : number(v, c));
  const axis = { stroke: () => color('--dim'), grid: { stroke: () => color('--line'), width: 1 }, ticks: { show: false }, font: '11px system-ui' };
  requestAnimationFrame(() => {
    const plot = new uPlot({
      width: Math.max(200, box.clientWidth), height: high(), cursor: { sync: { key: cursors.key }, drag: { x: true, y: false, setScale: false } },
      padding: [8, 28, 0, 0], legend: { live: true },
      scales: { x: { range: () => [from / 1000, to / 1000] }, y: { range: (_u: uPlot, _min: number, max: number) => [0, max > 0 ? max * 1.05 : 1] } },
      axes: [
        { ...axis, size: 24, space: 90, values: (_u: uPlot, list: number[], _axis: number, _space: number, step: number) => list.map((v) => clock(v * 1000, step < 1 ? 3 : 0)) },
        { ...axis, size: 76, space: 22, incrs: lines[0].unit === 'bytes' ? powers : undefined, values: (_u: uPlot, list: number[]) => list.map((v) => shown(lines[0], v)) },
      ],
      series: [{ value: (_u: uPlot, v: number) => (v === null ? '' : clock(v * 1000)) }, ...lines.map((c, i) => ({
        label: visible(c.title), stroke: () => color('--line' + (i % 6 + 1)), width: 1.5, spanGaps: true, points: { show: time.values.length < 3 },
        value: (_u: uPlot, v: number) => shown(c, v),
      }))],
      hooks: {
        setSelect: [(u: uPlot) => {
          if (u.select.width < 3) return;
          set({ from: String(u.posToVal(u.select.left, 'x') * 1000), to: String(u.posToVal(u.select.left + u.select.width, 'x') * 1000) });
        }],
      },
    }, data as uPlot.AlignedData, box);
    drawn.add({ plot, box });
    sizes.observe(box);
  });
  return h('div', null, box, h('details', null, h('summary', null, 'As a table'), lazily(() => tableOf(t))));
}

// withZeros returns an answer in which times without events have zeros: lines of sums and counts go down between them.
export function withZeros(t: Table, step: number): Table {
  const times = t.columns[0].values as number[];
  const order: number[] = []; // rows of the answer, and -1 for zeros
  const at: number[] = [];
  const add = (row: number, time: number) => { order.push(row); at.push(time); };
  times.forEach((time, row) => {
    const before = row ? times[row - 1] : -Infinity;
    if (time - before > 1.5 * step) {
      if (row && time - before > 2.5 * step) add(-1, before + step);
      add(-1, time - step);
    }
    add(row, time);
  });
  if (times.length) add(-1, times[times.length - 1] + step);
  return { ...t, rows: order.length, columns: t.columns.map((c, i) => ({ ...c, values: i ? order.map((row) => (row < 0 ? 0 : c.values[row])) : at })) };
}

// lazily returns a place whose content is made when it is shown first.
export function lazily(make: () => HTMLElement): HTMLElement {
  const place = h('div');
  const seen = new IntersectionObserver((list) => {
    if (list.some((e) => e.isIntersecting)) { seen.disconnect(); place.append(make()); }
  });
  seen.observe(place);
  place.append(h('span', { className: 'dim' }, ' '));
  return place;
}
