// The tooltip: all values of a frame, with their shares.
import { h } from './dom.js';
import { kinds, split } from './names.js';
import { change, number, percent } from './units.js';

export class Tooltip {
  constructor() {
    this.element = h('div', { className: 'tooltip', hidden: true, role: 'tooltip' });
  }

  hide() { this.element.hidden = true; }

  // show shows values (by set, kind and value) of the frame below a point.
  show(frame, values, wholes, header, e) {
    const [pack, rest] = split(frame.name, frame.kind);
    this.element.replaceChildren(
      h('div', { className: 'tip-name' }, h('span', { className: 'dim' }, pack), rest),
      h('div', { className: 'dim' }, [kinds[frame.kind], frame.text].filter(Boolean).join(' · ')),
      h('table', {}, DIFFERENCE && header.sets === 2 ? h('tr', {}, h('td'), ['now', 'before', 'change'].map((text) => h('th', { className: 'unit' }, text))) : null, this.rows(frame, values, wholes, header)),
    );
    this.open(e);
  }

  // say shows lines of text.
  say(lines, e) {
    this.element.replaceChildren(...lines.map((line) => h('div', {}, line)));
    this.open(e);
  }

  open(e) {
    this.element.hidden = false;
    this.place(e.clientX, e.clientY);
  }

  rows(frame, values, wholes, header) {
    const rows = [];
    header.kinds.forEach((kind, k) => {
      kind.values.forEach((value, v) => {
        if (!values.some((set) => set[k]?.[v])) return;
        const now = values[0][k][v];
        const cells = [h('td', {}, number(now, value.unit)), h('td', { className: 'dim' }, percent(now, wholes[0][k][v]))];
        if (DIFFERENCE && header.sets === 2) {
          const old = values[1][k][v];
          cells[1] = h('td', {}, number(old, value.unit));
          cells.push(h('td', { className: now > old ? 'more' : 'less' }, change(now, old)));
        }
        const label = value.unit === 'count' || kind.values.length > 2 ? `${kind.title}: ${value.name}` : kind.title;
        rows.push(h('tr', { className: frame.chosen === k ? 'chosen' : '' }, h('th', {}, label), cells));
      });
    });
    return rows;
  }

  // place puts the tooltip beside a point, inside of the window.
  place(x, y) {
    const { offsetWidth: w, offsetHeight: height } = this.element;
    const left = x + 16 + w > innerWidth ? Math.max(4, x - w - 12) : x + 16;
    const top = y + 18 + height > innerHeight ? Math.max(4, y - height - 12) : y + 18;
    this.element.style.transform = `translate(${left}px, ${top}px)`;
  }
}
