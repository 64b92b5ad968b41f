// A JVM that goes on: pages move with it until a time is chosen.

import { get, isOver, Problem, send, type Recording } from './api';
import { redraw } from './chart';
import { h, visible } from './dom';
import { moment } from './format';
import { swap } from './keep';
import { knowViews, problem } from './parts';
import { again, isOpenEnded, news, onChange, onNews, params, set, setEnd } from './state';

interface News { flushes: number; start: number; end: number; ended: boolean; problem?: string }

const pause = (ms: number) => new Promise((done) => { setTimeout(done, ms); });

// controlsOf returns what a page of a running JVM has beside its time: what the JVM does, and whether pages move.
export function controlsOf(rec: Recording): HTMLElement {
  const said = h('span', { role: 'status', className: 'state' });
  const last = h('select', { 'aria-label': 'Time range', onchange: () => set({ last: last.value || null, from: null, to: null }) },
    ([['', 'All'], ['30', 'Last 30 s'], ['60', 'Last minute'], ['300', 'Last 5 minutes'], ['900', 'Last 15 minutes']]).map(([value, label]) => h('option', { value }, label)));
  const hold = h('button', { onclick: () => (isOpenEnded() ? set({ from: params().get('from') || String(params().has('last') ? rec.end - 1000 * Number(params().get('last')) : rec.start), to: String(rec.end), last: null }) : set({ from: null, to: null })) });
  let now: News | null = null;
  const update = () => {
    hold.textContent = isOpenEnded() ? 'Pause' : 'Resume';
    hold.hidden = !!now?.ended; // nothing moves any more
    last.value = params().get('last') || '';
    last.hidden = !isOpenEnded();
    if (!now) return;
    const paused = params().get('to');
    if (now.ended) say((now.problem || 'The JVM has ended') + ': ' + moment(now.end), !!now.problem);
    else say(paused ? `Paused at ${moment(Number(paused))}; the JVM is at ${moment(now.end)}` : 'Live, ' + moment(now.end));
  };
  const say = (text: string, wrong = false) => { said.textContent = visible(text); said.className = wrong ? 'state wrong' : 'state'; };
  follow(rec, say, (news) => { now = news || now; update(); });
  return h('div', { className: 'group live' }, said, hold, last);
}

// follow shows what is new for as long as the page is open.
async function follow(rec: Recording, say: (text: string, wrong?: boolean) => void, update: (now?: News) => void) {
  onNews(() => { update(); return true; });
  onChange(() => update());
  update();
  let seen = 0;
  for (;;) {
    const begun = performance.now();
    let took = 0;
    try {
      const now = await get<News>('/api/live', { after: seen }, false, undefined, true);
      const types = String(rec.types.map((t) => t.name));
      const told = performance.now();
      if (now.flushes !== seen) {
        Object.assign(rec, await get<Recording>('/api/recording', {}, false, undefined, true));
        setEnd(rec.end);
        seen = now.flushes;
        if (types === String(rec.types.map((t) => t.name))) await news(); else { await knowViews(); again(); }
        redraw();
        took = performance.now() - told;
      }
      update(now);
      if (now.ended) return;
    } catch (e) {
      const gone = e instanceof Problem && e.status === 403;
      if (!isOver(e)) say(gone ? 'mjfr was restarted: open the URL it printed' : 'Connection lost, retrying…', true);
    }
    // What takes long is shown less often: the machine has other work.
    await pause(Math.max(1000 - (performance.now() - begun), document.hidden ? 5000 : 200, 4 * took));
  }
}

interface JVMRecording { id: number; name: string; state: string; duration: number; maxAge: number; maxSize: number; pages: boolean }
interface JVM { pid: number; recordings: JVMRecording[] }

let page: HTMLElement | null = null; // it stays with what is typed in it
let refresh = () => {};

// recordings returns the page with the recordings of the JVM. Its form and its messages stay when there is something new:
// only the table moves.
export function recordings(): HTMLElement {
  refresh();
  return page ||= make();
}

// make makes the page.
function make(): HTMLElement {
  const said = h('div', { role: 'status', className: 'group' });
  const name = h('input', { 'aria-label': 'Name', placeholder: 'Name' });
  const settings = h('select', { 'aria-label': 'Settings' }, ['default', 'profile'].map((value) => h('option', { value }, value)));
  const duration = h('input', { 'aria-label': 'Duration', placeholder: 'Duration, such as 10m', title: 'Leave empty to record until you stop it' });
  const list = h('div');
  const act = async (done: string, path: string, more: Record<string, string | undefined>, then?: (answer: Response) => Promise<void>) => {
    said.replaceChildren('…');
    try {
      const answer = await send(path, more);
      if (then) await then(answer);
      said.replaceChildren(done);
      refresh();
    } catch (e) {
      said.replaceChildren(h('span', { className: 'wrong' }, e instanceof Error ? e.message : String(e)));
    }
  };
  const save = async (answer: Response) => {
    const link = h('a', { href: URL.createObjectURL(await answer.blob()), download: /filename="([^"]*)"/.exec(answer.headers.get('Content-Disposition') || '')?.[1] || 'jvm.jfr' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60e3);
  };
  const asks = h('dialog', { className: 'help', 'aria-label': 'Stop a recording' });
  const stop = (r: JVMRecording, shown: boolean) => {
    const now = () => { asks.close(); act(`Recording ${r.id} stopped.`, '/api/jvm/stop', { id: String(r.id) }); };
    asks.replaceChildren(h('h2', null, `Stop recording ${r.id}, ${r.name}?`), h('p', null, 'What it recorded is lost, unless it writes to a file. Save it first to keep it.'),
      shown ? h('p', null, `These pages show recording ${r.id} and will no longer update.`) : '',
      h('p', { className: 'group' }, h('button', { onclick: () => asks.close(), autofocus: true }, 'Keep recording'), h('button', { onclick: now }, shown ? 'Stop it and these pages' : 'Stop it')));
    asks.showModal();
  };
  let shown = '';
  let last = 0;
  refresh = () => {
    last = performance.now();
    get<JVM>('/api/jvm', {}, false, undefined, true).then((jvm) => {
      if (shown === JSON.stringify(jvm)) return;
      shown = JSON.stringify(jvm);
      swap(list, tableOfRecordings(jvm, (r) => act(`Recording ${r.id} saved.`, '/api/jvm/dump', { id: String(r.id) }, save), stop));
    }, (e) => { shown = ''; list.replaceChildren(problem(e)); });
  };
  refresh();
  onNews(() => {
    if (list.isConnected && performance.now() - last > 3000) refresh();
    return true;
  });
  const start = () => act('Recording started.', '/api/jvm/start', { name: name.value || undefined, settings: settings.value, duration: duration.value.trim() || undefined });
  for (const box of [name, duration]) box.addEventListener('keydown', (e) => { if (e.key === 'Enter') start(); });
  return h('div', { className: 'panels' }, h('section', { className: 'panel wide' }, h('h2', null, 'Recordings of the JVM'), list, said, asks,
    h('div', { className: 'group' }, name, settings, duration, h('button', { className: 'main', onclick: start }, 'Start a recording'))));
}

// tableOfRecordings returns the table. To stop a recording has to be confirmed; shown is the one that pages show, or the only one.
function tableOfRecordings(jvm: JVM, save: (r: JVMRecording) => void, stop: (r: JVMRecording, shown: boolean) => void): HTMLElement {
  if (!jvm.recordings.length) return h('p', null, 'The JVM has no recordings.');
  const alone = jvm.recordings.filter((r) => r.state === 'running').length === 1;
  return h('table', null, h('thead', null, h('tr', null, ['Number', 'Name', 'State', ''].map((t) => h('th', { scope: 'col' }, t)))), h('tbody', null, jvm.recordings.map((r) => h('tr', null,
    h('td', null, String(r.id)), h('td', null, r.name, r.pages ? h('span', { className: 'dim' }, ' (shown here)') : null), h('td', null, r.state), h('td', { className: 'group' },
      h('button', { onclick: () => save(r) }, `Save ${r.id} as a file`),
      h('button', { onclick: () => stop(r, r.pages || alone && r.state === 'running') }, `Stop ${r.id}`))))));
}
