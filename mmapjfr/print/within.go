package print

// within makes a yield that is called with the first events alone, or the last ones,
// as Limit and Tail say. What it holds back comes when rest is called.
func (o *Options) within(yield func(item) bool) (within func(item) bool, rest func()) {
	rest = func() {}
	if o.Limit > 0 {
		yield = first(o.Limit, yield)
	}
	if o.Tail > 0 {
		t := &tail{n: o.Tail}
		return t.add, func() { t.each(yield) }
	}
	return yield, rest
}

// first makes a yield that is called with no more than n events.
func first(n int, yield func(item) bool) func(item) bool {
	return func(it item) bool {
		n--
		return yield(it) && n > 0
	}
}

// tail keeps the last n events.
type tail struct {
	n     int
	items []item // from next on, and then those before it
	next  int
}

func (t *tail) add(it item) bool {
	if len(t.items) < t.n {
		t.items = append(t.items, it)
		return true
	}
	t.items[t.next] = it
	t.next = (t.next + 1) % t.n
	return true
}

func (t *tail) each(yield func(item) bool) {
	for i := range t.items {
		if !yield(t.items[(t.next+i)%len(t.items)]) {
			return
		}
	}
}
