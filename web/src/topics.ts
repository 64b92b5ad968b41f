// Pages that are pictures and views. topics.json says what each of them shows.

import type { Recording } from './api';
import { h } from './dom';
import { slowest } from './latency';
import { has, panels, picture, viewPart, type Picture, type View } from './parts';
import { eventsLink } from './table';
import data from './topics.json';

export interface Topic { name: string; title: string; pictures: string[]; views: View[]; types: string[] }

const pictures: Record<string, Picture> = data.pictures;

// overview are the pictures of the first page.
export const overview = data.overview.map((name) => pictures[name]);

export const topics: Topic[] = data.topics;

// topic returns a page of pictures and views.
export function topic(rec: Recording, t: Topic): HTMLElement {
  const shown = t.pictures.map((name) => pictures[name]);
  const there = t.types.filter((name) => has(rec, [name]));
  const links = there.flatMap((name, i) => {
    const type = rec.types.find((r) => r.name === name)!;
    return [i ? ', ' : '', eventsLink(name, `${type.label} (${type.events.toLocaleString('en')})`)];
  });
  return panels(shown.filter((p) => !has(rec, p.types)),
    h('p', { className: 'wide' }, links.length ? ['Events: ', ...links] : 'Nothing of this was recorded: ' + t.types.join(', ') + '.'),
    t.name === 'latency' ? slowest(rec) : null,
    shown.filter((p) => has(rec, p.types)).map((p) => picture(rec, p)),
    t.views.map((v) => viewPart(v)));
}
