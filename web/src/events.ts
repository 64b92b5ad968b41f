// The events of a type: a table over any number of rows, of which only those are asked for that are seen.

import { get, isOver, type Events, type Recording } from './api';
import { complete } from './complete';
import { h, place } from './dom';
import { count, text } from './format';
import { details } from './event';
import { problem } from './parts';
import { Parts, Scroller } from './scroller';
import { isOpenEnded, onNews, params, set } from './state';
import { isRight, notesOf } from './table';

const height = 24; // of a row
const head = 28;

// kept is where the reader was in a list: opening an event makes the page anew.
interface Kept { list: string; total: number; first: number; row: number; parts: Parts<Events> }
let kept: Kept | null = null;
let opened = ''; // the list and the event of it that is in sight: it was opened from its row, or scrolled to

// keptOf returns what is kept of the list that the address names.
function keptOf(type: string): Kept {
  const q = params();
  q.delete('event');
  if (kept?.list !== String(q)) {
    const [where, sort] = [q.get('where') || undefined, q.get('sort') || undefined];
    const parts = new Parts<Events>(200, (offset, signal) => get('/api/events', { type, where, sort, offset, limit: 200 }, true, signal));
    kept = { list: String(q), total: -1, first: 0, row: 0, parts };
  }
  kept.parts.abandon();
  return kept;
}

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
  const filtered = complete(where, rec, type);
  const filter = () => { if (where.value.trim() !== (q.get('where') || '')) set({ where: where.value.trim() || null, event: null }); };
  where.addEventListener('change', filter);
  where.addEventListener('keydown', (e) => { if (e.key === 'Enter' && !e.defaultPrevented) filter(); });
  const status = h('span', { className: 'dim', role: 'status' }, 'Reading the recording…');
  const notes = h('div');
  const body = h('div', { className: 'split' });
  body.append(new Grid(type, status, notes).box);
  const [file, offset] = (q.get('event') || '').split(':');
  if (offset) body.append(details(file, offset));
  body.addEventListener('keydown', (e) => {
    if (e.key !== 'Escape' || !params().has('event')) return;
    e.preventDefault(); // otherwise all of the time would be chosen
    set({ event: null }, true);
  });
  const t = rec.types.find((one) => one.name === type);
  return h('div', { className: 'full' }, h('div', { className: 'group bar' }, options, choose, filtered, status),
    t?.description ? h('p', { className: 'dim about' }, `${t.label}: ${t.description}`) : null, notes, body);
}

// Grid is the table. Arrows move the row with the focus, Enter opens its event.
class Grid {
  readonly box = h('div', { className: 'grid', tabIndex: 0, role: 'region', 'aria-label': 'Events: select a row with the arrow keys, open it with Enter' });
  private readonly head = h('tr');
  private readonly body = h('tbody');
  private readonly table = h('table', { className: 'events' }, h('thead', null, this.head), this.body);
  private readonly scroller = new Scroller(this.box, height, head);
  private readonly kept: Kept;
  private drawing = 0;

  constructor(type: string, private readonly status: HTMLElement, private readonly notes: HTMLElement) {
    this.kept = keptOf(type);
    this.box.append(this.table);
    if (this.kept.total >= 0) this.scroller.resize(this.kept.total);
    this.find(type).catch((e) => { if (!isOver(e)) console.warn(e); }); // the list itself says what is wrong
    let placed = false;
    this.box.addEventListener('scroll', () => requestAnimationFrame(() => { if (placed) this.draw(); }));
    this.box.addEventListener('keydown', (e) => this.key(e));
    new ResizeObserver(() => {
      if (!this.box.isConnected) return;
      if (!placed && this.kept.first) this.scroller.show(this.kept.first);
      placed = true;
      this.draw();
    }).observe(this.box);
    onNews(() => this.box.isConnected && (isOpenEnded() ? this.renew() : true));
  }

  // find scrolls to the event that the address names, unless the reader has opened it here.
  private async find(type: string) {
    const q = params();
    const at = q.get('event');
    if (!at || this.kept.list + at === opened || q.has('sort')) return;
    opened = this.kept.list + at;
    const e = await get<Events>('/api/events', { type, where: q.get('where') || undefined, at, limit: 0 });
    if (!this.box.isConnected || e.row < 0) return;
    this.scroller.resize(e.total);
    this.kept.row = e.row;
    this.scroller.show(e.row - Math.floor(this.scroller.room / 2));
    this.kept.first = this.scroller.first;
  }

  // renew shows more rows: those of a JVM that goes on.
  private async renew(): Promise<boolean> {
    this.kept.parts.forget();
    await this.draw();
    return true;
  }

  private async draw() {
    const mine = ++this.drawing;
    if (!this.box.isConnected) return;
    try {
      const first = this.scroller.first;
      const last = first + this.scroller.room + 2;
      const [parts, from] = await this.kept.parts.of(first, this.kept.total < 0 || isOpenEnded() ? last : Math.max(first + 1, Math.min(last, this.kept.total)));
      if (mine !== this.drawing || !this.box.isConnected) return;
      this.kept.first = first;
      this.titles(parts[0]);
      const focused = this.body.contains(document.activeElement);
      const rows: HTMLElement[] = [];
      for (let r = first; r < Math.min(last, this.kept.total); r++) {
        const part = parts[Math.floor((r - from) / 200)];
        if (part && (r - from) % 200 < part.rows) rows.push(this.row(part, (r - from) % 200, r));
      }
      this.body.replaceChildren(...rows);
      place(this.table, { top: this.scroller.top + 'px' });
      if (focused) (rows[this.kept.row - first] || rows[0] || this.box).focus({ preventScroll: true });
    } catch (e) {
      if (isOver(e)) return;
      this.status.textContent = this.kept.total < 0 ? '' : this.counted();
      place(this.table, { top: this.scroller.top + 'px' });
      this.body.replaceChildren(h('tr', null, h('td', { colSpan: 99, className: 'told' }, problem(e))));
    }
  }

  // titles shows what the list is: how many rows and which columns it has.
  private titles(e: Events) {
    if (e.total === this.kept.total && this.head.children.length) return;
    const sort = params().get('sort') || '';
    this.kept.total = e.total;
    this.scroller.resize(e.total);
    this.status.textContent = this.counted();
    this.table.setAttribute('aria-rowcount', String(e.total + 1));
    this.notes.replaceChildren(notesOf(e.notes) || '');
    this.head.replaceChildren(...e.columns.map((c) => {
      const [now, next] = sort === c.name ? [' ▲', '-' + c.name] : sort === '-' + c.name ? [' ▼', null] : ['', c.name];
      return h('th', { scope: 'col', className: isRight(c) ? 'right' : '', 'aria-sort': now === ' ▲' ? 'ascending' : now ? 'descending' : 'none' },
        h('button', { className: 'plain', title: 'Sort by ' + c.name, onclick: () => set({ sort: next, event: null }) }, c.title + now));
    }));
  }

  private counted(): string {
    const sort = params().get('sort');
    return count(this.kept.total) + (this.kept.total === 1 ? ' event' : ' events') + (sort ? ', by ' + sort.replace(/^-/, '') : ', by end time');
  }

  private row(e: Events, i: number, r: number): HTMLElement {
    const at = e.at[i].file + ':' + e.at[i].offset;
    const open = () => { this.kept.row = r; opened = this.kept.list + at; set({ event: at }, true); };
    return h('tr', { id: 'row-' + r, tabIndex: r === this.kept.row ? 0 : -1, 'aria-rowindex': r + 2, className: params().get('event') === at ? 'chosen' : '',
      onclick: open, onkeydown: (k: KeyboardEvent) => { if (k.key === 'Enter') open(); } },
    e.columns.map((c) => { const v = text(c.values[i], c); return h('td', { className: isRight(c) ? 'right' : '', title: v }, v); }));
  }

  // key moves the row with the focus.
  private key(e: KeyboardEvent) {
    const inside = this.body.contains(document.activeElement);
    if (!inside && document.activeElement !== this.box || e.ctrlKey || e.altKey) return;
    const { room, first } = this.scroller;
    const by: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: room, PageUp: -room, Home: -Infinity, End: Infinity };
    if (!(e.key in by)) return;
    e.preventDefault();
    const row = inside ? this.kept.row + by[e.key] : Number.isFinite(by[e.key]) ? first : by[e.key];
    this.kept.row = Math.min(Math.max(0, row), this.kept.total - 1);
    this.scroller.reveal(this.kept.row);
    const there = this.body.querySelector<HTMLElement>('#row-' + this.kept.row);
    (there || this.body.querySelector<HTMLElement>('tr') || this.box).focus({ preventScroll: true });
  }
}
