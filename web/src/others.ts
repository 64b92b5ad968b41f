// The pages with views, with queries, and with the files.

import { get, Problem, type Recording, type Table } from './api';
import { chosenTime } from './axis';
import { chartOf, lazily } from './chart';
import { complete } from './complete';
import { h } from './dom';
import { bytes, clock, count, lasts } from './format';
import { problem, waiting } from './parts';
import { address, again, params, set } from './state';
import { saved, tableOf } from './table';

interface View { name: string; label: string; section: string; description: string }

// What is typed or scrolled in these pages stays when they are made anew.
let searched = '';
let scrolled = 0;
let draft = { of: '', text: '' };

// views returns the page with all prepared statements.
export function views(): HTMLElement {
  const name = params().get('view');
  const search = h('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search views', value: searched });
  const list = h('nav', { className: 'list', 'aria-label': 'Views' }, search, waiting(async () => {
    const all = (await get<{ views: View[] }>('/api/views', {}, false)).views;
    const box = h('div');
    const fill = () => {
      searched = search.value;
      const text = searched.toLowerCase();
      const found = all.filter((v) => (v.name + ' ' + v.label + ' ' + v.description).toLowerCase().includes(text));
      box.replaceChildren(...[...new Set(found.map((v) => v.section))].flatMap((s) => [h('h3', null, s), h('ul', null, found.filter((v) => v.section === s).map((v) =>
        h('li', null, h('a', { href: address('views', { view: v.name }), title: v.description, 'aria-current': v.name === name ? 'true' : null }, v.label))))]));
    };
    search.addEventListener('input', fill);
    fill();
    requestAnimationFrame(() => { list.scrollTop = scrolled; list.onscroll = () => { if (list.isConnected) scrolled = list.scrollTop; }; });
    return box;
  }));
  return h('div', { className: 'split' }, list, h('section', { className: 'answer' }, name
    ? waiting(async () => {
      const t = await get<Table>('/api/query', { view: name, limit: 10000 });
      return h('div', null, h('h2', null, t.title || name), h('p', { className: 'group' }, h('code', null, 'mjfr view ' + name), t.rows ? saved(t) : null), tableOf(t));
    })
    : h('p', { className: 'nothing dim' }, 'Choose a view.')));
}

const example = 'select stackTrace.topFrame as method, count(*) as samples\nfrom ExecutionSample\ngroup by stackTrace.topFrame\norder by samples desc\nlimit 50';

// query returns the page with statements.
export function query(rec: Recording): HTMLElement {
  const text = params().get('q') || '';
  const box = h('textarea', { value: draft.of === text && draft.text || text || example, rows: 6, spellcheck: false, 'aria-label': 'Statement' });
  for (const name of ['input', 'change']) box.addEventListener(name, () => { draft = { of: text, text: box.value }; });
  const run = () => { if (box.value === text) again(); else set({ q: box.value }); };
  box.addEventListener('keydown', (e) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); run(); } });
  const answer = text ? waiting(async () => {
    let t: Table;
    try {
      t = await get<Table>('/api/query', { q: text, limit: 10000 });
    } catch (e) {
      if (!(e instanceof Problem) || !e.line) throw e;
      const line = text.split('\n')[e.line - 1] || '';
      return h('div', null, problem(new Error(`Line ${e.line}, character ${e.character}: ${e.message}`)), h('pre', { className: 'wrong' }, `${line}\n${' '.repeat(Math.max(0, e.character - 1))}^`));
    }
    const [from, to] = chosenTime(rec);
    const picture = t.rows > 1 && t.columns[0].kind === 'timestamp' ? chartOf(t, from, to, 'Answer') : null;
    return h('div', null, h('p', { className: 'group' }, h('span', { role: 'status' }, count(t.rows) + (t.more ? ' rows and more' : ' rows')), saved(t)), picture, tableOf(t, 10000));
  }) : h('p', { className: 'dim' }, 'Ctrl+Enter runs the query. Event types are tables, their fields are columns.');
  return h('div', { className: 'answer' }, complete(box, rec), h('p', { className: 'group' }, h('button', { className: 'main', onclick: run }, 'Run')), answer);
}

interface File { name: string; size: number; chunks: { offset: number; size: number; start: number; duration: number; events: number; version: string; finished: boolean; problem?: string }[] }
interface Pool { type: string; pools: number; constants: number; bytes: number }
interface Verified { ok: boolean; problems: { file: string; chunk: number; offset: number; severity: string; text: string; meaning: string }[] }

// file returns the page with the files.
export function file(rec: Recording): HTMLElement {
  const check = h('button', { onclick: () => check.replaceWith(waiting(async () => {
    const v = await get<Verified>('/api/verify', {}, false);
    return h('div', null, h('p', { className: v.ok ? '' : 'wrong', role: 'status' }, v.ok ? 'No damage found.' : 'The files are damaged.'),
      v.problems.length ? h('ul', null, v.problems.map((p) => h('li', { title: p.meaning }, `${p.severity}: chunk ${p.chunk} at ${p.offset}: ${p.text}`))) : null);
  }, false)) }, 'Check for damage');
  const most = [...rec.types].sort((a, b) => b.bytes - a.bytes);
  return h('div', { className: 'panels' },
    h('section', { className: 'panel wide' }, h('h2', null, 'Chunks'), waiting(async () => {
      const all = (await get<{ files: File[] }>('/api/file', {}, false)).files;
      return h('div', null, all.map((f) => h('div', null, h('h3', null, `${f.name}, ${bytes(f.size)}`), h('div', { className: 'scroll' }, h('table', null,
        h('thead', null, h('tr', null, ['Offset', 'Size', 'Begin', 'Length', 'Events', 'Format', 'State'].map((t, i) => h('th', { scope: 'col', className: i < 5 ? 'right' : '' }, t)))),
        h('tbody', null, f.chunks.map((c) => h('tr', null, [String(c.offset), bytes(c.size), clock(c.start), lasts(c.duration), count(c.events)].map((t) => h('td', { className: 'right' }, t)),
          h('td', null, c.version), h('td', { className: c.problem ? 'wrong' : '' }, c.problem || (c.finished ? 'finished' : 'not finished'))))))))));
    }), h('p', null, check)),
    h('section', { className: 'panel wide' }, h('h2', null, 'Constant pools by size'), h('details', null, h('summary', null, 'Show'), lazily(() => waiting(async () => {
      const pools = (await get<{ pools: Pool[] }>('/api/pools', {}, false)).pools;
      return h('div', { className: 'scroll' }, h('table', null, h('thead', null, h('tr', null, ['Type', 'Pools', 'Constants', 'Size'].map((t, i) => h('th', { scope: 'col', className: i ? 'right' : '' }, t)))),
        h('tbody', null, pools.map((p) => h('tr', null, h('td', null, p.type), [count(p.pools), count(p.constants), bytes(p.bytes)].map((t) => h('td', { className: 'right' }, t)))))));
    }, false)))),
    h('section', { className: 'panel wide' }, h('h2', null, 'Event types by size'), h('div', { className: 'scroll' }, h('table', null,
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Type'), h('th', { scope: 'col' }, 'Name'), h('th', { scope: 'col', className: 'right' }, 'Events'), h('th', { scope: 'col', className: 'right' }, 'Size'))),
      h('tbody', null, most.map((t) => h('tr', null, h('td', null, h('a', { href: address('events', { type: t.name }) }, t.label)), h('td', null, t.name), h('td', { className: 'right' }, count(t.events)), h('td', { className: 'right' }, bytes(t.bytes)))))))));
}

