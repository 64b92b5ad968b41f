// The legend: what the colours mean.
import { h } from './dom.js';
import { changeColor } from './colors.js';
import { kinds } from './names.js';

const changes = [['new', 1, 0], ['more', 3, 1], ['unchanged', 1, 1], ['less', 1, 3], ['gone', 0, 1]];

export class Legend {
  // present are the kinds of frames that the data have.
  constructor(nodes) {
    this.element = h('div', { className: 'legend', 'aria-hidden': 'true' });
    const present = new Set(nodes.kindOf.subarray(1));
    this.kinds = [2, 3, 4, 1, 5, 6, 7, 9, 10].filter((kind) => present.has(kind));
  }

  show(palette) {
    let list = [];
    if (DIFFERENCE && palette.mode === 'change') list = changes.map(([text, now, old]) => [text, changeColor(now, old, palette.dark)]);
    else if (palette.mode === 'kind') list = this.kinds.map((kind) => [kind === 10 ? 'class (outside TLAB)' : kinds[kind], palette.ofKind(kind)]);
    this.element.replaceChildren(...list.map(([text, color]) => {
      const swatch = h('i');
      swatch.style.background = color;
      return h('span', {}, swatch, text);
    }));
  }
}
