// Elements: texts are never markup.

type Child = Node | string | null | undefined;

// visible returns a text without characters that turn the direction of what follows: a name could look like another one.
export function visible(s: string): string {
  return s.replace(/\p{Bidi_Control}/gu, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

// h returns an element with properties, attributes (names with a dash, role, scope) and children.
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props?: Record<string, unknown> | null, ...children: (Child | Child[])[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null) continue;
    if (name.includes('-') || name === 'role' || name === 'scope' || name === 'for') e.setAttribute(name, visible(String(value)));
    else (e as unknown as Record<string, unknown>)[name] = name === 'title' ? visible(String(value)) : value;
  }
  for (const c of children.flat()) if (c !== null && c !== undefined) e.append(typeof c === 'string' ? visible(c) : c);
  return e;
}

// place sets styles by script: the policy of the page forbids them in markup.
export function place(e: HTMLElement, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) e.style.setProperty(name, value);
}
