// Pages that are pictures and views: what each of them shows.

import type { Recording } from './api';
import { h } from './dom';
import { has, picture, viewPart, type Picture, type View } from './parts';
import { eventsLink } from './table';

export interface Topic { name: string; title: string; pictures: Picture[]; views: View[]; types: string[] }

const load: Picture = { title: 'CPU', types: ['CPULoad'], q: 'select time($step) as t, max(machineTotal) as machine, max(jvmUser) as "JVM, user", max(jvmSystem) as "JVM, system" from CPULoad group by time($step)' };
const heap: Picture = { title: 'Heap', types: ['GCHeapSummary'], q: 'select time($step) as t, max(heapUsed) as used, max(heapSpace.committedSize) as committed from GCHeapSummary group by time($step)' };
const pauses: Picture = { title: 'Pauses of garbage collections', types: ['GCPhasePause'], q: 'select time($step) as t, sum(duration) as all, max(duration) as longest from GCPhasePause group by time($step)' };
const allocated: Picture = { title: 'Allocated, by samples', types: ['ObjectAllocationSample'], q: 'select time($step) as t, sum(weight) as allocated from ObjectAllocationSample group by time($step)' };
const threads: Picture = { title: 'Threads', types: ['JavaThreadStatistics'], q: 'select time($step) as t, max(activeCount) as active, max(daemonCount) as daemons from JavaThreadStatistics group by time($step)' };
const blocked: Picture = { title: 'Waiting for locks', types: ['JavaMonitorEnter'], q: 'select time($step) as t, sum(duration) as all, max(duration) as longest from JavaMonitorEnter group by time($step)' };
const sockets: Picture = { title: 'Sockets', types: ['SocketRead', 'SocketWrite'], q: 'select time($step) as t, sum(bytesRead) as read, sum(bytesWritten) as written from SocketRead, SocketWrite group by time($step)' };
const files: Picture = { title: 'Files', types: ['FileRead', 'FileWrite'], q: 'select time($step) as t, sum(bytesRead) as read, sum(bytesWritten) as written from FileRead, FileWrite group by time($step)' };
const thrown: Picture = { title: 'Exceptions and errors', types: ['JavaExceptionThrow', 'JavaErrorThrow'], q: 'select time($step) as t, count(*) as created from JavaExceptionThrow, JavaErrorThrow group by time($step)' };
const pinned: Picture = { title: 'Pinned virtual threads', types: ['VirtualThreadPinned'], q: 'select time($step) as t, sum(duration) as all, max(duration) as longest from VirtualThreadPinned group by time($step)' };
const started: Picture = { title: 'Virtual threads that started', types: ['VirtualThreadStart'], q: 'select time($step) as t, count(*) as started from VirtualThreadStart group by time($step)' };
const waits: Picture = { title: 'Waits of threads', types: ['ThreadPark', 'JavaMonitorWait', 'JavaMonitorEnter', 'ThreadSleep', 'SocketRead', 'FileRead'], q: 'select time($step) as t, sum(duration) as all, max(duration) as longest from ThreadPark, JavaMonitorEnter, SocketRead, SocketWrite, FileRead, FileWrite group by time($step)' };

// overview are the pictures of the first page.
export const overview = [load, heap, allocated, pauses, threads, sockets, files];

const views = (...names: string[]): View[] => names.map((view) => ({ view }));

export const topics: Topic[] = [
  { name: 'gc', title: 'GC', pictures: [pauses, heap], types: ['jdk.GarbageCollection', 'jdk.GCPhasePause', 'jdk.GCHeapSummary'],
    views: views('gc-pauses', 'gc-pauses-by-cause', 'gc', 'gc-pause-phases', 'gc-concurrent-phases', 'gc-cpu-time', 'gc-references', 'safepoints-by-operation', 'blocked-by-system-gc', 'gc-configuration', 'heap-configuration') },
  { name: 'locks', title: 'Locks', pictures: [blocked], types: ['jdk.JavaMonitorEnter', 'jdk.ThreadPark', 'jdk.JavaMonitorWait'],
    views: views('contention-by-class', 'contention-by-site', 'contention-by-thread', 'lock-owners', 'lock-convoys', 'parking-by-site', 'contention-by-address', 'monitor-inflation') },
  { name: 'io', title: 'I/O', pictures: [sockets, files], types: ['jdk.FileRead', 'jdk.FileWrite', 'jdk.SocketRead', 'jdk.SocketWrite'],
    views: views('files-by-time', 'sockets-by-time', 'file-reads-by-path', 'file-writes-by-path', 'socket-reads-by-host', 'socket-writes-by-host') },
  { name: 'exceptions', title: 'Exceptions', pictures: [thrown], types: ['jdk.JavaExceptionThrow', 'jdk.JavaErrorThrow', 'jdk.ExceptionStatistics'],
    views: views('exception-count', 'exception-by-type', 'exception-by-message', 'exception-by-site') },
  { name: 'virtual', title: 'Virtual threads', pictures: [started, pinned], types: ['jdk.VirtualThreadPinned', 'jdk.VirtualThreadSubmitFailed', 'jdk.VirtualThreadStart'],
    views: views('pinned-threads', 'pinned-threads-by-reason', 'virtual-threads') },
  { name: 'latency', title: 'Latency', pictures: [waits], types: ['jdk.ThreadPark', 'jdk.JavaMonitorEnter', 'jdk.ThreadSleep'],
    views: [{ view: 'longest-latencies', rows: 25 }, ...views('latencies-by-type', 'latencies-by-thread', 'urls-by-time', 'sql-by-time', 'datadog-endpoints', 'profiler-spans')] },
];

// topic returns a page of pictures and views.
export function topic(rec: Recording, t: Topic): HTMLElement {
  const there = t.types.filter((name) => has(rec, [name]));
  const links = there.flatMap((name, i) => {
    const type = rec.types.find((r) => r.name === name)!;
    return [i ? ', ' : '', eventsLink(name, `${type.label} (${type.events.toLocaleString('en')})`)];
  });
  return h('div', { className: 'panels' },
    h('p', { className: 'wide' }, links.length ? ['Events: ', ...links] : 'Nothing of this was recorded: ' + t.types.join(', ') + '.'),
    t.pictures.filter((p) => has(rec, p.types)).map((p) => picture(rec, p)),
    t.views.map((v) => viewPart(v)));
}
