// The shell around all pages: the name of the recording, the pages, the time.

import { get, isOver, leave, onLost, type Recording } from './api';
import { axisOf } from './axis';
import { redraw } from './chart';
import { h, visible } from './dom';
import { events } from './events';
import { flame } from './flame';
import { setZone } from './format';
import { remember } from './keep';
import { controlsOf, recordings } from './live';
import { file, query, views } from './others';
import { overview } from './overview';
import { helpOf } from './help';
import { knowViews, problem } from './parts';
import { address, onChange, page, setEnd } from './state';
import { notesOf } from './table';
import { threads } from './threads';
import { topic, topics } from './topics';

const pages: [string, string, (rec: Recording) => HTMLElement][] = [
  ['', 'Overview', overview], ['flame', 'Flame graph', flame], ['threads', 'Threads', threads],
  ...topics.map((t): [string, string, (rec: Recording) => HTMLElement] => [t.name, t.title, (rec) => topic(rec, t)]),
  ['events', 'Events', events], ['views', 'Views', views], ['query', 'Query', query], ['file', 'File', file],
];

async function start() {
  const [rec] = await Promise.all([get<Recording>('/api/recording', {}, false), knowViews()]);
  setZone(rec.zoneOffset, rec.start, rec.end);
  if (rec.live) {
    setEnd(rec.end);
    pages.push(['jvm', 'Recordings', recordings]);
  }
  const nav = h('nav', { 'aria-label': 'Pages' });
  const main = h('main', { id: 'main', tabIndex: -1 });
  const lost = h('div', { role: 'status', className: 'lost', hidden: true });
  onLost((notes) => { lost.hidden = !notes.length; lost.replaceChildren('Parts of the recording could not be read:', notesOf(notes) || ''); });
  document.body.replaceChildren(h('a', { className: 'skip', href: '#main' }, 'Skip to content'),
    h('header', null, h('h1', { title: rec.files.map((f) => f.name).join('\n') }, rec.name), nav, helpOf()), axisOf(rec, rec.live ? controlsOf(rec) : null), lost, main);
  const show = () => {
    const refocus = remember(main);
    leave();
    const [name, title, make] = pages.find((p) => p[0] === page()) || [page(), 'Page not found', nowhere];
    document.title = visible(`${title} – ${rec.name}`);
    nav.replaceChildren(...pages.map(([to, label]) => h('a', { href: address(to), 'aria-current': to === name ? 'page' : null }, label)));
    const scroll = main.dataset.page === name ? main.scrollTop : 0;
    main.dataset.page = name;
    const content = make(rec);
    if (main.firstChild !== content) main.replaceChildren(content); // a page with a form stays
    main.scrollTop = scroll;
    refocus();
    redraw();
    if (!rec.live) get('/api/recording', {}, false).catch((e) => { if (!isOver(e)) console.warn(e); }); // its answer says whether the files are still what they were
  };
  // nowhere says that there is no page at the address.
  const nowhere = () => h('div', { className: 'nothing' }, h('p', { role: 'alert' }, `No page ${location.pathname}. Try one of these:`),
    h('ul', null, pages.map(([to, label]) => h('li', null, h('a', { href: address(to) }, label)))));
  onChange(show);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
  show();
}

document.body.append(h('p', { className: 'nothing', role: 'status' }, 'Counting events…'));
start().catch((e) => { if (!isOver(e)) document.body.replaceChildren(h('div', { className: 'nothing' }, problem(e))); });
