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
	// constant is set if constants make the values, and start if they are the times by which rows are sorted.
	constant, start bool
	columns         []int
}

// data is the values of a slot: of a constant, or of a column by its kind.
type data struct {
	refs      []int32 // positions in constants; -1 is null
	constants []*Constant
	group     int                 // where constants come from, while a part is decoded
	ofPart    bool                // constants are those of a part, which others use, too
	known     map[*Constant]int32 // the positions of constants, otherwise
	places    []int32             // memory of adopt

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
	bytes int64   // of memory
	wide  int64   // of lists that constants have, for each row that has them
	slabs *slabs  // where memory for many rows comes from; nil for that of rows that are used again
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
	if t.slots[c.slot].start {
		return View{Ints: r.start}
	}
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

// grow adds n rows of nulls. Slots that are fast, if it is not nil, may have any values.
func (r *Rows) grow(t *Table, n int, fast []bool) {
	r.N += n
	r.start = lengthened(r.start, n)
	r.bytes += 8 * int64(n)
	for i := range r.slots {
		d := &r.slots[i]
		switch {
		case t.slots[i].start:
			continue
		case t.slots[i].constant:
			d.refs = lengthened(d.refs, n)
			r.bytes += 4 * int64(n)
		default:
			r.bytes += d.lengthen(&t.Columns[t.slots[i].columns[0]], n)
		}
		if fast == nil || !fast[i] {
			d.clear(r.N - n)
		}
	}
	if fast == nil {
		clear(r.start[r.N-n:])
	}
}

// lengthen makes room for n rows of a column. It returns how many bytes they take.
func (d *data) lengthen(c *Column, n int) int64 {
	if !c.Required {
		d.valid = lengthened(d.valid, n)
	}
	switch c.Kind {
	case Text:
		d.texts = lengthened(d.texts, n)
		return 17 * int64(n)
	case List, Frames:
		d.lists = lengthened(d.lists, n)
	default:
		d.ints = lengthened(d.ints, n)
	}
	return 9 * int64(n)
}

// clear makes rows from base on null.
func (d *data) clear(base int) {
	for i := range max(0, len(d.refs)-base) {
		d.refs[base+i] = -1
	}
	clear(d.ints[min(base, len(d.ints)):])
	clear(d.texts[min(base, len(d.texts)):])
	clear(d.lists[min(base, len(d.lists)):])
	clear(d.valid[min(base, len(d.valid)):])
}

// lengthened returns a slice with n elements more, whose values do not matter.
func lengthened[T any](s []T, n int) []T {
	if len(s)+n > cap(s) {
		s = append(make([]T, 0, (len(s)+n)*3/2), s...)
	}
	return s[:len(s)+n]
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
	r.N, r.bytes, r.wide, r.start = 0, 0, 0, r.start[:0]
	for i := range r.slots {
		d := &r.slots[i]
		clear(d.texts)
		clear(d.lists)
		if d.ofPart {
			d.constants = nil
		}
		d.forget()
		d.group, d.ofPart = -1, false
		d.refs, d.ints, d.texts, d.lists, d.valid = d.refs[:0], d.ints[:0], d.texts[:0], d.lists[:0], d.valid[:0]
	}
}

// forget removes all constants.
func (d *data) forget() {
	clear(d.known)
	clear(d.constants)
	d.constants = d.constants[:0]
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

// append adds all rows of others.
func (r *Rows) append(from *Rows) {
	var own slabs // lends nothing
	r.slabs = &own
	r.add(from, 0, from.N)
	r.slabs = nil
	r.bytes += from.bytes
	r.wide += from.wide
	for i := range r.slots {
		if d := &r.slots[i]; d.refs != nil {
			d.adopt(d.refs[len(d.refs)-from.N:], from.slots[i].constants)
		}
	}
}

// add adds n of the rows of others, from one on. References to constants stay what they are.
func (r *Rows) add(from *Rows, first, n int) {
	r.N += n
	p := r.slabs
	r.start = with(p, &p.ints, r.start, from.start, first, n)
	for i := range r.slots {
		d, f := &r.slots[i], &from.slots[i]
		d.refs, d.ints = with(p, &p.refs, d.refs, f.refs, first, n), with(p, &p.ints, d.ints, f.ints, first, n)
		d.texts, d.lists = with(p, &p.texts, d.texts, f.texts, first, n), with(p, &p.lists, d.lists, f.lists, first, n)
		d.valid = with(p, &p.valid, d.valid, f.valid, first, n)
	}
}

// with returns a slice with n of the values of another one.
func with[T any](x *slabs, free *[][]T, s, more []T, first, n int) []T {
	if more == nil {
		return s
	}
	s = lengthenedFrom(x, free, s, n)
	copy(s[len(s)-n:], more[first:first+n])
	return s
}

// adopt makes references, which lead to constants of others, such to constants of its own.
func (d *data) adopt(refs []int32, constants []*Constant) {
	if len(refs) == 0 {
		return
	}
	d.places = append(d.places[:0], make([]int32, len(constants))...) // here, plus one
	for i, ref := range refs {
		if ref < 0 {
			continue
		}
		place := d.places[ref]
		if place == 0 {
			place = d.place(constants[ref]) + 1
			d.places[ref] = place
		}
		refs[i] = place - 1
	}
}

// place returns the position of a constant, which it adds if it is new.
func (d *data) place(c *Constant) int32 {
	at, ok := d.known[c]
	if !ok {
		if d.known == nil {
			d.known = make(map[*Constant]int32)
		}
		at = int32(len(d.constants))
		d.known[c] = at
		d.constants = append(d.constants, c)
	}
	return at
}
