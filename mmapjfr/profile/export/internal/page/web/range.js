// Ranges: parts of the time of a profile with cells, as data for flame graphs.

// select returns the data of a range of cells, compared with another range unless that is null.
export function select(all, range, before) {
  const part = ({ from, to }) => all.groups[0].map((groups) => groups.map((g) => {
    const first = lowerBound(g.cells, from);
    const own = (list) => list.subarray(first, lowerBound(g.cells, to));
    return { thread: g.thread, cells: own(g.cells), nodes: own(g.nodes), values: g.values.map(own) };
  }));
  const groups = before ? [part(range), part(before)] : [part(range)];
  return { header: { ...all.header, sets: groups.length }, nodes: all.nodes, groups };
}

// lowerBound returns where in a sorted list numbers begin that are not less.
export function lowerBound(list, n) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (list[mid] < n) low = mid + 1;
    else high = mid;
  }
  return low;
}

// sumCells adds what samples weigh to the place of a list that a function has for their cell. Only
// samples of the nodes that are 1 in a list count, unless it is null.
export function sumCells(groups, value, thread, nodes, place, sums) {
  for (const g of groups) {
    if (thread >= 0 && g.thread !== thread) continue;
    const list = g.values[value];
    for (let i = 0; i < list.length; i++) {
      if (!nodes || nodes[g.nodes[i]]) sums[place(g.cells[i])] += list[i];
    }
  }
  return sums;
}

// below returns 1 for nodes whose name is found, and for all below them.
export function below(nodes, found) {
  const list = new Uint8Array(nodes.n);
  for (let i = 1; i < nodes.n; i++) list[i] = list[nodes.parents[i]] | found[nodes.nameOf[i]];
  return list;
}

// readRange reads a range from the address, within a number of cells; null if it is none.
export function readRange(text, cells) {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text) || [];
  const range = { from: Number(from), to: Math.min(Number(to), cells) };
  return range.from < range.to ? range : null;
}
