// The state of the page in the fragment of its address, so that an address can be sent to others.

export function readState() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

const pause = 150; // milliseconds: browsers do not allow many changes a second
let timer = 0;

// writeState makes the fragment the state, after a pause. With step true it does so at once, and the
// browser's back button returns.
export function writeState(state, step) {
  clearTimeout(timer);
  if (step) write(state, true);
  else timer = setTimeout(() => write(state, false), pause);
}

function write(state, step) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (value !== '' && value !== undefined) params.set(name, value);
  }
  const hash = '#' + params;
  if (hash === location.hash || (hash === '#' && location.hash === '')) return;
  try {
    history[step ? 'pushState' : 'replaceState'](null, '', hash);
  } catch { /* some browsers do not allow it for files: the page works without */ }
}
