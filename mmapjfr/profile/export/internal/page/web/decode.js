// Decoding: from the bytes of FORMAT.md to typed arrays.

// Reader reads numbers. They are doubles: whole up to 2^53.
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  uint() {
    let b = this.bytes[this.at++];
    if (b < 128) return b;
    let n = b & 127;
    let factor = 128;
    do {
      b = this.bytes[this.at++];
      n += (b & 127) * factor;
      factor *= 128;
    } while (b >= 128);
    return n;
  }

  int() {
    const n = this.uint();
    return n % 2 === 0 ? n / 2 : -(n + 1) / 2;
  }

  ints(into) {
    for (let i = 0; i < into.length; i++) into[i] = this.int();
    return into;
  }

  text(length) {
    const text = new TextDecoder().decode(this.bytes.subarray(this.at, this.at + length));
    this.at += length;
    return text;
  }

  uints(into) {
    for (let i = 0; i < into.length; i++) into[i] = this.uint();
    return into;
  }

  // sums reads numbers that are written as differences.
  sums(into) {
    for (let i = 0, n = 0; i < into.length; i++) into[i] = n += this.uint();
    return into;
  }
}

function decodeNames(r) {
  const n = r.uint();
  const common = r.uints(new Uint32Array(n));
  const rest = r.uints(new Uint32Array(n));
  const text = r.text(r.uint());
  const names = new Array(n);
  let name = '';
  for (let i = 0, at = 0; i < n; i++) {
    name = name.slice(0, common[i]) + text.slice(at, at + rest[i]);
    at += rest[i];
    names[i] = name;
  }
  return names;
}

// decodeNodes returns nodes in the order of a walk from the root, which is node 0. The nodes below
// node i are those from i+1 to ends[i].
function decodeNodes(r, names) {
  const frames = r.uint();
  const frameNames = r.sums(new Uint32Array(frames));
  const frameKinds = r.uints(new Uint8Array(frames));
  const kindOfName = new Uint8Array(names.length);
  for (let i = 0; i < frames; i++) kindOfName[frameNames[i]] = frameKinds[i];
  const n = r.uint() + 1;
  const parents = new Int32Array(n);
  const ends = new Int32Array(n);
  const path = [0];
  parents[0] = -1;
  let depth = 0;
  for (let i = 1; i < n; i++) {
    for (let up = r.uint(); up > 0; up--) ends[path[depth--]] = i;
    parents[i] = path[depth];
    path[++depth] = i;
  }
  for (; depth >= 0; depth--) ends[path[depth]] = n;
  const nameOf = new Int32Array(n);
  const kindOf = new Uint8Array(n);
  nameOf[0] = -1;
  for (let i = 1; i < n; i++) {
    const frame = r.uint();
    nameOf[i] = frameNames[frame];
    kindOf[i] = frameKinds[frame];
  }
  return { n, names, kindOfName, parents, ends, nameOf, kindOf };
}

const types = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array }; // by bytes

// decodeRows returns the rows of a kind, in groups by thread. The numbers of a value times its scale
// are what it weighs.
function decodeRows(r, kind, cell) {
  const n = r.uint();
  const threads = r.sums(new Uint32Array(n));
  const starts = new Uint32Array(n + 1);
  for (let i = 0; i < n; i++) starts[i + 1] = starts[i] + r.uint();
  const own = (list, i) => list.subarray(starts[i], starts[i + 1]);
  const sums = (list) => { for (let i = 0; i < n; i++) r.sums(own(list, i)); return list; };
  const cells = cell ? sums(new Uint32Array(starts[n])) : null;
  const nodes = cells ? r.uints(new Int32Array(starts[n])) : sums(new Int32Array(starts[n]));
  const values = [];
  kind.values.forEach((_, v) => {
    const size = r.uint();
    values.push(size ? r[size === 8 ? 'ints' : 'uints'](new types[size](nodes.length)) : values[v - 1]);
  });
  return Array.from(threads, (thread, i) => ({ thread, cells: cells && own(cells, i), nodes: own(nodes, i), values: values.map((list) => own(list, i)) }));
}

// decode returns the header, the nodes, and groups by set and kind: what the samples of a thread
// weigh, by the node of their innermost frame.
export function decode(bytes) {
  const r = new Reader(bytes);
  const header = JSON.parse(r.text(r.uint()));
  let id = 0;
  header.threads = decodeNames(r).map((name) => ({ name, id: 0 }));
  for (const t of header.threads) t.id = id += r.int();
  const nodes = decodeNodes(r, decodeNames(r));
  const groups = [];
  for (let set = 0; set < header.sets; set++) groups.push(header.kinds.map((kind) => decodeRows(r, kind, header.cell)));
  return { header, nodes, groups };
}
