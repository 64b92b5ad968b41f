// Threads: a lane for each, with what it did when.

import { get, isOver, type Recording, type Table } from './api';
import { chosenTime } from './axis';
import { color, lazily } from './chart';
import { h, place } from './dom';
import { clock, count, stateName } from './format';
import { barsOf, LaneTip, type Bar } from './lanetip';
import { deadlocks, problem, viewPart } from './parts';
import { Parts, Scroller } from './scroller';
import { chooseThread, isOpenEnded, onNews, params, set } from './state';

interface Thread { name: string; id: number; virtual: boolean; samples: number; lanes: { state: string; spans: number[] }[]; blocks?: Block[] }
interface Block { from: number; to: number; owner: string; ownerId: number; class: string }
interface Lanes { total: number; threads: Thread[]; pauses: number[]; paused: number[]; lost?: string[] }

const states = ['running', 'parked', 'blocked', 'waiting', 'sleeping', 'io', 'pinned', 'native'];
const height = 24; // of a row
const atOnce = 50; // rows of a request

// threads returns the page.
export function threads(rec: Recording): HTMLElement {
  const search = h('input', { type: 'search', placeholder: 'Part of a name', 'aria-label': 'Filter threads by name', value: params().get('q') || '' });
  search.addEventListener('change', () => set({ q: search.value || null }, true));
  const legend = h('span', { className: 'legend' }, [...states, 'paused'].map((s) => { const i = h('i'); place(i, { background: `var(--state-${s})` }); return h('span', null, i, stateName(s)); }));
  const total = h('span', { className: 'dim', role: 'status' });
  const ticks = h('div', { className: 'ticks' });
  tip ||= new LaneTip();
  tip.hide();
  const rows = h('div', { className: 'rows' });
  const scroller = h('div', { className: 'lanes', tabIndex: 0, role: 'region', 'aria-label': 'Threads' }, rows);
  const bar = new Scroller(scroller, height);
  const table = h('tbody');
  const read = (offset: number, signal: AbortSignal) => get<Lanes>('/api/lanes',
    { offset, limit: atOnce, q: params().get('q') || undefined, width: Math.max(200, Math.round(scroller.clientWidth - 240)) }, true, signal);
  const parts = new Parts<Lanes>(atOnce, read);
  let drawing = 0;
  const draw = async () => {
    const mine = ++drawing;
    const [from, to] = chosenTime(rec);
    try {
      const first = bar.first;
      const last = first + bar.room + 2;
      const [answers, offset] = await parts.of(first, last);
      if (mine !== drawing) return;
      total.textContent = count(answers[0].total) + (answers[0].total === 1 ? ' thread' : ' threads') + (answers[0].lost ? ' that could be read' : '');
      bar.resize(answers[0].total);
      if (!answers[0].total) unknown().then((names) => { if (mine === drawing && names.length) total.textContent = `No thread is called ${names.join(' or ')}`; });
      const list = answers.flatMap((p) => p.threads).slice(first - offset, last - offset);
      const top = bar.top;
      const pauses = barsOf([{ state: 'paused', spans: answers[0].pauses }]);
      const focused = rows.contains(document.activeElement) ? keyOf(document.activeElement!) : null;
      rows.replaceChildren(...list.map((t, i) => row(t, top + i * height, from, to, pauses)), linksOf(list, top, from, to, pauses, answers[0].paused));
      if (focused !== null) ([...rows.querySelectorAll<HTMLElement>('button, canvas.lane')].find((b) => keyOf(b) === focused) || scroller).focus({ preventScroll: true });
      showTicks(ticks, scroller, from, to);
      table.replaceChildren(...list.map((t) => h('tr', null, h('th', { scope: 'row' }, nameOf(t)), states.map((s) => h('td', { className: 'right' }, count(events(t, s)))))));
    } catch (e) {
      if (!isOver(e)) rows.replaceChildren(problem(e));
    }
  };
  scroller.addEventListener('scroll', () => { tip!.leave(); requestAnimationFrame(draw); });
  new ResizeObserver(() => {
    parts.forget(); // the width decides what is joined
    draw();
  }).observe(scroller);
  onNews(() => scroller.isConnected && (isOpenEnded() ? (parts.forget(), draw().then(() => true)) : true));
  return h('div', { className: 'full' },
    deadlocks(rec), h('div', { className: 'group bar' }, search, legend, total), ticks, scroller, tip.box,
    h('details', null, h('summary', null, 'Who blocked whom'), lazily(() => viewPart({ view: 'lock-owners', rows: 50 }))),
    h('details', null, h('summary', null, 'As a table'), h('div', { className: 'scroll' }, h('table', null,
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Thread'), states.map((s) => h('th', { scope: 'col' }, stateName(s))))), table))));
}

// unknown returns the names of chosen threads that no event of the recording has.
async function unknown(): Promise<string[]> {
  const names = params().getAll('thread');
  const counts = await Promise.all(names.map((thread) => get<Table>('/api/query', { q: 'select count(*) from *', thread }, false).catch(() => null)));
  return names.filter((_, i) => counts[i] && !counts[i].columns[0].values[0]);
}

// events returns how many events a thread has of a state.
function events(t: Thread, state: string): number {
  const spans = t.lanes.find((l) => l.state === state)?.spans || [];
  let n = 0;
  for (let i = 2; i < spans.length; i += 3) n += spans[i];
  return n;
}

// nameOf returns what a thread is called: virtual threads need no name.
function nameOf(t: Thread): string { return t.name.trim() ? t.name : `${t.virtual ? 'virtual ' : ''}thread ${t.id}`; }

let tip: LaneTip | null = null;

// keyOf tells the elements of rows apart.
function keyOf(e: Element): string { return e.tagName + (e.getAttribute('aria-label') || e.textContent); }

// showTicks writes times above the lanes.
function showTicks(ticks: HTMLElement, scroller: HTMLElement, from: number, to: number) {
  const wide = scroller.querySelector<HTMLElement>('canvas.lane');
  if (!wide) return;
  const left = wide.offsetLeft;
  const perPixel = Math.max(1, to - from) / wide.clientWidth;
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 1800e3, 3600e3, 7200e3, 21600e3, 86400e3].find((ms) => ms / perPixel >= 100) || 604800e3;
  const list: HTMLElement[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const tick = h('span', null, clock(at, step < 1000 ? 3 : 0));
    place(tick, { left: left + (at - from) / perPixel + 'px' });
    list.push(tick);
  }
  ticks.replaceChildren(...list);
}

// row returns the lane of a thread. The pointer, or the arrows and Enter, say what is in it.
function row(t: Thread, top: number, from: number, to: number, pauses: Bar[]): HTMLElement {
  const canvas = h('canvas', { className: 'lane', tabIndex: 0, role: 'img', 'aria-label': `${nameOf(t)} ${t.id}: ${count(t.samples)} events; move with the arrow keys, open with Enter` });
  const e = h('div', { className: 'row' },
    h('button', { className: 'plain name', title: t.name ? `Select ${t.virtual ? 'virtual ' : ''}thread ${t.name}` : 'Select all threads without a name', onclick: () => chooseThread(t.name) }, nameOf(t)), canvas);
  place(e, { top: top + 'px' });
  requestAnimationFrame(() => {
    const ratio = devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    const c = canvas.getContext('2d');
    if (!c) return;
    const x = (ms: number) => (ms - from) / Math.max(1, to - from) * canvas.width;
    // What lasts is below; samples of running threads are above it.
    for (const lane of [...t.lanes].sort((a, b) => states.indexOf(b.state) - states.indexOf(a.state))) {
      c.fillStyle = color('--state-' + lane.state);
      const above = lane.state === 'running' || lane.state === 'native';
      for (let i = 0; i < lane.spans.length; i += 3) {
        c.fillRect(x(lane.spans[i]), above ? 0 : canvas.height / 2, Math.max(ratio, x(lane.spans[i + 1]) - x(lane.spans[i])), canvas.height / 2);
      }
    }
  });
  const perPixel = () => (to - from) / Math.max(1, canvas.clientWidth);
  const point = (p: MouseEvent, pin: boolean) => tip!.show(t, nameOf(t), from + p.offsetX * perPixel(), perPixel(), p.clientX, p.clientY, pauses, pin);
  canvas.addEventListener('pointermove', (p) => point(p, false));
  canvas.addEventListener('pointerleave', () => tip!.leave());
  canvas.addEventListener('click', (p) => point(p, true));
  let at = -1; // of the bars
  canvas.addEventListener('keydown', (k) => {
    const bars = barsOf(t.lanes);
    const by: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity, Enter: 0 };
    if (!(k.key in by) || !bars.length) return;
    k.preventDefault();
    at = Math.min(bars.length - 1, Math.max(0, at + by[k.key]));
    const r = canvas.getBoundingClientRect();
    const middle = (Math.max(from, bars[at].from) + Math.min(to, bars[at].to)) / 2;
    tip!.hide();
    tip!.show(t, nameOf(t), middle, perPixel(), r.left + (middle - from) / perPixel(), r.top, pauses, k.key === 'Enter');
  });
  canvas.addEventListener('blur', () => tip!.leave());
  return e;
}

// linksOf returns lines from threads that had a monitor to those that were blocked meanwhile, where both are shown. Those that
// were blocked for longer than a pixel have one. Times in which the JVM stopped all threads are bands across all of them,
// the paler the less of a band they are.
function linksOf(list: Thread[], top: number, from: number, to: number, pauses: Bar[], paused: number[]): HTMLElement {
  const canvas = h('canvas', { className: 'links' });
  place(canvas, { top: top + 'px', width: '100%', height: list.length * height + 'px' });
  requestAnimationFrame(() => {
    const lane = document.querySelector<HTMLElement>('canvas.lane');
    const c = canvas.getContext('2d');
    if (!lane || !c) return;
    const ratio = devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    c.scale(ratio, ratio);
    const x = (ms: number) => lane.offsetLeft + (ms - from) / Math.max(1, to - from) * lane.clientWidth;
    c.fillStyle = color('--state-paused');
    pauses.forEach((p, i) => {
      c.globalAlpha = Math.max(0.05, 0.45 * Math.min(1, paused[i] / (p.to - p.from)));
      c.fillRect(x(p.from), 0, Math.max(1, x(p.to) - x(p.from)), list.length * height);
    });
    c.globalAlpha = 1;
    c.strokeStyle = c.fillStyle = color('--state-blocked');
    list.forEach((t, i) => (t.blocks || []).forEach((b) => {
      const owner = list.findIndex((o) => o.name === b.owner && o.id === b.ownerId);
      if (owner < 0 || owner === i || x(b.to) - x(b.from) < 1 || b.from < from) return;
      const [down, end] = [owner < i, (i + (owner < i ? 0.5 : 0.9)) * height];
      c.beginPath();
      c.moveTo(x(b.from), (owner + 0.5) * height);
      c.lineTo(x(b.from), end);
      c.moveTo(x(b.from) - 3, end + (down ? -5 : 5));
      c.lineTo(x(b.from), end);
      c.lineTo(x(b.from) + 3, end + (down ? -5 : 5));
      c.stroke();
    }));
  });
  return canvas;
}
