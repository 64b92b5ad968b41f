// Weighing: the numbers of nodes for a kind, a value and a thread.

export const allThreads = -1;

// weigh returns what the samples of a set weigh whose innermost frame a node is, by node.
export function weigh(data, set, kind, value, thread) {
  const self = new Float64Array(data.nodes.n);
  const { scale } = data.header.kinds[kind].values[value];
  for (const g of data.groups[set][kind]) {
    if (thread !== allThreads && g.thread !== thread) continue;
    const list = g.values[value];
    for (let i = 0; i < list.length; i++) self[g.nodes[i]] += list[i] * scale;
  }
  return self;
}

// sumUp returns what the nodes and all below them weigh.
export function sumUp(nodes, self) {
  const total = self.slice();
  for (let i = nodes.n - 1; i > 0; i--) total[nodes.parents[i]] += total[i];
  return total;
}

// threadTotals returns what the threads weigh that have samples of a kind: a list of thread and
// total, the heaviest first.
export function threadTotals(data, kind, value) {
  const totals = new Map();
  const { scale } = data.header.kinds[kind].values[value];
  for (const set of data.groups) {
    for (const g of set[kind]) {
      let sum = totals.get(g.thread) || 0;
      for (const n of g.values[value]) sum += n * scale;
      totals.set(g.thread, sum);
    }
  }
  return [...totals].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

// valuesBelow returns the sums of all values of all kinds from node first up to node end: by set,
// kind and value. Rows are sorted by node.
export function valuesBelow(data, first, end, thread) {
  return data.groups.map((kinds) => kinds.map((groups, kind) => {
    const { values } = data.header.kinds[kind];
    const sums = values.map(() => 0);
    for (const g of groups) {
      if (thread !== allThreads && g.thread !== thread) continue;
      for (let i = lowerBound(g.nodes, first); i < g.nodes.length && g.nodes[i] < end; i++) {
        for (let v = 0; v < sums.length; v++) sums[v] += g.values[v][i] * values[v].scale;
      }
    }
    return sums;
  }));
}

function lowerBound(list, n) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (list[mid] < n) low = mid + 1;
    else high = mid;
  }
  return low;
}
