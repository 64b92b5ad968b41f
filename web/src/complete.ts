// Completion of names in a statement.

import { get, type Recording, type Table } from './api';
import { h } from './dom';

const words = ['select', 'from', 'where', 'group by', 'order by', 'having', 'limit', 'during', 'within', 'asof', 'desc', 'between', 'like', 'is null',
  'count(*)', 'sum(', 'avg(', 'min(', 'max(', 'stdev(', 'median(', 'p50(', 'p90(', 'p99(', 'p999(', 'quantile(', 'histogram(', 'first(', 'last(', 'last_batch(', 'diff(', 'unique(',
  'set(', 'list(', 'top_k(', 'arg_max(', 'arg_min(', 'rate(*)', 'rate(', 'time(1s)', 'bucket(', 'coalesce(', 'abs(', 'round(', 'floor(', 'ceil(', 'seconds(', 'lower(', 'upper(', 'package(', 'simple(',
  'startTime', 'duration', 'eventThread', 'stackTrace', 'stackTrace.topFrame', 'stackTrace.topApplicationFrame', 'stackTrace.topNotInitFrame', 'eventType.name', 'eventType.label', '@weight', '@thread', '@start', '@end', '@duration', '@type'];

const conditions = ['and', 'or', 'not', 'between', 'like', 'in (', 'is null', 'is not null', '@thread', '@start', '@duration', '@class', 'stackTrace.topFrame'];

// complete returns a box for statements, or for conditions of a type, with a list of the names that fit.
export function complete(box: HTMLTextAreaElement | HTMLInputElement, rec: Recording, of = ''): HTMLElement {
  const list = h('ul', { className: 'names', role: 'listbox', id: 'names', hidden: true });
  box.setAttribute('role', 'combobox');
  box.setAttribute('aria-controls', 'names');
  box.setAttribute('aria-autocomplete', 'list');
  box.setAttribute('aria-expanded', 'false');
  const types = rec.types.map((t) => t.name.replace(/^jdk\./, ''));
  const fields = new Map<string, string[]>(); // of a type, once they are known
  let chosen = 0;
  let found: string[] = [];
  const word = () => /[\w@.$*]*$/.exec(box.value.slice(0, box.selectionStart!))![0];
  const close = () => { list.hidden = true; box.setAttribute('aria-expanded', 'false'); box.removeAttribute('aria-activedescendant'); };
  const put = (name: string) => {
    box.setRangeText(name, box.selectionStart! - word().length, box.selectionStart!, 'end');
    close();
    box.focus();
    if (!of) box.dispatchEvent(new Event('change'));
  };
  const show = () => {
    list.replaceChildren(...found.map((name, i) => h('li', { role: 'option', id: 'name-' + i, 'aria-selected': String(i === chosen), onmousedown: (e: Event) => { e.preventDefault(); put(name); } }, name)));
    list.hidden = !found.length;
    box.setAttribute('aria-expanded', String(!list.hidden));
    if (list.hidden) box.removeAttribute('aria-activedescendant'); else box.setAttribute('aria-activedescendant', 'name-' + chosen);
  };
  const look = () => {
    const text = word().toLowerCase();
    const type = of || types.find((t) => new RegExp(`\\b${t.replace(/[.$*+?^()[\]{}|\\]/g, '\\$&')}\\b`).test(box.value));
    if (type && !fields.has(type)) {
      fields.set(type, []);
      get<Table>('/api/query', { q: `select * from ${type} limit 1`, limit: 1 }, false).then((t) => { fields.set(type, t.columns.map((c) => c.name)); if (document.activeElement === box) look(); }, () => {});
    }
    const all = [...new Set([...(type ? fields.get(type)! : []), ...(of ? conditions : [...words, ...types])])];
    found = text ? all.filter((n) => n.toLowerCase().includes(text) && n.toLowerCase() !== text).sort((a, b) => Number(b.toLowerCase().startsWith(text)) - Number(a.toLowerCase().startsWith(text))).slice(0, 10) : [];
    chosen = 0;
    show();
  };
  box.addEventListener('input', look);
  box.addEventListener('blur', close);
  (box as HTMLElement).addEventListener('keydown', (e) => {
    if (list.hidden) return;
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') chosen = (chosen + (e.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length;
    else if (e.key === 'Tab' || e.key === 'Enter' && !e.ctrlKey) put(found[chosen]);
    else if (e.key === 'Escape') close();
    else return;
    e.preventDefault();
    if (!list.hidden) show();
  });
  return h('div', { className: 'statement' }, box, list);
}
