// Weighing: the numbers of nodes for a kind, a value and a thread.
import { lowerBound } from './range.js';

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
// kind and value. Rows are sorted by node, unless they have cells.
export function valuesBelow(data, first, end, thread) {
  return data.groups.map((kinds) => kinds.map((groups, kind) => {
    const { values } = data.header.kinds[kind];
    const sums = values.map(() => 0);
    for (const g of groups) {
      if (thread !== allThreads && g.thread !== thread) continue;
      for (let i = g.cells ? 0 : lowerBound(g.nodes, first); i < g.nodes.length; i++) {
        if (g.nodes[i] >= end && !g.cells) break;
        if (g.nodes[i] < first || g.nodes[i] >= end) continue;
        for (let v = 0; v < sums.length; v++) sums[v] += g.values[v][i] * values[v].scale;
      }
    }
    return sums;
  }));
}
