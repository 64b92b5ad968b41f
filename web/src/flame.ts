// Flame graphs of the chosen time and threads, and their difference to another time.

import { link, type Recording } from './api';
import { chosenTime } from './axis';
import { h } from './dom';
import { clock } from './format';
import { isOpenEnded, onNews, params, set } from './state';

// flame returns the page.
export function flame(rec: Recording): HTMLElement {
  if (!rec.kinds.length) return h('p', { className: 'nothing' }, 'No samples: the recording has no events with a stack trace and a weight.');
  const q = params();
  const kind = rec.kinds.find((k) => k.name === q.get('kind'))?.name || rec.kinds[0].name;
  const none = { basefrom: null, baseto: null, base: null, heat: null };
  const more = Object.fromEntries(Object.keys(none).filter((name) => q.has(name)).map((name) => [name, q.get(name)!]));
  const choose = h('select', { id: 'kind', onchange: () => set({ kind: choose.value }) }, rec.kinds.map((k) => h('option', { value: k.name, selected: k.name === kind }, k.title)));
  const time = (from: string | null, to: string | null) => `${clock(from ? Number(from) : rec.start)} – ${clock(to ? Number(to) : rec.end)}`;
  const source = () => link('/flamegraph', { kind, ...more });
  const found = q.has('find') ? '#' + new URLSearchParams({ search: q.get('find')!.replace(/[$.]/g, '\\$&') }) : '';
  let frame = h('iframe', { className: 'flame', title: 'Flame graph', src: source() + found });
  const status = h('span', { className: 'dim', role: 'status' }, 'Reading the recording…');
  frame.addEventListener('load', () => { status.textContent = ''; });
  let read = performance.now();
  // A picture that its reader uses stays; another one is replaced once the next one is there, with what is chosen in it.
  onNews(async () => {
    if (!page.isConnected || !isOpenEnded() || document.activeElement === frame || performance.now() - read < 5000) return page.isConnected;
    const next = h('iframe', { className: 'flame next', title: 'Flame graph', src: source() + (frame.contentWindow?.location.hash || '') });
    page.append(next);
    await new Promise((done) => { next.addEventListener('load', done); setTimeout(done, 30e3); });
    frame.remove();
    next.className = 'flame';
    frame = next;
    read = performance.now();
    return true;
  });
  const same = q.has('basefrom') && String(chosenTime(rec)) === String([Number(q.get('basefrom')), Number(q.get('baseto'))]);
  const page = h('div', { className: 'full' },
    h('div', { className: 'group bar' },
      h('label', { for: 'kind' }, 'Samples of '), choose,
      Object.keys(more).length
        ? [h('span', null, 'heat' in more ? 'with a heat map' : `compared with ${'base' in more ? rec.base : time(q.get('basefrom'), q.get('baseto'))}`), same ? h('strong', { className: 'next-step', role: 'status' }, 'Now select the other time range: drag on the axis above') : null,
          h('button', { onclick: () => set(none) }, 'Stop comparing')]
        : [
          h('button', { title: 'Select another time range next; the graph shows what grew and what shrank', onclick: () => set({ basefrom: q.get('from') || String(rec.start), baseto: q.get('to') || String(rec.end) }) }, 'Compare time ranges'),
          rec.base ? h('button', { onclick: () => set({ base: '1' }) }, 'Compare with ' + rec.base) : null,
          h('button', { title: 'When samples were taken, in cells of 20 ms; select cells to see their flame graph', onclick: () => set({ heat: '1' }) }, 'Heat map'),
        ],
      status),
    frame);
  return page;
}
