// Flame graphs of the chosen time and threads, and their difference to another time.

import { link, type Recording } from './api';
import { h } from './dom';
import { clock } from './format';
import { params, set } from './state';

// flame returns the page.
export function flame(rec: Recording): HTMLElement {
  if (!rec.kinds.length) return h('p', { className: 'nothing' }, 'No samples were recorded: nothing that has a stack and a weight.');
  const q = params();
  const kind = rec.kinds.find((k) => k.name === q.get('kind'))?.name || rec.kinds[0].name;
  const base = q.has('basefrom') || q.has('baseto') ? { basefrom: q.get('basefrom') || undefined, baseto: q.get('baseto') || undefined } : {};
  const choose = h('select', { id: 'kind', onchange: () => set({ kind: choose.value }) }, rec.kinds.map((k) => h('option', { value: k.name, selected: k.name === kind }, k.title)));
  const compared = 'basefrom' in base;
  const time = (from: string | null, to: string | null) => `${clock(from ? Number(from) : rec.start)} – ${clock(to ? Number(to) : rec.end)}`;
  const frame = h('iframe', { className: 'flame', title: 'Flame graph', src: link('/flamegraph', { kind, ...base }) });
  const status = h('span', { className: 'dim', role: 'status' }, 'Reading the recording…');
  frame.addEventListener('load', () => { status.textContent = ''; });
  return h('div', { className: 'full' },
    h('div', { className: 'group bar' },
      h('label', { for: 'kind' }, 'Samples of '), choose,
      compared
        ? [h('span', null, `compared with ${time(q.get('basefrom'), q.get('baseto'))}`), h('button', { onclick: () => set({ basefrom: null, baseto: null }) }, 'Do not compare')]
        : h('button', { title: 'Then choose another time: the picture shows what is more and what is less', onclick: () => set({ basefrom: q.get('from') || String(rec.start), baseto: q.get('to') || String(rec.end) }) }, 'Compare other times with this one'),
      status),
    frame);
}
