package columns

// Elements are the elements of a list.
type Elements struct {
	N      int
	Ints   []int64 // of numbers, as in [View]
	Texts  []string
	Valid  []bool
	Frames []Frame
}

// Constant is the values of columns that one constant of a recording makes, such as a thread.
type Constant struct {
	cells []cell
	bytes int64
}

// slot is columns of a table whose values lie together: a column, or all that a constant makes.
type slot struct {
	constant bool
	columns  []int
}

// data is the values of a slot: of a constant, or of a column by its kind.
type data struct {
	refs      []int32 // positions in constants; -1 is null
	constants []*Constant
	group     int // where constants come from, while a part is decoded

	ints  []int64
	texts []string
	lists []*Elements
	valid []bool // nil if all are
}

// Rows are rows of a table.
type Rows struct {
	N     int
	slots []data
	start []int64 // the times by which rows are sorted
	bytes int64
}

func newRows(t *Table) *Rows {
	r := &Rows{slots: make([]data, len(t.slots))}
	for i := range r.slots {
		r.slots[i].group = -1
	}
	return r
}

// View is the values of a column.
type View struct {
	// Refs, if it is not nil, has for each row the position of its value in the view that Constants returns; -1 is
	// null. The other slices are nil then.
	Refs []int32
	// Ints are numbers, 0 and 1 for [Bool], nanoseconds for [Time], and the bits of doubles.
	Ints  []int64
	Texts []string
	Lists []*Elements
	// Valid reports whether a row has a value, and not null. It is nil if all have.
	Valid []bool

	constants []*Constant
	leaf      int
}

// Column returns the values of a column. They are valid as long as the rows are.
func (r *Rows) Column(t *Table, i int) View {
	c := &t.Columns[i]
	d := &r.slots[c.slot]
	return View{d.refs, d.ints, d.texts, d.lists, d.valid, d.constants, c.leaf}
}

// Constants returns how many values Refs lead to.
func (v *View) Constants() int { return len(v.constants) }

// Constant returns one of the values that Refs lead to; false if it is null.
func (v *View) Constant(i int) (n int64, text string, list *Elements, ok bool) {
	c := &v.constants[i].cells[v.leaf]
	return c.n, c.text, c.list, c.ok
}

// At returns the value of a row; false if it is null.
func (v *View) At(i int) (n int64, text string, list *Elements, ok bool) {
	switch {
	case v.Refs != nil && v.Refs[i] < 0:
		return 0, "", nil, false
	case v.Refs != nil:
		return v.Constant(int(v.Refs[i]))
	case v.Valid != nil && !v.Valid[i]:
		return 0, "", nil, false
	case v.Texts != nil:
		return 0, v.Texts[i], nil, true
	case v.Lists != nil:
		return 0, "", v.Lists[i], true
	}
	return v.Ints[i], "", nil, true
}

// grow adds n rows of nulls.
func (r *Rows) grow(t *Table, n int) {
	r.N += n
	r.start = extended(r.start, n)
	r.bytes += 8 * int64(n)
	for i := range r.slots {
		d := &r.slots[i]
		if t.slots[i].constant {
			d.refs = extended(d.refs, n)
			for j := range d.refs[r.N-n:] {
				d.refs[r.N-n+j] = -1
			}
			r.bytes += 4 * int64(n)
			continue
		}
		c := &t.Columns[t.slots[i].columns[0]]
		if !c.Required {
			d.valid = extended(d.valid, n)
		}
		switch c.Kind {
		case Text:
			d.texts = extended(d.texts, n)
			r.bytes += 17 * int64(n)
		case List, Frames:
			d.lists = extended(d.lists, n)
			r.bytes += 9 * int64(n)
		default:
			d.ints = extended(d.ints, n)
			r.bytes += 9 * int64(n)
		}
	}
}

// extended returns a slice with n zeros more.
func extended[T any](s []T, n int) []T {
	if len(s)+n <= cap(s) {
		s = s[:len(s)+n]
		clear(s[len(s)-n:])
		return s
	}
	return append(s, make([]T, n)...)
}

// set sets the value of a row of a slot without constants.
func (d *data) set(i int, c cell) (bytes int) {
	if d.valid != nil {
		d.valid[i] = c.ok
	}
	switch {
	case !c.ok:
	case d.texts != nil:
		d.texts[i] = c.text
		return len(c.text)
	case d.lists != nil:
		d.lists[i] = c.list
		if c.list != nil {
			return 64 * c.list.N
		}
	default:
		d.ints[i] = c.n
	}
	return 0
}

// reset removes all rows.
func (r *Rows) reset() {
	r.N, r.bytes, r.start = 0, 0, r.start[:0]
	for i := range r.slots {
		d := &r.slots[i]
		clear(d.texts)
		clear(d.lists)
		*d = data{refs: d.refs[:0], group: -1, ints: d.ints[:0], texts: d.texts[:0], lists: d.lists[:0], valid: d.valid[:0]}
	}
}

// remove removes rows from base on that are not wanted.
func (r *Rows) remove(base int, wanted []bool) {
	r.start = compact(r.start, base, wanted)
	for i := range r.slots {
		d := &r.slots[i]
		d.refs, d.ints, d.texts = compact(d.refs, base, wanted), compact(d.ints, base, wanted), compact(d.texts, base, wanted)
		d.lists, d.valid = compact(d.lists, base, wanted), compact(d.valid, base, wanted)
	}
	r.N = len(r.start)
}

func compact[T any](s []T, base int, wanted []bool) []T {
	if len(s) == 0 {
		return s
	}
	n := base
	for i, yes := range wanted {
		if yes {
			s[n] = s[base+i]
			n++
		}
	}
	return s[:n]
}

// location is where a row is: the number of some rows, and its position there.
type location struct{ rows, at int32 }

// gather adds rows from others.
func (r *Rows) gather(from []*Rows, at []location) {
	r.N += len(at)
	r.start = gather(r.start, from, at, func(f *Rows) []int64 { return f.start })
	for _, f := range from {
		if f.N > 0 {
			r.bytes += f.bytes / int64(f.N) * int64(len(at)) / int64(len(from))
		}
	}
	for i := range r.slots {
		d := &r.slots[i]
		of := func(l location) *data { return &from[l.rows].slots[i] }
		first := of(at[0])
		if first.refs != nil {
			d.gatherRefs(i, from, at)
			continue
		}
		switch {
		case first.ints != nil:
			d.ints = gather(d.ints, from, at, func(f *Rows) []int64 { return f.slots[i].ints })
		case first.texts != nil:
			d.texts = gather(d.texts, from, at, func(f *Rows) []string { return f.slots[i].texts })
		case first.lists != nil:
			d.lists = gather(d.lists, from, at, func(f *Rows) []*Elements { return f.slots[i].lists })
		}
		if first.valid != nil {
			d.valid = gather(d.valid, from, at, func(f *Rows) []bool { return f.slots[i].valid })
		}
	}
}

// gather adds values of rows.
func gather[T any](dst []T, from []*Rows, at []location, of func(*Rows) []T) []T {
	lists := make([][]T, len(from))
	for i, f := range from {
		lists[i] = of(f)
	}
	n := len(dst)
	dst = extended(dst, len(at))
	for i, l := range at {
		dst[n+i] = lists[l.rows][l.at]
	}
	return dst
}

// gatherRefs adds references to constants, and the constants that they lead to.
func (d *data) gatherRefs(slot int, from []*Rows, at []location) {
	known := make(map[*Constant]int32)
	places := make([][]int32, len(from)) // of constants, plus one
	for i, f := range from {
		places[i] = make([]int32, len(f.slots[slot].constants))
	}
	d.refs = gather(d.refs, from, at, func(f *Rows) []int32 { return f.slots[slot].refs })
	for i, l := range at {
		ref := d.refs[i]
		if ref < 0 {
			continue
		}
		place := places[l.rows][ref]
		if place == 0 {
			c := from[l.rows].slots[slot].constants[ref]
			if place = known[c]; place == 0 {
				d.constants = append(d.constants, c)
				place = int32(len(d.constants))
				known[c] = place
			}
			places[l.rows][ref] = place
		}
		d.refs[i] = place - 1
	}
}

// order returns the positions of rows by start time, those of the same time in their order.
func order(start []int64) []int32 {
	at := make([]int32, len(start))
	least, most, sorted := int64(0), int64(0), true
	for i, s := range start {
		at[i] = int32(i)
		if i == 0 {
			least, most = s, s
		} else if s < start[i-1] {
			sorted = false
		}
		least, most = min(least, s), max(most, s)
	}
	if sorted {
		return at
	}
	const bits = 11
	other := make([]int32, len(at))
	for shift := 0; shift < 64 && uint64(most-least)>>shift > 0; shift += bits {
		var counts [1 << bits]int32
		for _, s := range start {
			counts[uint64(s-least)>>shift&(1<<bits-1)]++
		}
		sum := int32(0)
		for i, n := range counts {
			counts[i] = sum
			sum += n
		}
		for _, i := range at {
			digit := uint64(start[i]-least) >> shift & (1<<bits - 1)
			other[counts[digit]] = i
			counts[digit]++
		}
		at, other = other, at
	}
	return at
}
