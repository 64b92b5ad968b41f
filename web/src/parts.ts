// Parts that pages are made of: each asks for its content, shows progress, and says what is wrong.

import { ask, get, isOver, Problem, type Recording, type Table } from './api';
import { chosenTime, stepOf } from './axis';
import { chartOf } from './chart';
import { h } from './dom';
import { address } from './state';
import { tableOf } from './table';

// waiting returns a place that shows content once it is there. Something that takes longer than half a second says so.
export function waiting(make: () => Promise<HTMLElement>): HTMLElement {
  const box = h('div', { className: 'part', 'aria-busy': 'true' });
  const timer = setTimeout(() => box.append(h('p', { className: 'dim', role: 'status' }, 'Reading the recording…')), 500);
  make().then(
    (content) => box.replaceChildren(content),
    (e) => { if (!isOver(e)) box.replaceChildren(problem(e)); },
  ).finally(() => { clearTimeout(timer); box.removeAttribute('aria-busy'); });
  return box;
}

// problem returns what is wrong.
export function problem(e: unknown): HTMLElement {
  const missing = e instanceof Problem && e.status === 404;
  return h('p', { className: missing ? 'dim' : 'wrong', role: missing ? null : 'alert' }, missing ? 'Not recorded: ' + e.message : String(e instanceof Error ? e.message : e));
}

// Picture is a time series: a statement in which $step is the length of time of a point.
export interface Picture { title: string; q: string; types: string[] }

// picture shows a time series.
export function picture(rec: Recording, p: Picture): HTMLElement {
  return h('section', { className: 'panel' }, h('h2', null, p.title), waiting(async () => {
    const t = await ask(p.q.replaceAll('$step', stepOf(rec)), 10000);
    const [from, to] = chosenTime(rec);
    return t.rows ? chartOf(t, from, to, p.title) : tableOf(t);
  }));
}

// View is a prepared statement on a page.
export interface View { view: string; rows?: number }

// viewPart shows a view.
export function viewPart(v: View, title?: string): HTMLElement {
  const head = h('h2', null, h('a', { href: address('views', { view: v.view }) }, title || v.view));
  return h('section', { className: 'panel' }, head, waiting(async () => {
    const t = await get<Table>('/api/query', { view: v.view, limit: v.rows || 10 });
    if (!title) head.firstElementChild!.textContent = t.title || v.view;
    return tableOf(t);
  }));
}

// has reports whether the recording has events of one of some types.
export function has(rec: Recording, types: string[]): boolean {
  return types.some((name) => rec.types.some((t) => t.name === name || t.name === 'jdk.' + name));
}
