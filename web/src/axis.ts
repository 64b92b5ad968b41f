// The time of the recording on all pages: drag to choose a part of it.

import { get, Problem, type Recording, type Table } from './api';
import { color } from './chart';
import { h, place } from './dom';
import { lasts, moment } from './format';
import { chosen, onChange, onNews, params, set } from './state';

// chosenTime returns the chosen time, or all of it.
export function chosenTime(rec: Recording): [number, number] {
  const q = chosen();
  return [q.has('from') ? Number(q.get('from')) : rec.start, q.has('to') ? Number(q.get('to')) : rec.end];
}

// axisOf returns the band with the load of the CPU over the whole time.
// Controls stand beside what is said of the time.
export function axisOf(rec: Recording, controls: HTMLElement | null): HTMLElement {
  const canvas = h('canvas', { className: 'band' });
  const mark = h('div', { className: 'mark' });
  const said = h('span', { className: 'said', 'aria-live': 'polite' });
  const all = h('button', { onclick: () => set({ from: null, to: null, last: null }) }, 'All of the time');
  const threads = h('span', { className: 'group' });
  const box = h('div', { className: 'axis', tabIndex: 0, role: 'slider', 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-label': 'Chosen time: arrows move it, with Shift they make it longer or shorter, Escape chooses all' }, canvas, mark);
  const length = () => Math.max(1, rec.end - rec.start);
  const at = (x: number) => {
    const r = box.getBoundingClientRect();
    return rec.start + Math.min(1, Math.max(0, (x - r.left) / r.width)) * length();
  };
  const show = (from: number, to: number) => {
    place(mark, { left: 100 * (from - rec.start) / length() + '%', width: 100 * (to - from) / length() + '%' });
    said.textContent = `${moment(from)} – ${moment(to)}, ${lasts((to - from) * 1e6)}`;
    box.setAttribute('aria-valuetext', said.textContent);
    box.setAttribute('aria-valuenow', String(Math.round(50 * (from + to - 2 * rec.start) / length())));
  };
  const update = () => {
    const [from, to] = chosenTime(rec);
    show(from, to);
    mark.hidden = all.hidden = !chosen().has('from') && !chosen().has('to');
    threads.replaceChildren(...params().getAll('thread').map((name) =>
      h('button', { className: 'crumb', title: `No longer choose the thread ${name}`, onclick: () => set({ thread: params().getAll('thread').filter((t) => t !== name) }) }, (name.trim() ? name : 'threads without a name') + ' ×')));
  };
  let begun = NaN;
  box.addEventListener('pointerdown', (e) => { begun = at(e.clientX); box.setPointerCapture(e.pointerId); });
  box.addEventListener('pointermove', (e) => {
    if (Number.isNaN(begun)) return;
    mark.hidden = false;
    show(Math.min(begun, at(e.clientX)), Math.max(begun, at(e.clientX)));
  });
  box.addEventListener('pointerup', (e) => {
    const [from, to] = [Math.min(begun, at(e.clientX)), Math.max(begun, at(e.clientX))];
    begun = NaN;
    if ((to - from) / length() > 0.002) set({ from: String(from), to: String(to), last: null }); else if (Number.isFinite(from)) set({ from: null, to: null, last: null });
  });
  box.addEventListener('pointercancel', () => { begun = NaN; update(); });
  document.addEventListener('keydown', (e) => {
    if (e.key !== 'Escape' || e.defaultPrevented || (e.target as Element).matches('input, textarea, select')) return;
    begun = NaN; // a drag that has begun ends without a choice
    update();
    set({ from: null, to: null, last: null });
  });
  box.addEventListener('keydown', (e) => {
    let [from, to] = chosenTime(rec);
    const step = length() / 50 * (e.key === 'ArrowLeft' ? -1 : 1);
    if (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight') return;
    e.preventDefault();
    if (!chosen().has('from') && !chosen().has('to')) to = from + length() / 10;
    else if (e.shiftKey) to = Math.min(rec.end, Math.max(from + length() / 100, to + step));
    else if (from + step >= rec.start - 1 && to + step <= rec.end + 1) { from += step; to += step; }
    set({ from: String(Math.max(rec.start, from)), to: String(Math.min(rec.end, to)), last: null }, true);
  });
  onChange(update);
  update();
  const drawn = draw(canvas, rec);
  onNews(() => { if (Number.isNaN(begun)) update(); return drawn().then(() => true); });
  return h('section', { className: 'time', 'aria-label': 'Time and threads' }, box, h('div', { className: 'group' }, said, all, controls, threads));
}

// draw draws the load of the CPU, or the number of events where that was not recorded. It returns a function that does so
// again, when there is more.
function draw(canvas: HTMLCanvasElement, rec: Recording): () => Promise<void> {
  const kinds: [string, string, number][] = [
    ['max(machineTotal), max(jvmUser + jvmSystem) from CPULoad', 'Load of the CPU: of the machine, and of the JVM', 10e3],
    ['count(*) from *', 'Events: how many there were', 0],
  ];
  let shown: Table | null = null;
  let kind = 0;
  let step = 0;
  const show = () => { if (shown) paint(canvas, shown, rec, Math.max(step, kinds[kind][2])); };
  const read = async () => {
    step = Math.max(1, Math.round((rec.end - rec.start) / 300));
    try {
      for (kind = rec.types.some((t) => t.name === 'jdk.CPULoad') ? 0 : 1; kind < kinds.length; kind++) {
        const t = await get<Table>('/api/query', { q: `select time(${step}ms) as t, ${kinds[kind][0]} group by time(${step}ms)`, limit: 2000 }, false, undefined, true).catch((e) => { if (e instanceof Problem && e.status) return null; throw e; });
        if (!t?.rows) continue;
        shown = t;
        canvas.title = kinds[kind][1];
        show();
        return;
      }
    } catch (e) {
      console.warn(e); // pages say what is wrong
    }
  };
  new ResizeObserver(show).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
  read();
  return read;
}

// paint draws the columns after the first, which is time. A value holds until the next one, and at most for a while.
function paint(canvas: HTMLCanvasElement, t: Table, rec: Recording, most: number) {
  const ratio = devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  const c = canvas.getContext('2d');
  if (!c) return;
  const times = t.columns[0].values as number[];
  const scale = canvas.width / Math.max(1, rec.end - rec.start);
  const lines = t.columns.slice(1).map((column) => column.values as number[]);
  const top = lines.length > 1 ? 1 : Math.max(...lines[0]); // shares, or numbers
  lines.forEach((values, i) => {
    c.fillStyle = color(i === lines.length - 1 ? '--line1' : '--bar');
    values.forEach((v, row) => {
      const next = Math.min(times[row + 1] ?? rec.end, times[row] + most);
      c.fillRect((times[row] - rec.start) * scale, canvas.height * (1 - v / top), Math.max(1, (next - times[row]) * scale), canvas.height * v / top);
    });
  });
}

// stepOf returns the length of time that a point of a picture stands for, as statements write it.
export function stepOf(rec: Recording): string {
  const [from, to] = chosenTime(rec);
  const points = 150;
  for (const ms of [10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 30e3, 60e3, 300e3, 600e3, 1800e3, 3600e3]) if ((to - from) / ms <= points) return ms + 'ms';
  return '86400s';
}
