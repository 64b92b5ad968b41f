// Pages are made anew after each change of the address. What keeps the keyboard where it was.

// keyOf tells elements apart: the element of a new page with the same key is the same to its reader.
function keyOf(e: Element): string {
  return e.tagName + ' ' + (e.id || e.getAttribute('aria-label') || e.getAttribute('title') || e.textContent);
}

// remember returns a function that gives the focus back once the page is made anew: to the same element, also if that
// appears a little later, and to main if there is no such element.
export function remember(main: HTMLElement): () => void {
  const old = document.activeElement;
  if (!old || old === document.body || old === main) return () => {};
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
