// Methods: what each name weighs, and its callers and callees.

// methodRows returns a row for each name: self, and total, where a recursion counts once.
export function methodRows(tree) {
  const { n, names, nameOf, ends } = tree.nodes;
  const self = new Float64Array(names.length);
  const total = new Float64Array(names.length);
  const now = tree.old && new Float64Array(names.length);
  const old = tree.old && new Float64Array(names.length);
  const open = new Int32Array(names.length); // where the outermost node of a name ends
  for (let i = 1; i < n; i++) {
    const name = nameOf[i];
    self[name] += tree.self[i];
    if (open[name] > i) continue; // a recursion
    open[name] = ends[i];
    total[name] += tree.total[i];
    if (old) {
      now[name] += tree.now[i];
      old[name] += tree.old[i];
    }
  }
  const rows = [];
  for (let name = 0; name < names.length; name++) {
    if (total[name] !== 0 || self[name] !== 0) {
      rows.push({ name, self: self[name], total: total[name], now: old ? now[name] : 0, old: old ? old[name] : 0 });
    }
  }
  return rows;
}

// neighbours returns the callers and the callees of a name: lists of name and total. A recursion
// counts once.
export function neighbours(tree, name) {
  const { n, names, nameOf, ends, parents } = tree.nodes;
  const callers = new Map();
  const callees = new Map();
  const open = new Int32Array(names.length);
  let end = 0;
  for (let i = 1; i < n; i++) {
    const parent = parents[i] > 0 ? nameOf[parents[i]] : -1;
    if (nameOf[i] === name && i >= end) {
      end = ends[i];
      add(callers, parent, tree.total[i]);
    }
    if (parent === name && open[nameOf[i]] <= i) {
      open[nameOf[i]] = ends[i];
      add(callees, nameOf[i], tree.total[i]);
    }
  }
  return { callers: sorted(callers), callees: sorted(callees) };
}

function add(map, name, total) {
  if (total !== 0) map.set(name, (map.get(name) || 0) + total);
}

function sorted(map) {
  return [...map].map(([name, total]) => ({ name, total })).sort((a, b) => b.total - a.total || a.name - b.name);
}
