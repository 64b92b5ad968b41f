// The state of the page is its address: the path is the page, and the query has the chosen time, the chosen threads
// and what the page itself has chosen.

type Listener = () => void;
const listeners = new Set<Listener>();

// params returns the query of the address.
export function params(): URLSearchParams { return new URLSearchParams(location.search); }

// page returns the name of the page; "" for the overview.
export function page(): string { return location.pathname.slice(1); }

// onChange calls back after each change of the address.
export function onChange(f: Listener) { listeners.add(f); }

let end = 0; // of what a JVM has recorded by now; 0 for files

// setEnd says how far a JVM has recorded.
export function setEnd(ms: number) { end = ms; }

// An updater shows what is new, and returns once it does. It returns false once its place is shown no more.
type Updater = () => Promise<boolean> | boolean;
const updaters = new Set<Updater>();

// onNews calls an updater when a JVM has recorded more.
export function onNews(f: Updater) { if (end) updaters.add(f); }

// news calls all updaters, and returns once all have shown what is new.
export async function news() {
  await Promise.all([...updaters].map(async (f) => { if (!await f()) updaters.delete(f); }));
}

// isPart reports whether a time or threads are chosen.
export function isPart(): boolean { return [...chosen().keys()].length > 0; }

// isOpenEnded reports whether the chosen time goes on with the JVM.
export function isOpenEnded(): boolean { return !params().has('to'); }

// chosen returns the chosen time and threads, for requests. The last seconds of a JVM that goes on are a time of now.
export function chosen(): URLSearchParams {
  const now = params();
  const q = new URLSearchParams();
  for (const name of ['from', 'to', 'thread']) for (const v of now.getAll(name)) q.append(name, v);
  if (now.has('last') && end) q.set('from', String(end - 1000 * Number(now.get('last'))));
  return q;
}

// address returns the address of a page with the chosen time and threads, and with more.
export function address(to: string, more: Record<string, string> = {}): string {
  const now = params();
  const q = new URLSearchParams();
  for (const name of ['from', 'to', 'last', 'thread']) for (const v of now.getAll(name)) q.append(name, v);
  for (const [name, v] of Object.entries(more)) q.set(name, v);
  return '/' + to + (q.size ? '?' + q : '');
}

// go shows a page.
export function go(to: string, replace = false) {
  if (to === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', to); else history.pushState(null, '', to);
  listeners.forEach((f) => f());
}

// set changes some values of the query: null removes one.
export function set(values: Record<string, string | string[] | null>, replace = false) {
  const q = params();
  for (const [name, v] of Object.entries(values)) {
    q.delete(name);
    if (Array.isArray(v)) v.forEach((one) => q.append(name, one));
    else if (v !== null) q.set(name, v);
  }
  go(location.pathname + (q.size ? '?' + q : ''), replace);
}

// chooseThread adds a thread to those that are chosen.
export function chooseThread(name: string) { set({ thread: [...new Set([...params().getAll('thread'), name])] }); }

// again makes the page anew, for an answer that is asked for once more.
export function again() { listeners.forEach((f) => f()); }

addEventListener('popstate', () => listeners.forEach((f) => f()));
document.addEventListener('click', (e) => {
  const a = (e.target as Element).closest?.('a[href]');
  if (!a || e.defaultPrevented || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey) return;
  const to = a.getAttribute('href') || '';
  if (to.startsWith('/')) { e.preventDefault(); go(to); }
});
