// The reversed tree: innermost frames at the root, their callers above them. A node stands for the
// samples that end in its path; its children are found when it is drawn wide enough to see them, so
// that the cost depends on what is visible. The heaviest child is on the left.

const budget = 12; // milliseconds of a frame for finding children

export class ReversedTree {
  constructor(nodes, weights) {
    this.nodes = nodes;
    this.weights = weights;
    this.root = 0;
    this.total = [0];
    this.left = [0];
    this.now = DIFFERENCE && weights.old ? [0] : this.total;
    this.old = DIFFERENCE && weights.old ? [0] : null;
    this.self = [0];
    this.names = [-1];
    this.kinds = [0];
    this.parents = [-1];
    this.firsts = [-2]; // -2: not known yet
    this.lasts = [-1];
    this.wanted = [];
    const leaves = [];
    for (let i = 0; i < nodes.n; i++) {
      if (weights.self[i] !== 0) leaves.push(i);
    }
    this.leaves = [Int32Array.from(leaves)]; // the innermost frames of the samples of a node
    this.at = [Int32Array.from(leaves)]; // and where each of them is now
    for (const i of leaves) this.count(0, i);
    this.expand(0);
  }

  name(i) { return this.names[i]; }
  kind(i) { return this.kinds[i]; }
  parent(i) { return this.parents[i]; }
  selfOf(i) { return this.self[i]; }
  next(i) { return i > 0 && this.lasts[this.parents[i]] > i ? i + 1 : -1; }

  first(i) {
    if (this.firsts[i] === -2) {
      this.wanted.push(i);
      return -1;
    }
    return this.firsts[i];
  }

  // peek returns -1 if the children are not known, and does not ask for them.
  peek(i) { return Math.max(this.firsts[i], -1); }

  // work finds children that were asked for, and theirs as far as they weigh as much as a pixel. It
  // reports whether there was anything to do. What takes too long the next frame asks for again.
  work(pixel) {
    const end = performance.now() + budget;
    const todo = this.wanted;
    const asked = todo.length > 0;
    this.wanted = [];
    while (todo.length && performance.now() < end) {
      const i = todo.pop();
      if (this.firsts[i] !== -2) continue;
      this.expand(i);
      for (let c = this.firsts[i]; c >= 0; c = this.next(c)) {
        if (this.total[c] >= pixel) todo.push(c);
      }
    }
    return asked;
  }

  count(i, leaf) {
    this.total[i] += this.weights.self[leaf];
    if (DIFFERENCE && this.old) {
      this.now[i] += this.weights.now[leaf];
      this.old[i] += this.weights.old[leaf];
    }
  }

  add(parent, name, kind) {
    for (const list of [this.total, this.left, this.self]) list.push(0);
    if (DIFFERENCE && this.old) {
      this.now.push(0);
      this.old.push(0);
    }
    this.names.push(name);
    this.kinds.push(kind);
    this.parents.push(parent);
    this.firsts.push(-2);
    this.lasts.push(-1);
    this.leaves.push([]);
    this.at.push([]);
    return this.names.length - 1;
  }

  // expand finds the children of a node. At the root these are the innermost frames themselves.
  expand(i) {
    const { parents, nameOf, kindOf } = this.nodes;
    const fromLeaves = this.leaves[i];
    const fromAt = this.at[i];
    const groups = new Map();
    for (let j = 0; j < fromAt.length; j++) {
      const node = i === 0 ? fromAt[j] : parents[fromAt[j]];
      if (node <= 0) { // the sample ends here
        this.self[i] += this.weights.self[fromLeaves[j]];
        continue;
      }
      const key = nameOf[node] * 16 + code(kindOf[node]);
      let g = groups.get(key);
      if (!g) groups.set(key, g = { name: nameOf[node], kind: kindOf[node], total: 0, leaves: [], at: [] });
      g.total += this.weights.self[fromLeaves[j]];
      g.leaves.push(fromLeaves[j]);
      g.at.push(node);
    }
    const sorted = [...groups.values()].sort((a, b) => b.total - a.total || a.name - b.name || a.kind - b.kind);
    let left = this.left[i];
    this.firsts[i] = sorted.length ? this.names.length : -1;
    for (const g of sorted) {
      const child = this.add(i, g.name, g.kind);
      this.leaves[child] = Int32Array.from(g.leaves);
      this.at[child] = Int32Array.from(g.at);
      for (const leaf of g.leaves) this.count(child, leaf);
      this.left[child] = left;
      left += this.total[child];
      this.lasts[i] = child;
    }
    this.at[i] = null; // not needed any more
  }

  key(i) {
    const path = [];
    for (; i > 0; i = this.parents[i]) path.push(this.names[i] * 16 + this.kinds[i]);
    return path.reverse().join('.');
  }

  find(key) {
    let i = 0;
    for (const part of key ? key.split('.') : []) {
      if (this.firsts[i] === -2) this.expand(i);
      let c = this.firsts[i];
      while (c >= 0 && this.names[c] * 16 + this.kinds[c] !== Number(part)) c = this.next(c);
      if (c < 0) return i;
      i = c;
    }
    return i;
  }
}

// code is one for all ways to execute a method of Java, by the numbers of FORMAT.md.
function code(kind) { return kind >= 1 && kind <= 4 ? 2 : kind; }
