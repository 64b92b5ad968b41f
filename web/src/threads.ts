// Threads: a lane for each, with what it did when.

import { get, isOver, type Recording } from './api';
import { chosenTime } from './axis';
import { color, lazily } from './chart';
import { h, place } from './dom';
import { clock, count, stateName } from './format';
import { problem, viewPart } from './parts';
import { Parts, Scroller } from './scroller';
import { chooseThread, isOpenEnded, onNews, params, set } from './state';

interface Thread { name: string; id: number; virtual: boolean; samples: number; lanes: { state: string; spans: number[] }[]; blocks?: Block[] }
interface Block { from: number; to: number; owner: string; ownerId: number; class: string }
interface Lanes { total: number; threads: Thread[] }

const states = ['running', 'parked', 'blocked', 'waiting', 'sleeping', 'io', 'pinned', 'native'];
const height = 24; // of a row
const atOnce = 50; // rows of a request

// threads returns the page.
export function threads(rec: Recording): HTMLElement {
  const search = h('input', { type: 'search', placeholder: 'Part of a name', 'aria-label': 'Threads whose names have', value: params().get('q') || '' });
  search.addEventListener('change', () => set({ q: search.value || null }, true));
  const legend = h('span', { className: 'legend' }, states.map((s) => { const i = h('i'); place(i, { background: `var(--state-${s})` }); return h('span', null, i, stateName(s)); }));
  const total = h('span', { className: 'dim', role: 'status' });
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
      total.textContent = count(answers[0].total) + (answers[0].total === 1 ? ' thread' : ' threads');
      bar.resize(answers[0].total);
      const list = answers.flatMap((p) => p.threads).slice(first - offset, last - offset);
      const top = bar.top;
      const focused = rows.contains(document.activeElement) ? document.activeElement!.textContent : null;
      rows.replaceChildren(...list.map((t, i) => row(t, top + i * height, from, to)), linksOf(list, top, from, to));
      if (focused !== null) ([...rows.querySelectorAll('button')].find((b) => b.textContent === focused) || scroller).focus({ preventScroll: true });
      table.replaceChildren(...list.map((t) => h('tr', null, h('th', { scope: 'row' }, nameOf(t)), states.map((s) => h('td', { className: 'right' }, count(events(t, s)))))));
    } catch (e) {
      if (!isOver(e)) rows.replaceChildren(problem(e));
    }
  };
  scroller.addEventListener('scroll', () => requestAnimationFrame(draw));
  new ResizeObserver(() => {
    parts.forget(); // the width decides what is joined
    draw();
  }).observe(scroller);
  onNews(() => scroller.isConnected && (isOpenEnded() ? (parts.forget(), draw().then(() => true)) : true));
  return h('div', { className: 'full' },
    h('div', { className: 'group bar' }, search, legend, total), scroller,
    h('details', null, h('summary', null, 'Who blocked whom'), lazily(() => viewPart({ view: 'lock-owners', rows: 50 }))),
    h('details', null, h('summary', null, 'As a table: events of the threads that are shown'), h('div', { className: 'scroll' }, h('table', null,
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Thread'), states.map((s) => h('th', { scope: 'col' }, stateName(s))))), table))));
}

// events returns how many events a thread has of a state.
function events(t: Thread, state: string): number {
  const spans = t.lanes.find((l) => l.state === state)?.spans || [];
  let n = 0;
  for (let i = 2; i < spans.length; i += 3) n += spans[i];
  return n;
}

// nameOf returns what a thread is called: virtual threads need no name.
function nameOf(t: Thread): string { return t.name || `${t.virtual ? 'virtual ' : ''}thread ${t.id}`; }

// row returns the lane of a thread.
function row(t: Thread, top: number, from: number, to: number): HTMLElement {
  const canvas = h('canvas', { className: 'lane', role: 'img', 'aria-label': `${nameOf(t)}: ${count(t.samples)} events` });
  const e = h('div', { className: 'row' },
    h('button', { className: 'plain name', title: t.name ? `Choose the thread ${t.name}${t.virtual ? ', a virtual one' : ''}` : 'Choose all threads without a name', onclick: () => chooseThread(t.name) }, nameOf(t)), canvas);
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
  canvas.addEventListener('pointermove', (p) => {
    const at = from + p.offsetX / canvas.clientWidth * (to - from);
    const now = t.lanes.filter((l) => { for (let i = 0; i < l.spans.length; i += 3) if (l.spans[i] <= at && at <= l.spans[i + 1]) return true; return false; });
    const behind = (t.blocks || []).find((b) => b.from <= at && at <= b.to);
    canvas.title = `${clock(at)} ${now.map((l) => stateName(l.state)).join(', ')}${behind ? ` behind ${behind.owner || 'an unknown thread'} (${behind.class})` : ''}`;
  });
  return e;
}

// linksOf returns lines from threads that had a monitor to those that were blocked meanwhile, where both are shown. Those that
// were blocked for longer than a pixel have one.
function linksOf(list: Thread[], top: number, from: number, to: number): HTMLElement {
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
    c.strokeStyle = c.fillStyle = color('--state-blocked');
    const x = (ms: number) => lane.offsetLeft + (ms - from) / Math.max(1, to - from) * lane.clientWidth;
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
