// Scrollbars over any number of rows of the same height.

import { h, place } from './dom';

const most = 8_000_000; // browsers show no higher elements: beyond it a pixel of the scrollbar is more than a row

// Scroller is a box of which only the rows that are seen have elements.
export class Scroller {
  private readonly filler = h('div', { className: 'filler' });
  private total = 0;
  private exact = { top: -1, row: 0 }; // the row at the top that the scrollbar is too coarse to say

  // head is the height of what stays above the rows.
  constructor(private readonly box: HTMLElement, private readonly height: number, private readonly head = 0) {
    box.prepend(this.filler);
    box.addEventListener('wheel', (e) => {
      if (!this.coarse || e.ctrlKey || e.shiftKey || !e.deltaY) return;
      e.preventDefault();
      this.show(this.first + Math.sign(e.deltaY) * Math.max(1, Math.round(Math.abs(e.deltaY) / height)));
    }, { passive: false });
  }

  private get coarse(): boolean { return this.total * this.height + this.head > most; }

  // room is how many rows are wholly seen.
  get room(): number { return Math.max(1, Math.floor((this.box.clientHeight - this.head) / this.height)); }

  // resize says how many rows there are.
  resize(total: number) {
    this.total = total;
    place(this.filler, { height: Math.min(most, total * this.height + this.head) + 'px' });
  }

  // first is the row at the top.
  get first(): number {
    const top = this.box.scrollTop;
    if (!this.coarse) return Math.floor(top / this.height);
    if (top === this.exact.top) return this.exact.row;
    return Math.round(top / Math.max(1, most - this.box.clientHeight) * Math.max(0, this.total - this.room));
  }

  // show scrolls to a row.
  show(row: number) {
    const end = Math.max(0, this.total - this.room);
    row = Math.min(Math.max(0, row), end);
    this.box.scrollTop = this.coarse ? row / Math.max(1, end) * (most - this.box.clientHeight) : row * this.height;
    this.exact = { top: this.box.scrollTop, row };
    this.box.dispatchEvent(new Event('scroll')); // also where the scrollbar does not move
  }

  // reveal scrolls as little as shows a row.
  reveal(row: number) {
    if (row < this.first || !this.coarse && row * this.height < this.box.scrollTop) this.show(row);
    else if (row >= this.first + this.room) this.show(row - this.room + 1);
  }

  // top is where the row at the top is, in pixels.
  get top(): number { return this.coarse ? this.box.scrollTop : this.first * this.height; }
}

interface Part<T> { answer: Promise<T>; stop: AbortController; done: boolean }

// Parts are answers about some rows each. Those that are no longer wanted are abandoned.
export class Parts<T> {
  private readonly parts = new Map<number, Part<T>>();

  constructor(private readonly size: number, private readonly read: (offset: number, signal: AbortSignal) => Promise<T>) {}

  // of returns the parts with rows from first up to last, and the row that they begin with.
  async of(first: number, last: number): Promise<[T[], number]> {
    const from = Math.floor(first / this.size);
    const to = Math.max(from, Math.floor((last - 1) / this.size));
    for (const [n, p] of this.parts) {
      if (n >= from && n <= to) continue;
      if (!p.done) p.stop.abort();
      if (!p.done || this.parts.size > 60) this.parts.delete(n);
    }
    const answers = Array.from({ length: to - from + 1 }, (_, i) => this.part(from + i));
    return [await Promise.all(answers), from * this.size];
  }

  private part(n: number): Promise<T> {
    const known = this.parts.get(n);
    if (known) return known.answer;
    const stop = new AbortController();
    const p: Part<T> = { answer: this.read(n * this.size, stop.signal), stop, done: false };
    this.parts.set(n, p);
    p.answer.then(() => { p.done = true; }, () => { if (this.parts.get(n) === p) this.parts.delete(n); });
    return p.answer;
  }

  // forget reads all parts anew.
  forget() {
    this.abandon();
    this.parts.clear();
  }

  // abandon ends what is still being read.
  abandon() {
    for (const [n, p] of this.parts) if (!p.done) { p.stop.abort(); this.parts.delete(n); }
  }
}
