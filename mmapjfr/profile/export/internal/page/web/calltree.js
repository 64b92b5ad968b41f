// The call tree: the nodes of the data with the weights of a selection. The chart draws it, as it
// draws the reversed tree of reversed.js, by first, next, parent, total, left, name and kind.
import { sumUp } from './weigh.js';

export class CallTree {
  // weights are self (what decides widths), now and old (for the difference of two profiles).
  constructor(nodes, weights) {
    this.nodes = nodes;
    this.root = 0;
    this.self = weights.self;
    this.selfNow = DIFFERENCE && weights.now || weights.self;
    this.selfOld = DIFFERENCE ? weights.old : null;
    this.total = sumUp(nodes, weights.self);
    this.now = DIFFERENCE && weights.now ? sumUp(nodes, weights.now) : this.total;
    this.old = DIFFERENCE && weights.old ? sumUp(nodes, weights.old) : null;
    this.left = new Float64Array(nodes.n);
    const next = new Float64Array(nodes.n);
    for (let i = 1; i < nodes.n; i++) {
      const p = nodes.parents[i];
      this.left[i] = next[i] = next[p];
      next[p] += this.total[i];
    }
  }

  name(i) { return this.nodes.nameOf[i]; }
  kind(i) { return this.nodes.kindOf[i]; }
  parent(i) { return this.nodes.parents[i]; }
  first(i) { return this.nodes.ends[i] > i + 1 ? i + 1 : -1; }
  peek(i) { return this.first(i); }

  next(i) {
    const p = this.nodes.parents[i];
    return p >= 0 && this.nodes.ends[i] < this.nodes.ends[p] ? this.nodes.ends[i] : -1;
  }

  selfOf(i) { return this.self[i]; }
  work() { return false; }

  // key names a node in the address, find returns it.
  key(i) { return String(i); }
  find(key) { return /^\d+$/.test(key) && Number(key) < this.nodes.n ? Number(key) : 0; }
}
