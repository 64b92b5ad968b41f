// Elements: texts are never markup.

// h returns an element with properties, attributes (names with a dash, or role) and children.
export function h(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null) continue;
    if (name.includes('-') || name === 'role' || name === 'scope') e.setAttribute(name, value);
    else e[name] = value;
  }
  e.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return e;
}
