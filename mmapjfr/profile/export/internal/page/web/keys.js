// Keys: of the whole page, and those that choose frames.

// keyNames are what keys do.
export const keyNames = {
  '/': 'search', n: 'next', N: 'previous', 0: 'reset', r: 'reversed', i: 'flame', m: 'methods',
  c: 'colour', l: 'theme', '?': 'help', '[': 'previousType', ']': 'nextType',
};

export function keys(page, actions) {
  addEventListener('keydown', (e) => {
    const inField = e.target.matches('input, select');
    if ((e.ctrlKey || e.metaKey) && e.key === 'f' && !e.shiftKey) {
      page.act('search');
    } else if (e.ctrlKey || e.metaKey || e.altKey || page.help.open && e.key !== '?') {
      return;
    } else if (inField) {
      if (e.key === 'Enter' && e.target === page.toolbar.search) page.act(e.shiftKey ? 'previous' : 'next');
      else if (e.key === 'Escape') page.chart.scroller.focus();
      else return;
    } else if (e.key === 'Escape') {
      page.act('reset');
    } else if (e.key === 'Enter' && page.chart.selected >= 0 && e.target === page.chart.scroller) {
      page.zoomTo(page.chart.selected);
    } else if (e.key.startsWith('Arrow') && (e.target === page.chart.scroller || e.target === document.body)) {
      move(page, e.key);
    } else if (zoom[e.key]) {
      zoom[e.key](page.chart);
    } else if (actions[e.key]) {
      page.act(actions[e.key]);
    } else {
      return;
    }
    e.preventDefault();
  });
}

const zoom = {
  '+': (c) => c.zoomBy(0.7, 0.5), '=': (c) => c.zoomBy(0.7, 0.5), '-': (c) => c.zoomBy(1 / 0.7, 0.5),
  a: (c) => c.panBy(-0.2), d: (c) => c.panBy(0.2),
};

// move chooses the frame beside the chosen one: up and down are those of the screen.
function move(page, key) {
  const { view, chart } = page;
  const at = chart.selected;
  if (at < 0) {
    page.choose(chart.zoomed);
    return;
  }
  const inward = key === (chart.flame ? 'ArrowUp' : 'ArrowDown');
  let to = -1;
  if (key === 'ArrowLeft' || key === 'ArrowRight') to = beside(view, at, key === 'ArrowRight');
  else if (inward) to = widest(view, at);
  else to = view.parent(at);
  if (to >= 0) page.choose(to);
}

function widest(view, i) {
  let best = -1;
  for (let c = view.peek(i); c >= 0; c = view.next(c)) {
    if (view.total[c] > 0 && (best < 0 || view.total[c] > view.total[best])) best = c;
  }
  return best;
}

function beside(view, i, right) {
  if (i === view.root) return -1;
  let last = -1;
  for (let c = view.peek(view.parent(i)); c >= 0; c = view.next(c)) {
    if (view.total[c] <= 0) continue;
    if (right && last === i) return c;
    if (!right && c === i) return last;
    last = c;
  }
  return -1;
}
