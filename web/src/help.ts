// The keys, on all pages.

import { h } from './dom';

const keys: [string, string][] = [
  ['Tab', 'to the next part of the page; Enter opens a link or presses a button'],
  ['← →', 'on the band of the time: choose a part of it, and move it; with Shift longer or shorter. Or drag on it, or on a picture'],
  ['Escape', 'close what is open; or else choose all of the time'],
  ['← → Home End', 'on the lane of a thread: from bar to bar; Enter shows the events of one'],
  ['↑ ↓ Page Home End', 'on rows of events: from row to row; Enter opens one'],
  ['↑ ↓ Tab', 'in conditions and statements: choose a name that is proposed'],
  ['Ctrl Enter', 'run a statement'],
  ['?', 'this help; a flame graph that has been clicked has its own'],
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
