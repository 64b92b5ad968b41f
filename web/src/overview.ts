// The first page: what was recorded, over time, and the worst of everything.

import { ask, type Recording, type Value } from './api';
import { h } from './dom';
import { bytes, count, date, lasts, text } from './format';
import { has, panels, picture, viewPart, waiting } from './parts';
import { address } from './state';
import { overview as picturesOf, viewOf } from './topics';
import { notesOf } from './table';

// Row gives the values of a row by the names of columns.
type Row = (column: string) => Value;

const quoted = (v: Value) => JSON.stringify(String(v ?? ''));
const statement = (q: string) => address('query', { q });
const searched = (method: Value, kind: string) => address('flame', { kind, find: String(method ?? '').replace(/\(.*/, '').split('.').slice(-2).join('.') });

// worst are views, the pages with more of each, and where each row leads.
const worst: [string, string, string, (row: Row) => string][] = [
  ['longest-latencies', 'Longest waits', 'latency', (row) => address('threads', { from: String(row('startTime')), to: String(Number(row('startTime')) + Number(row('duration')) / 1e6) })],
  ['gc-pauses-by-cause', 'Pauses by cause', 'gc', (row) => address('events', { type: 'jdk.GarbageCollection', where: `cause = ${quoted(row('cause'))} and name = ${quoted(row('name'))}` })],
  ['contention-by-site', 'Locks', 'locks', (row) => address('events', { type: 'jdk.JavaMonitorEnter', where: [row('site')].flat().map((frame) => `stackTrace = ${quoted(frame)}`).join(' and ') })],
  ['exceptions-by-class', 'Exceptions', 'exceptions', (row) => statement(`select startTime, @type, eventThread, message, stackTrace from JavaExceptionThrow, JavaErrorThrow where thrownClass = ${quoted(row('class'))} limit 1000`)],
  ['files-by-time', 'Files', 'io', (row) => statement(`select * from FileRead, FileWrite where path = ${quoted(row('path'))} order by duration desc limit 1000`)],
  ['sockets-by-time', 'Sockets', 'io', (row) => statement(`select * from SocketRead, SocketWrite where host = ${quoted(row('host'))} and port = ${row('port')} order by duration desc limit 1000`)],
  ['hot-methods', 'Hot methods', 'flame', (row) => searched(row('method'), 'running')], ['sampled-allocation-by-site', 'Allocating methods', 'flame', (row) => searched(row('site'), 'alloc')],
];

// overview returns the page.
export function overview(rec: Recording): HTMLElement {
  const facts = (): [string, string][] => [
    ['Files', rec.files.map((f) => f.name.replace(/^.*[/\\]/, '')).join(', ')], ['Begin', `${date(rec.start)} (${rec.zone})`], ['Length', lasts((rec.end - rec.start) * 1e6)],
    ['Size', bytes(rec.bytes)], ['Events', `${count(rec.events)} of ${rec.types.length} types`],
  ];
  const pictures = picturesOf(rec);
  const missing = pictures.filter((p) => !has(rec, p.types));
  return panels(missing,
    h('section', { className: 'panel' }, h('h2', null, 'Recording'), waiting(async () =>
      h('div', null, h('table', { className: 'form' }, facts().map(([name, value]) => h('tr', null, h('th', { scope: 'row' }, name), h('td', null, value)))), notesOf(rec.notes)))),
    viewPart({ view: 'jvm-information', whole: true }, 'JVM'), hostPart(rec),
    pictures.filter((p) => has(rec, p.types)).map((p) => picture(rec, p)),
    worst.map(([view, title, to, lead]) => {
      const part = viewPart({ view: viewOf(rec, view), rows: 5 }, title, lead);
      part.append(h('p', null, h('a', { href: address(to) }, 'More')));
      return part;
    }),
    viewPart({ view: 'gc-configuration', whole: true }, 'Garbage collector'), viewPart({ view: 'container-configuration', whole: true }, 'Container'));
}

const host: [string, string][] = [
  ['OSInformation', 'last(osVersion) as System'], ['CPUInformation', 'last(cpu) as Processor, last(cores) as Cores, last(hwThreads) as "Hardware threads"'],
  ['PhysicalMemory', 'max(totalSize) as Memory'], ['VirtualizationInformation', 'last(name) as Virtualization'],
];

// hostPart shows the machine that the JVM ran on.
function hostPart(rec: Recording): HTMLElement {
  const there = host.filter(([type]) => has(rec, [type]));
  return h('section', { className: 'panel', hidden: !there.length }, h('h2', null, 'Host'), waiting(async () => {
    const all = await Promise.all(there.map(([type, what]) => ask(`select ${what} from ${type}`, 1, false)));
    return h('table', { className: 'form' }, all.flatMap((t) => t.columns.map((c) => h('tr', null, h('th', { scope: 'row' }, c.title), h('td', null, nameOf(text(c.values[0], c)))))));
  }));
}

// nameOf returns the name in a long text about a system, or its first line.
function nameOf(about: string): string { return /PRETTY_NAME="([^"]*)"/.exec(about)?.[1] || about.trim().split('\n')[0]; }
