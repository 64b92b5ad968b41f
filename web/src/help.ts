// The keys, on all pages.

import { h } from './dom';

const keys: [string, string][] = [
  ['Tab', 'next part of the page; Enter opens a link or presses a button'],
  ['← →', 'on the time axis: select and move a range; with Shift, resize it. Or drag on the axis or a chart'],
  ['Escape', 'close what is open, or else select all of the time'],
  ['← → Home End', 'in the lane of a thread: move from bar to bar; Enter shows its events'],
  ['↑ ↓ Page Home End', 'in a list of events: move from row to row; Enter opens one'],
  ['↑ ↓ Tab', 'in conditions and queries: choose a completion'],
  ['Ctrl Enter', 'run the query'],
  ['?', 'this help; a flame graph has its own after a click'],
];

// helpOf returns the button that shows the keys, as ? does.
export function helpOf(): HTMLElement {
  const box = h('dialog', { className: 'help', 'aria-label': 'Keys', onclick: (e: Event) => { if (e.target === box) box.close(); } },
    h('h2', null, 'Keys'), h('table', null, h('tbody', null, keys.map(([key, text]) => h('tr', null, h('th', { scope: 'row' }, key), h('td', null, text))))),
    h('p', null, h('button', { onclick: () => box.close() }, 'Close')));
  document.addEventListener('keydown', (e) => {
    if (e.key === 'Escape' && box.open) { e.preventDefault(); e.stopPropagation(); box.close(); return; }
    if (e.key !== '?' || e.ctrlKey || e.metaKey || e.altKey || (e.target as Element).matches('input, textarea, select')) return;
    e.preventDefault();
    if (box.open) box.close(); else box.showModal();
  }, true);
  return h('span', { className: 'keys' }, h('button', { title: 'Keys (?)', 'aria-label': 'Keys', onclick: () => box.showModal() }, '?'), box);
}
