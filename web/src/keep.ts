// Pages are made anew after each change of the address. What keeps the keyboard where it was.

import { place } from './dom';

// keyOf tells elements apart: the element of a new page with the same key is the same to its reader.
function keyOf(e: Element): string {
  return e.tagName + ' ' + (e.id || e.getAttribute('aria-label') || e.getAttribute('title') || e.textContent);
}

// remember returns a function that gives the focus back once the page is made anew: to the same element, also if that
// appears a little later, and to main if there is no such element.
export function remember(main: HTMLElement): () => void {
  const old = document.activeElement;
  if (!old || old === document.body || !main.contains(old) && main.id !== 'main' || old === main) return () => {};
  const key = keyOf(old);
  const range = old instanceof HTMLTextAreaElement || old instanceof HTMLInputElement ? [old.selectionStart, old.selectionEnd] : null;
  const restore = (): boolean => {
    const now = document.activeElement;
    if (old.isConnected || now && now !== document.body && now !== main) return true;
    const same = [...document.querySelectorAll<HTMLElement>(old.tagName)].find((e) => keyOf(e) === key);
    if (!same) return false;
    same.focus({ preventScroll: true });
    if (range && same instanceof HTMLTextAreaElement) same.setSelectionRange(range[0], range[1]);
    return true;
  };
  return () => {
    if (restore()) return;
    main.focus({ preventScroll: true });
    const watch = new MutationObserver(() => { if (restore()) watch.disconnect(); });
    watch.observe(main, { childList: true, subtree: true });
    setTimeout(() => watch.disconnect(), 3000);
  };
}

// swap replaces the content of a box, and leaves what its reader has scrolled and opened as it is.
export function swap(box: HTMLElement, content: HTMLElement) {
  const opened = [...box.querySelectorAll('details')].map((d) => d.open);
  const scrolled = [...box.querySelectorAll('.scroll')].map((e) => [e.scrollLeft, e.scrollTop]);
  const refocus = remember(box);
  if (box.firstElementChild) place(box, { 'min-height': box.offsetHeight + 'px' }); // what is below stays where it is
  box.replaceChildren(content);
  box.querySelectorAll('details').forEach((d, i) => { d.open = opened[i] ?? d.open; });
  box.querySelectorAll('.scroll').forEach((e, i) => e.scrollTo(...(scrolled[i] || [0, 0]) as [number, number]));
  refocus();
  requestAnimationFrame(() => place(box, { 'min-height': '' }));
}
