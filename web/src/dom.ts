// Elements: texts are never markup.

type Child = Node | string | null | undefined;

// h returns an element with properties, attributes (names with a dash, role, scope) and children.
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props?: Record<string, unknown> | null, ...children: (Child | Child[])[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null) continue;
    if (name.includes('-') || name === 'role' || name === 'scope' || name === 'for') e.setAttribute(name, String(value));
    else (e as unknown as Record<string, unknown>)[name] = value;
  }
  e.append(...children.flat().filter((c): c is Node | string => c !== null && c !== undefined));
  return e;
}

// place sets styles by script: the policy of the page forbids them in markup.
export function place(e: HTMLElement, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) e.style.setProperty(name, value);
}
