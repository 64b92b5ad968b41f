// Methods: what each name weighs, and its callers and callees.

// methodRows returns a row for each name: self, and total, where a recursion counts once. In a
// difference these are those of now, and selfChange and totalChange say how they differ.
export function methodRows(tree) {
  const { n, names, nameOf, ends } = tree.nodes;
  const self = new Float64Array(names.length);
  const total = new Float64Array(names.length);
  const selfOld = new Float64Array(DIFFERENCE && tree.old ? names.length : 0);
  const totalOld = new Float64Array(selfOld.length);
  const open = new Int32Array(names.length); // where the outermost node of a name ends
  for (let i = 1; i < n; i++) {
    const name = nameOf[i];
    self[name] += tree.selfNow[i];
    if (DIFFERENCE && tree.old) selfOld[name] += tree.selfOld[i];
    if (open[name] > i) continue; // a recursion
    open[name] = ends[i];
    total[name] += tree.now[i];
    if (DIFFERENCE && tree.old) totalOld[name] += tree.old[i];
  }
  const rows = [];
  for (let name = 0; name < names.length; name++) {
    if (total[name] !== 0 || self[name] !== 0 || totalOld[name]) {
      rows.push({ name, self: self[name], total: total[name], selfChange: self[name] - (selfOld[name] || 0), totalChange: total[name] - (totalOld[name] || 0) });
    }
  }
  return rows;
}

// neighbours returns the callers and the callees of a name: lists of name, total and
// totalChange. A recursion counts once.
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
      add(callers, parent, tree, i);
    }
    if (parent === name && open[nameOf[i]] <= i) {
      open[nameOf[i]] = ends[i];
      add(callees, nameOf[i], tree, i);
    }
  }
  return { callers: sorted(callers), callees: sorted(callees) };
}

function add(map, name, tree, i) {
  if (tree.now[i] === 0 && !(DIFFERENCE && tree.old && tree.old[i])) return;
  const row = map.get(name) || { name, total: 0, totalChange: 0 };
  map.set(name, row);
  row.total += tree.now[i];
  if (DIFFERENCE) row.totalChange += tree.now[i] - (tree.old ? tree.old[i] : 0);
}

function sorted(map) {
  return [...map.values()].sort((a, b) => b.total - a.total || a.name - b.name);
}
