// The slowest requests, and what their threads did meanwhile.

import { get, type Recording, type Table } from './api';
import { chosenTime } from './axis';
import { chartOf } from './chart';
import { h, place } from './dom';
import { count, lasts, moment, stateName } from './format';
import { waiting } from './parts';
import { notesOf, tableOf as answer } from './table';
import { address, params, set } from './state';

interface Span { type: string; label: string; text: string; start: number; duration: number; thread: string; threadTitle: string; at: { file: number; offset: string }; parts: { state: string; nanos: number }[]; blocked?: string; samples: { state: string; samples: number; top: string }[] }
interface Latency { types: { name: string; label: string; events: number; application: boolean }[]; spans: Span[]; notes?: string[]; lost?: string[] }

// slowest returns the part of the page with the slowest events of a type.
export function slowest(rec: Recording): HTMLElement {
  const type = params().get('spans') || undefined;
  return h('section', { className: 'panel wide' }, h('h2', null, 'The slowest, and what their threads did'), waiting(async () => {
    const d = await get<Latency>('/api/latency', { type });
    const own = d.types.filter((t) => t.application);
    const choose = h('select', { 'aria-label': 'Events', onchange: () => set({ spans: choose.value || null }) },
      h('option', { value: '' }, own.length ? 'Application events' : 'Choose an event type'),
      d.types.map((t) => h('option', { value: t.name, selected: t.name === type }, `${t.label}, ${count(t.events)}`)));
    return h('div', null, h('div', { className: 'group' }, choose),
      !own.length && !type ? h('p', { className: 'dim' }, 'No application events with a duration, such as requests. Tracing agents (Datadog, async-profiler), frameworks, and your own subclasses of jdk.jfr.Event record them. You can choose an event type of the JDK above.') : null,
      d.spans.length ? tableOf(rec, d.spans) : h('p', { className: 'dim' }, d.lost ? 'No such events could be read.' : 'No such events in the selected time and threads.'), notesOf(d.notes));
  }));
}

// waits returns the picture of threads that waited.
export function waits(rec: Recording): HTMLElement {
  return h('section', { className: 'panel' }, h('h2', { title: 'Average number of threads waiting at the same time, without idle pool threads and threads of the JVM' }, 'Waiting threads, without idle ones'), waiting(async () => {
    const t = await get<Table>('/api/waits', { points: 150 });
    for (const c of t.columns) c.title = stateName(c.title);
    const [from, to] = chosenTime(rec);
    return t.rows ? chartOf(t, from, to, 'Waiting threads') : answer(t);
  }));
}

function tableOf(rec: Recording, spans: Span[]): HTMLElement {
  return h('div', { className: 'scroll' }, h('table', null,
    h('thead', null, h('tr', null, ['Event', 'Begin', 'Duration', 'Thread', 'Meanwhile', ''].map((t) => h('th', { scope: 'col', className: t === 'Event' || t === 'Thread' ? 'text ' + t.toLowerCase() : t === 'Duration' ? 'right' : '' }, t)))),
    h('tbody', null, spans.map((s) => row(rec, s)))));
}

function row(rec: Recording, s: Span): HTMLElement {
  const said = [...s.parts.map((p) => `${stateName(p.state)} ${lasts(p.nanos)}`), s.blocked ? 'longest behind ' + s.blocked : '',
    ...s.samples.map((i) => `${count(i.samples)} ${i.samples === 1 ? 'sample' : 'samples'} ${stateName(i.state)}${i.top ? ', most in ' + i.top : ''}`)].filter(Boolean).join(', ');
  const bar = h('div', { className: 'parts', role: 'img', 'aria-label': said, title: said }, s.parts.map((p) => {
    const part = h('i');
    place(part, { width: 100 * p.nanos / s.duration + '%', background: `var(--state-${p.state})` });
    return part;
  }));
  const time = { from: String(Math.max(rec.start, s.start)), to: String(Math.min(rec.end, s.start + s.duration / 1e6)), thread: s.thread };
  return h('tr', null, h('td', { className: 'text', title: s.label + (s.text ? ': ' + s.text : '') }, h('a', { href: address('events', { type: s.type, event: s.at.file + ':' + s.at.offset }) }, s.label + (s.text ? ': ' + s.text : ''))),
    h('td', null, moment(s.start)), h('td', { className: 'right' }, lasts(s.duration)), h('td', { className: 'text', title: s.threadTitle }, s.threadTitle), h('td', { className: 'meanwhile' }, bar, h('span', { className: 'dim' }, said)),
    h('td', null, h('a', { href: address('threads', { from: time.from, to: time.to }) }, 'threads'), ' ', h('a', { href: address('flame', { ...time, kind: 'wall' }) }, 'flame graph')));
}
