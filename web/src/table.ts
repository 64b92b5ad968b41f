// Answers as tables and forms.

import type { Column, Table } from './api';
import { h, place, visible } from './dom';
import { count, text } from './format';
import { address, chooseThread, isPart, params } from './state';

// isRight reports whether the values of a column end at the right.
export function isRight(c: Column): boolean { return !c.left && ['integer', 'unsigned', 'number', 'timespan', 'timestamp'].includes(c.kind); }

// alignment returns the class of the cells of a column: numbers at the right, and names that are cut where room is scarce.
function alignment(c: Column): string { return isRight(c) ? 'right' : c.kind === 'timestamp' ? '' : 'text'; }

// cell returns a cell. The name of a thread is a button that chooses the thread; to is where the cell leads.
function cell(c: Column, row: number, to?: string): HTMLTableCellElement {
  const v = c.values[row];
  const shown = v === null && c.name === 'previousOwner' ? 'not recorded' : text(v, c) + apart(c, row);
  const td = h('td', { className: alignment(c), title: Array.isArray(v) ? v.join('\n') : shown });
  if (to) td.append(h('a', { href: to }, shown || '(none)'));
  else if (c.kind === 'thread' && typeof v === 'string') {
    td.append(h('button', { className: 'plain', title: 'Select thread ' + v, onclick: () => chooseThread(v) }, shown));
  } else td.append(visible(shown));
  return td;
}

// apart returns the frame by which a stack differs from another one of its column that is shown by the same frame.
function apart(c: Column, row: number): string {
  const v = c.values[row];
  if (!Array.isArray(v)) return '';
  let most = 0; // how many frames another stack has in common
  c.values.slice(0, 200).forEach((o, i) => {
    if (i === row || !Array.isArray(o)) return;
    let n = 0;
    while (n < v.length && n < o.length && v[n] === o[n]) n++;
    if (n < v.length || n < o.length) most = Math.max(most, n);
  });
  return most ? ' ' + (v[most] ?? 'and no more') : '';
}

// widthsOf returns the widths of columns with names, in a table as wide as its place: what numbers leave is shared by how long
// the names are. Those that have no room are cut.
function widthsOf(t: Table, rows: number): (Record<string, string> | null)[] {
  const longest = t.columns.map((c) => (alignment(c) !== 'text' ? 0 : Math.min(60, Math.max(c.title.length, ...c.values.slice(0, rows).map((v) => text(v, c).length)))));
  const all = longest.reduce((n, length) => n + length, 0);
  return longest.map((length) => (length ? { width: 100 * length / all + '%', 'min-width': Math.min(10, length + 1) + 'ch' } : null));
}

// tableOf returns an answer as a table, or as a form if it is one. lead gives the address that the first cell of a row leads to.
export function tableOf(t: Table, most = 1000, lead?: (row: number) => string): HTMLElement {
  if (!t.rows) {
    return h('div', null, h('p', { className: 'dim' }, (t.lost ? 'None of this could be read' : 'None of this was recorded') + (isPart() ? ' in the selected time and threads.' : '.')), beforeOf(t), notesOf(t.notes));
  }
  if (t.form) {
    return h('div', { className: 'scroll' }, h('table', { className: 'form' }, t.columns.map((c) => h('tr', null, h('th', { scope: 'row' }, c.title), cell({ ...c, left: true }, 0)))));
  }
  const rows: HTMLElement[] = [];
  for (let i = 0; i < Math.min(t.rows, most); i++) rows.push(h('tr', null, t.columns.map((c, k) => cell(c, i, k === 0 ? lead?.(i) : undefined))));
  const widths = widthsOf(t, Math.min(t.rows, 200));
  const more = t.more || t.rows > most;
  return h('div', null,
    h('div', { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': t.title || 'Rows' }, h('table', null,
      h('thead', null, h('tr', null, t.columns.map((c, i) => {
        const th = h('th', { scope: 'col', className: alignment(c) }, c.title);
        if (widths[i]) place(th, widths[i]!);
        return th;
      }))),
      h('tbody', null, rows))),
    more ? h('p', { className: 'dim' }, `The first ${rows.length} rows.`) : null,
    beforeOf(t), notesOf(t.notes));
}

// beforeOf says what began before the chosen time and reaches into it, which no row counts, with a link that chooses that, too.
function beforeOf(t: Table): HTMLElement | null {
  if (!t.before) return null;
  const { events, from } = t.before;
  const q = params();
  q.set('from', String(from));
  return h('p', { className: 'dim' }, `${count(events)} ${events === 1 ? 'event' : 'events'} that began before the selected time and reach into it are not counted. `,
    h('a', { href: location.pathname + '?' + q }, 'Include them'));
}

// notesOf returns what an answer lacks.
export function notesOf(notes?: string[]): HTMLElement | null {
  return notes?.length ? h('ul', { className: 'notes' }, notes.map((n) => h('li', null, n))) : null;
}

// saved lets people save an answer.
export function saved(t: Table): HTMLElement {
  const save = (name: string, type: string, content: string) => {
    const a = h('a', { href: URL.createObjectURL(new Blob([content], { type })), download: name });
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 1000);
  };
  const plain = (v: unknown) => (Array.isArray(v) ? v.join(';') : v === null ? '' : String(v));
  const csv = () => [t.columns.map((c) => c.name), ...Array.from({ length: t.rows }, (_, i) => t.columns.map((c) => plain(c.values[i])))]
    .map((row) => row.map((v) => (/[",\n\r]/.test(v) ? '"' + v.replaceAll('"', '""') + '"' : v)).join(',')).join('\n') + '\n';
  const json = () => JSON.stringify(Array.from({ length: t.rows }, (_, i) => Object.fromEntries(t.columns.map((c) => [c.name, c.values[i]]))), null, 1) + '\n';
  return h('span', { className: 'group' },
    h('button', { onclick: () => save('answer.csv', 'text/csv', csv()) }, 'Save as CSV'),
    h('button', { onclick: () => save('answer.json', 'application/json', json()) }, 'Save as JSON'));
}

// eventsLink returns a link to the events of a type.
export function eventsLink(type: string, label: string): HTMLElement { return h('a', { href: address('events', { type }) }, label); }
