// Searching: by name, with what part of the total all found frames are.

// pattern returns a test for texts: a regular expression, or plain text if it is none. Upper case
// is lower case unless the pattern has upper case.
export function pattern(text) {
  if (text === '') return null;
  const flags = text === text.toLowerCase() ? 'i' : '';
  try {
    return new RegExp(text, flags);
  } catch {
    return new RegExp(quote(text), flags);
  }
}

export function quote(text) { return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'); }

const patience = 2000; // milliseconds
const matcher = 'onmessage=({data:[names,re]})=>postMessage(Uint8Array.from(names,(name)=>re.test(name)))';

// find calls done with 1 for each name that a pattern finds, or with undefined if that takes too
// long. Expressions that leave a choice may take years for a name: a worker tests them. It returns
// a function that stops the search.
export function find(names, re, done) {
  if (!/[*+?{|]/.test(re.source.replace(/\\./g, ''))) return done(Uint8Array.from(names, (name) => re.test(name)));
  let worker;
  try {
    worker = new Worker('data:text/javascript,' + matcher);
  } catch {
    return done(); // where the page may have no workers
  }
  const end = (e) => {
    clearTimeout(timer);
    worker.terminate();
    if (e) done(e.data);
  };
  const timer = setTimeout(end, patience, {});
  worker.onmessage = worker.onerror = end;
  worker.postMessage([names, re]);
  return end;
}

// matchTotal returns what the samples weigh that have a found frame, each sample once.
export function matchTotal(tree, found) {
  const { n, nameOf, ends } = tree.nodes;
  let sum = 0;
  let nodes = 0;
  for (let i = 1; i < n;) {
    if (found[nameOf[i]] && tree.total[i] !== 0) {
      sum += tree.total[i];
      nodes++;
      i = ends[i];
    } else {
      i++;
    }
  }
  return { sum, nodes };
}

// outermost returns the found nodes of a view that no found node is below, the widest first.
// Of a reversed tree it knows what has been drawn.
export function outermost(view, found, most) {
  const list = [];
  const todo = [view.root];
  while (todo.length) {
    const i = todo.pop();
    if (view.total[i] <= 0) continue;
    if (i !== view.root && found[view.name(i)]) {
      list.push(i);
      continue;
    }
    for (let c = view.peek(i); c >= 0; c = view.next(c)) todo.push(c);
  }
  return list.sort((a, b) => view.total[b] - view.total[a] || a - b).slice(0, most);
}
