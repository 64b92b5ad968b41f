// Parts that pages are made of: each asks for its content, shows progress, and says what is wrong.

import { ask, get, isOver, Problem, type Events, type Recording, type Table, type Value } from './api';
import { chosenTime, stepOf } from './axis';
import { chartOf } from './chart';
import { h } from './dom';
import { count, lasts, moment } from './format';
import { swap } from './keep';
import { address, isOpenEnded, onNews, params } from './state';
import { tableOf } from './table';

// waiting returns a place that shows content once it is there. Something that takes longer than half a second says so.
// It is made anew when a JVM has recorded more, unless it does not move.
export function waiting(make: () => Promise<HTMLElement>, moves = true): HTMLElement {
  const box = h('div', { className: 'part', 'aria-busy': 'true' });
  const timer = setTimeout(() => box.append(h('p', { className: 'dim', role: 'status' }, 'Reading the recording…')), 500);
  const fill = () => make().then(
    (content) => swap(box, content),
    (e) => { if (!isOver(e)) box.replaceChildren(problem(e)); },
  ).finally(() => { clearTimeout(timer); box.removeAttribute('aria-busy'); });
  fill();
  if (moves) onNews(() => box.isConnected && (isOpenEnded() ? fill().then(() => true) : true));
  return box;
}

// problem returns what is wrong.
export function problem(e: unknown): HTMLElement {
  const missing = e instanceof Problem && e.status === 404;
  const said = document.querySelector('main [role=alert]'); // one is read aloud, not one for each part
  return h('p', { className: missing ? 'dim' : 'wrong', role: missing || said ? null : 'alert' }, missing ? 'Not recorded: ' + e.message : String(e instanceof Error ? e.message : e));
}

// Picture is a time series: a statement in which $step is the length of time of a point.
export interface Picture { title: string; q: string; types: string[]; instead?: string[] }

// picture shows a time series.
export function picture(rec: Recording, p: Picture): HTMLElement {
  return h('section', { className: 'panel' }, h('h2', null, p.title), waiting(async () => {
    const step = stepOf(rec);
    const ms = parseFloat(step) * (step.endsWith('ms') ? 1 : 1e3);
    const t = await ask(p.q.replaceAll('per $step', 'per ' + lasts(ms * 1e6)).replaceAll('$step', step), 10000);
    t.columns[0].title = 'Time';
    const [from, to] = chosenTime(rec);
    const zeros = /\b(sum|count|rate)\(/.test(p.q) ? ms : 0;
    return t.rows ? chartOf(t, from, to, p.title, zeros) : tableOf(t);
  }));
}

interface Named { name: string; label: string; recorded: boolean }
let known = new Map<string, Named>();

// knowViews asks which views there are, and which of them have events: nothing else is asked for.
export async function knowViews() {
  known = new Map((await get<{ views: Named[] }>('/api/views', {}, false, undefined, true)).views.map((v) => [v.name, v]));
}

// View is a prepared statement on a page: of what is chosen, or whole, of all of the recording.
export interface View { view: string; rows?: number; whole?: boolean }

// viewPart shows a view. lead gives the address that a row leads to.
export function viewPart(v: View, title?: string, lead?: (row: (column: string) => Value) => string): HTMLElement {
  const label = title || known.get(v.view)?.label || v.view;
  const head = h('h2', null, h('a', { href: address('views', { view: v.view }) }, label));
  const nothing = (is: boolean) => { box.dispatchEvent(new CustomEvent('nothing', { bubbles: true, detail: { view: v.view, name: known.get(v.view)?.recorded ? label + ': none found' : label, is } })); };
  const box = h('section', { className: 'panel' }, head, waiting(async () => {
    if (!known.get(v.view)?.recorded) {
      await null; // until the part stands on its page
      nothing(true);
      return h('p', { className: 'dim' }, 'Not recorded.');
    }
    const t = await get<Table>('/api/query', { view: v.view, limit: v.rows || 10 }, !v.whole);
    nothing(!t.rows && !t.lost && !t.before);
    return tableOf(t, 1000, lead && ((i) => lead((name) => t.columns.find((c) => c.name === name)?.values[i] ?? null)));
  }));
  return box;
}

// panels returns a page of parts. Pictures that lack their events, and views without rows, are only listed below.
export function panels(missing: Picture[], ...parts: (HTMLElement | null | (HTMLElement | null)[])[]): HTMLElement {
  const list = h('ul', { className: 'names-of' }, missing.map((p) => h('li', null, `${p.title} (${p.types.join(', ')})`)));
  const some = params().has('from') || params().has('to') || params().has('thread');
  const rest = h('section', { className: 'panel wide', hidden: !missing.length }, h('h2', null, some ? 'Nothing in the selected time and threads' : 'Not recorded, or not found'), list);
  const box = h('div', { className: 'panels' }, ...parts, rest);
  box.addEventListener('nothing', (e) => {
    const { view, name, is } = (e as CustomEvent<{ view: string; name: string; is: boolean }>).detail;
    (e.target as HTMLElement).hidden = is;
    const known = [...list.children].find((one) => (one as HTMLElement).dataset.view === view);
    if (is && !known) {
      const item = h('li', null, h('a', { href: address('views', { view }) }, name));
      item.dataset.view = view;
      list.append(item);
    } else if (!is) known?.remove();
    rest.hidden = !list.children.length;
  });
  return box;
}

// deadlocks says which deadlocks of Java threads dumps of all threads have found, at whatever time; null without dumps.
export function deadlocks(rec: Recording): HTMLElement | null {
  const type = 'jdk.ThreadDump';
  if (!has(rec, [type])) return null;
  const box = h('section', { className: 'panel wide about', hidden: true }, h('h2', { className: 'wrong' }, 'Deadlock'), waiting(async () => {
    const found = await get<Events>('/api/events', { type, where: "result like '%Java-level deadlock%'", limit: 500 }, false);
    const values = (name: string) => found.columns?.find((c) => c.name === name)?.values || [];
    const seen = new Map<string, number[]>(); // rows by what they tell
    values('result').forEach((v, row) => {
      const text = /^Found [^\n]* Java-level deadlock[^]*/m.exec(String(v))?.[0] || '';
      const who = [...text.matchAll(/^"[^\n]*":$/gm)].map((m) => m[0]).join('\n');
      seen.set(who, [...(seen.get(who) || []), row]);
    });
    box.hidden = !seen.size;
    return h('div', null, [...seen.values()].map((rows) => {
      const [first] = rows;
      return h('div', null, h('p', null, h('a', { href: address('events', { type, event: found.at[first].file + ':' + found.at[first].offset }) }, `Thread dump of ${moment(Number(values('startTime')[first]))}`),
        rows.length > 1 ? `, and ${count(rows.length - 1)} more up to ${moment(Number(values('startTime')[rows[rows.length - 1]]))}` : ''),
      h('pre', { className: 'scroll' }, /^Found [^\n]* Java-level deadlock[^]*/m.exec(String(values('result')[first]))![0]));
    }));
  }));
  return box;
}

// has reports whether the recording has events of one of some types.
export function has(rec: Recording, types: string[]): boolean {
  return types.some((name) => rec.types.some((t) => t.name === name || t.name === 'jdk.' + name));
}
