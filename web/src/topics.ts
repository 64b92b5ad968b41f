// Pages that are pictures and views. topics.json says what each of them shows.

import type { Recording } from './api';
import { h } from './dom';
import { slowest, waits } from './latency';
import { deadlocks, has, panels, picture, viewPart, type Picture, type View } from './parts';
import { isPart } from './state';
import { eventsLink } from './table';
import data from './topics.json';

export interface Topic { name: string; title: string; pictures: string[]; views: View[]; types: string[]; about?: string }

const pictures: Record<string, Picture> = data.pictures;

// pictureOf returns the picture of a name, or the one that is shown in its place: of those that measure the same the first
// that has events.
function pictureOf(rec: Recording, name: string): Picture {
  return (pictures[name].instead || []).map((other) => pictures[other]).find((p) => has(rec, p.types)) || pictures[name];
}

// overview returns the pictures of the first page.
export function overview(rec: Recording): Picture[] { return data.overview.map((name) => pictureOf(rec, name)); }

const instead: Record<string, { view: string; types: string[] }> = data.instead;

// viewOf returns the name of a view, or of the one that is shown in its place.
export function viewOf(rec: Recording, name: string): string { return instead[name] && has(rec, instead[name].types) ? instead[name].view : name; }

export const topics: Topic[] = data.topics;

// topic returns a page of pictures and views.
export function topic(rec: Recording, t: Topic): HTMLElement {
  const shown = t.pictures.map((name) => pictureOf(rec, name));
  const there = t.types.filter((name) => has(rec, [name]));
  const links = there.flatMap((name, i) => {
    const type = rec.types.find((r) => r.name === name)!;
    return [i ? ', ' : '', eventsLink(name, `${type.label} (${type.events.toLocaleString('en')})`)];
  });
  return panels(shown.filter((p) => !has(rec, p.types)),
    h('p', { className: 'wide' }, links.length ? [isPart() ? 'Events of the whole recording: ' : 'Events: ', ...links] : 'Not recorded: ' + t.types.join(', ') + '.'),
    t.about && there.length ? h('p', { className: 'wide' }, t.about) : null,
    t.name === 'locks' ? deadlocks(rec) : null,
    t.name === 'latency' ? [slowest(rec), waits(rec)] : null,
    shown.filter((p) => has(rec, p.types)).map((p) => picture(rec, p)),
    t.views.map((v) => viewPart(v)));
}
