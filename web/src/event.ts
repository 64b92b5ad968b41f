// One event: its fields, its stack trace and its bytes.

import { get, type Column } from './api';
import { h } from './dom';
import { bytes, clock, lasts, text } from './format';
import { waiting } from './parts';
import { address, set } from './state';

interface Event {
  type: string; label: string; start: number; duration: number | null; thread: string; threadName: string; file: string; offset: number; size: number;
  fields: { name: string; label: string; type: string; value: string; column: Column }[]; stack: string[];
  hex: { offset: number; bytes: string; path: string; type: string; value: string; meaning: string }[];
}

// details returns what is known of an event.
export function details(file: string, offset: string): HTMLElement {
  const close = h('button', { title: 'Close (Escape)', onclick: () => set({ event: null }, true) }, 'Close');
  const box = h('aside', { className: 'details', 'aria-label': 'Event' }, close, waiting(async () => {
    const e = await get<Event>('/api/event', { file, offset }, false);
    return h('div', null, h('h2', null, e.label),
      h('p', { className: 'dim' }, `${e.type}, ${clock(e.start)}${e.duration === null ? '' : ', ' + lasts(e.duration)}${e.thread ? ', ' + e.thread : ''}`),
      e.thread ? h('p', { className: 'group' }, meanwhile(e).map(([label, to]) => h('a', { href: to }, label))) : null,
      h('table', { className: 'form' }, e.fields.filter((f) => f.name !== 'stackTrace').map((f) => h('tr', null, h('th', { scope: 'row', title: `${f.name}: ${f.type}` }, f.label), h('td', null, shown(f.value, f.column))))),
      e.stack.length ? h('details', { open: true }, h('summary', null, `Stack trace, ${e.stack.length} frames`), h('ol', { className: 'stack' }, e.stack.map((f) => h('li', null, f)))) : null,
      h('details', null, h('summary', null, `Bytes: ${bytes(e.size)} at ${e.offset} of ${e.file}`), h('div', { className: 'scroll' }, h('table', { className: 'hex' },
        h('tbody', null, e.hex.map((l) => h('tr', null, h('td', null, '0x' + l.offset.toString(16)), h('td', null, l.bytes), h('td', null, l.path), h('td', null, l.value), h('td', null, l.meaning))))))));
  }, false));
  return box;
}

// shown returns a field as its row has it; lists with all that is in them.
function shown(all: string, c: Column): string {
  const v = c.values[0];
  return Array.isArray(v) || typeof v === 'number' && Math.abs(v) > Number.MAX_SAFE_INTEGER ? all : text(v, c);
}

// meanwhile returns links to what the thread of an event, and others, did while it lasted; around it, if it was short.
function meanwhile(e: Event): [string, string][] {
  const length = (e.duration || 0) / 1e6;
  const around = length > 1 ? 0 : 5;
  const time = { from: String(e.start - around), to: String(e.start + length + around) };
  return [['This thread at that time', address('threads', { ...time, thread: e.threadName })], ['All threads', address('threads', time)], ['Flame graph of this thread', address('flame', { ...time, thread: e.threadName })]];
}
