// What a thread did at a moment: shown beside the pointer, and kept with links when it is clicked.

import { get, isOver } from './api';
import { h, place } from './dom';
import { clock, count, lasts, stateName } from './format';
import { address } from './state';

export interface Lane { state: string; spans: number[] }
export interface Named { name: string; id: number; lanes: Lane[] }

interface Found { state: string; sample: boolean; type: string; label: string; start: number; duration: number; at: { file: number; offset: string }; top: string; class: string; owner: string }

// Bar is a span of a lane: what is drawn without a gap.
export interface Bar { state: string; from: number; to: number; events: number }

// barsOf returns the bars of lanes, in the order of time.
export function barsOf(lanes: Lane[]): Bar[] {
  const bars: Bar[] = [];
  for (const { state, spans } of lanes) for (let i = 0; i < spans.length; i += 3) bars.push({ state, from: spans[i], to: spans[i + 1], events: spans[i + 2] });
  return bars.sort((a, b) => a.from - b.from);
}

// LaneTip is a box beside the pointer, or beside a bar that was chosen by keys.
export class LaneTip {
  readonly box = h('div', { className: 'tip', role: 'status', hidden: true });
  private pinned = false;
  private timer = 0;
  private asked = 0;

  constructor() {
    document.addEventListener('keydown', (e) => {
      if (e.key !== 'Escape' || !this.box.isConnected || this.box.hidden) return;
      e.preventDefault(); // otherwise all of the time would be chosen
      this.hide();
    }, true);
  }

  // show says what a thread did at a time, in milliseconds, near a place of the window; around is what a pixel stands for.
  show(t: Named, title: string, at: number, around: number, x: number, y: number, pauses: Bar[], pin = false) {
    if (this.pinned && !pin) return;
    this.pinned = pin;
    const mine = ++this.asked;
    clearTimeout(this.timer);
    const now = barsOf(t.lanes).filter((b) => b.from - around <= at && at <= b.to + around).concat(pauses.filter((b) => b.from - around <= at && at <= b.to + around));
    const list = h('ul', null, now.map((b) => h('li', null, swatch(b.state), `${stateName(b.state)}: ${clock(b.from)}, ${lasts((b.to - b.from) * 1e6)}, ${count(b.events)} ${b.events === 1 ? 'event' : 'events'}`)));
    this.box.replaceChildren(h('strong', null, title), h('span', { className: 'dim' }, ' ' + clock(at)), now.length ? list : h('p', { className: 'dim' }, 'Nothing recorded at this time.'));
    this.box.hidden = false;
    this.box.classList.toggle('pinned', pin);
    this.at(x, y);
    if (!now.length) return;
    this.timer = setTimeout(async () => {
      try {
        const d = await get<{ total: number; events: Found[] }>('/api/lane', { name: t.name, id: t.id, at, around }, false);
        if (mine !== this.asked || !d.events.length) return;
        list.replaceWith(h('ul', null, d.events.map((f) => this.item(f)), d.total > d.events.length ? h('li', { className: 'dim' }, `and ${count(d.total - d.events.length)} more`) : null));
        this.at(x, y);
        if (pin) this.box.querySelector<HTMLElement>('a')?.focus({ preventScroll: true });
      } catch (e) {
        if (!isOver(e)) console.warn(e);
      }
    }, pin ? 0 : 250);
  }

  private item(f: Found): HTMLElement {
    const said = [f.sample ? 'sample' : lasts(f.duration), clock(f.start), f.class && (f.state === 'blocked' || f.state === 'waiting' ? 'monitor of ' : 'for ') + f.class,
      f.state === 'blocked' ? 'held by ' + (f.owner || 'an unknown thread') : '', f.top && 'in ' + f.top].filter(Boolean).join(', ');
    return h('li', null, swatch(f.state), h('a', { href: address('events', { type: f.type, event: f.at.file + ':' + f.at.offset }) }, f.label), `: ${stateName(f.state)} ${said}`);
  }

  // at moves the box beside a place, where it is wholly seen.
  private at(x: number, y: number) {
    const { offsetWidth: w, offsetHeight: height } = this.box;
    place(this.box, { left: Math.max(4, Math.min(x + 14, innerWidth - w - 8)) + 'px', top: (y + 18 + height > innerHeight ? Math.max(4, y - height - 12) : y + 18) + 'px' });
  }

  // leave hides the box unless it was clicked.
  leave() { if (!this.pinned) this.hide(); }

  hide() {
    this.asked++;
    clearTimeout(this.timer);
    this.pinned = false;
    this.box.hidden = true;
  }
}

function swatch(state: string): HTMLElement {
  const i = h('i');
  place(i, { background: `var(--state-${state})` });
  return i;
}
