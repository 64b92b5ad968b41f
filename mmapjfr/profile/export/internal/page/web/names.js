// Names: the parts of the names of frames.

// kinds are the kinds of frames by the numbers of FORMAT.md.
export const kinds = ['', 'interpreted', 'compiled', 'inlined', 'compiled by C1', 'native', 'C++', 'kernel', '', 'class', 'class, outside TLAB'];

// packages are those of names with slashes: hidden classes have slashes, too.
const packages = /^(?:[a-z][\w$-]*\/)+(?=[^/0-9])/;

const java = /^([\w$-]+\.)*[A-Z][\w$]*[.+/]/;

// split returns the package and the rest of a name, such as "java.lang." and "String.length".
export function split(name, kind) {
  if (kind >= 5 && kind <= 8 && !java.test(name)) return ['', name];
  const slashes = packages.exec(name);
  if (slashes) return [slashes[0], name.slice(slashes[0].length)];
  const end = name.search(/[(+/:]/);
  const head = end < 0 ? name : name.slice(0, end);
  let at = head.lastIndexOf('.');
  const hidden = end >= 0 && (name[end] === '/' || name[end] === '+'); // the method is after it
  if (at >= 0 && kind !== 9 && kind !== 10 && !hidden) at = head.lastIndexOf('.', at - 1);
  return [name.slice(0, at + 1), name.slice(at + 1)];
}
