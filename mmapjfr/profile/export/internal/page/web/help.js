// Help: the keys, and what is known about the profile.
import { h } from './dom.js';

export const helpKeys = [
  ['Click, Enter', 'zoom in; the root frame, 0 or Esc zooms out'],
  ['Ctrl + wheel, + −', 'zoom; the wheel alone if there is nothing to scroll'],
  ['Drag, Shift + wheel, A D', 'move left and right'],
  ['Arrows', 'select the caller, a callee, or the next frame'],
  ['/ or Ctrl + F', 'search; n and N go to the next and previous match'],
  ['Click a method', 'show its callers and callees, and highlight it'],
  ['R', 'invert: innermost frames first, merged by callee'],
  ['I', 'flames or icicles: root at the bottom or at the top'],
  ['M', 'table of methods'],
  ['C', 'color by kind of frame, by package' + (DIFFERENCE ? ', by difference' : '')],
  ['[ ]', 'next type of profile'],
  ['L', 'light or dark'],
  ['?', 'this help'],
];

export function help(header, nodes, keys) {
  const lines = [];
  if (header.start) lines.push(`${new Date(header.start).toLocaleString()} – ${new Date(header.end).toLocaleString()}`);
  lines.push(`${(nodes.n - 1).toLocaleString('en')} nodes, ${nodes.names.length.toLocaleString('en')} names, ${header.threads.length.toLocaleString('en')} threads`);
  return h('dialog', { className: 'help', 'aria-label': 'Help', onclick: (e) => { if (e.target.tagName === 'DIALOG') e.target.close(); } },
    h('div', {},
      h('h2', {}, 'Keys', h('button', { className: 'close', 'aria-label': 'Close', onclick: (e) => e.target.closest('dialog').close() }, '×')),
      h('table', {}, h('tbody', {}, keys.map(([key, text]) => h('tr', {}, h('th', {}, key), h('td', {}, text))))),
      h('p', {}, 'Search takes a regular expression. It ignores case unless you type a capital letter.'),
      h('h2', {}, 'This profile'),
      lines.concat(header.notes).map((line) => h('p', {}, line))));
}
