// The events of a type: a table over any number of rows, of which only those are asked for that are seen.

import { get, isOver, type Events, type Recording } from './api';
import { h, place } from './dom';
import { count, text } from './format';
import { details } from './event';
import { problem } from './parts';
import { params, set } from './state';
import { isRight } from './table';

const height = 24;
const atOnce = 200;
const mostHeight = 8_000_000; // browsers show no higher elements: beyond it a pixel is more than a row

// events returns the page.
export function events(rec: Recording): HTMLElement {
  if (!rec.types.length) return h('p', { className: 'nothing' }, 'The recording has no events.');
  const q = params();
  const type = q.get('type') || rec.types[0].name;
  const options = h('datalist', { id: 'types' }, rec.types.map((t) => h('option', { value: t.name }, `${t.label}, ${count(t.events)}`)));
  const choose = h('input', { value: type, 'aria-label': 'Event type', className: 'typed' });
  choose.setAttribute('list', 'types');
  choose.addEventListener('change', () => set({ type: choose.value.trim(), where: null, sort: null, event: null }));
  choose.addEventListener('focus', () => choose.select());
  const where = h('input', { value: q.get('where') || '', placeholder: "Condition, such as duration > 10ms and @thread like 'http-%'", 'aria-label': 'Condition', className: 'wide' });
  where.addEventListener('change', () => set({ where: where.value.trim() || null, event: null }));
  const status = h('span', { className: 'dim', role: 'status' }, 'Reading the recording…');
  const body = h('div', { className: 'split' });
  const list = grid(type, status);
  body.append(list);
  const [file, offset] = (q.get('event') || '').split(':');
  if (offset) body.append(details(file, offset));
  const t = rec.types.find((one) => one.name === type);
  return h('div', { className: 'full' }, h('div', { className: 'group bar' }, options, choose, where, status),
    t?.description ? h('p', { className: 'dim about' }, `${t.label}: ${t.description}`) : null, body);
}

// grid returns the rows.
function grid(type: string, status: HTMLElement): HTMLElement {
  const sort = params().get('sort') || '';
  const head = h('tr');
  const body = h('tbody');
  const table = h('table', { className: 'events' }, h('thead', null, head), body);
  const filler = h('div', { className: 'filler' });
  const box = h('div', { className: 'grid', tabIndex: 0, role: 'region', 'aria-label': 'Events' }, filler, table);
  const known = new Map<number, Promise<Events>>();
  let total = 0;
  const page = (n: number, signal?: AbortSignal) => {
    let p = known.get(n);
    if (!p) {
      p = get<Events>('/api/events', { type, where: params().get('where') || undefined, sort: sort || undefined, offset: n * atOnce, limit: atOnce }, true, signal);
      p.catch(() => known.delete(n));
      known.set(n, p);
      if (known.size > 60) known.delete(known.keys().next().value!);
    }
    return p;
  };
  // firstRow returns the row at the top: as many pixels as there are stand for all rows.
  const firstRow = () => {
    const visible = Math.max(1, Math.floor((box.clientHeight - 28) / height));
    const scrollable = Math.max(1, filler.offsetHeight - box.clientHeight);
    if (total * height <= mostHeight) return Math.floor(box.scrollTop / height);
    return Math.round(box.scrollTop / scrollable * Math.max(0, total - visible));
  };
  let drawing = 0;
  let aborter = new AbortController();
  const draw = async () => {
    const mine = ++drawing;
    aborter.abort(); // rows that have been scrolled past
    aborter = new AbortController();
    try {
      const first = firstRow();
      const last = first + Math.ceil(box.clientHeight / height) + 1;
      const numbers = [...new Set([Math.floor(first / atOnce), Math.floor(last / atOnce)])];
      const parts = await Promise.all(numbers.map((n) => page(n, aborter.signal)));
      if (mine !== drawing) return;
      const e = parts[0];
      if (e.total !== total || !head.children.length) {
        total = e.total;
        status.textContent = count(total) + ' events';
        place(filler, { height: Math.min(mostHeight, total * height + 28) + 'px' });
        head.replaceChildren(...e.columns.map((c) => {
          const [now, next] = sort === c.name ? [' ▲', '-' + c.name] : sort === '-' + c.name ? [' ▼', null] : ['', c.name];
          return h('th', { scope: 'col', className: isRight(c) ? 'right' : '', 'aria-sort': now === ' ▲' ? 'ascending' : now ? 'descending' : 'none' },
            h('button', { className: 'plain', title: 'Sort by ' + c.name, onclick: () => set({ sort: next, event: null }) }, c.title + now));
        }));
      }
      const rows: HTMLElement[] = [];
      for (let r = first; r < Math.min(last, total); r++) {
        const part = parts[numbers.indexOf(Math.floor(r / atOnce))];
        const i = r % atOnce;
        if (!part || i >= part.rows) continue;
        const at = part.at[i].file + ':' + part.at[i].offset;
        const open = () => set({ event: at }, true);
        rows.push(h('tr', { tabIndex: 0, className: params().get('event') === at ? 'chosen' : '', onclick: open, onkeydown: (k: KeyboardEvent) => { if (k.key === 'Enter') open(); } },
          part.columns.map((c) => { const s = text(c.values[i], c); return h('td', { className: isRight(c) ? 'right' : '', title: s }, s); })));
      }
      body.replaceChildren(...rows);
      place(table, { top: (total * height <= mostHeight ? first * height : box.scrollTop) + 'px' });
    } catch (e) {
      if (isOver(e)) return;
      status.textContent = '';
      body.replaceChildren(h('tr', null, h('td', null, problem(e))));
    }
  };
  box.addEventListener('scroll', () => requestAnimationFrame(draw));
  new ResizeObserver(draw).observe(box);
  return box;
}
