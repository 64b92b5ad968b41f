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
	number int64 // another for each constant; 0 for texts that hardly come twice
	cells  []cell
	bytes  int64
}

// slot is columns of a table whose values lie together: a column, or all that a constant makes.
type slot struct {
	// constant is set if constants make the values, start if they are the times by which rows are sorted, and same if
	// most rows that wait together have one constant.
	constant, start, same bool
	columns               []int
}

// data is the values of a slot: of a constant, or of a column by its kind.
type data struct {
	refs      []int32 // positions in constants; -1 is null. Without them all rows have the first one
	constants []*Constant
	group     int      // where constants come from, while a part is decoded
	ofReader  bool     // constants are those of a reader, which others use, too
	known     keyTable // the positions of constants, otherwise, by their numbers

	ints  []int64
	texts []string
	lists []*Elements
	valid []bool // if some are null
	nulls bool   // some are
	// required is set if none may be.
	required bool
}

// Rows are rows of a table.
type Rows struct {
	N     int
	slots []data
	start []int64 // the times by which rows are sorted
	bytes int64   // of memory
	wide  int64   // of lists that constants have, for each row that has them
	// slabs is where memory for many rows comes from, and large is set if there are going to be many.
	slabs *slabs
	large bool
	of    *tableState
}

func newRows(t *Table, x *slabs) *Rows {
	r := &Rows{slots: make([]data, len(t.slots)), slabs: x}
	for i := range r.slots {
		s := &t.slots[i]
		r.slots[i].group, r.slots[i].required = -1, !s.constant && t.Columns[s.columns[0]].Required
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
	v := View{d.refs, d.ints, d.texts, d.lists, nil, d.constants, c.leaf}
	if t.slots[c.slot].same && len(d.refs) < r.N {
		v.Refs = r.refsOf(c.slot)
	}
	if d.nulls {
		v.Valid = d.valid
	}
	return v
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
	r.extend(t, n)
	for i := range r.slots {
		if !t.slots[i].start && (fast == nil || !fast[i]) {
			r.clear(i, r.N-n)
		}
	}
	if fast == nil {
		clear(r.start[r.N-n:])
	}
}

// extend adds n rows of any values, without nulls.
func (r *Rows) extend(t *Table, n int) {
	r.N += n
	r.start = lengthened(r, &r.slabs.ints, r.start, n)
	r.bytes += 8 * int64(n)
	for i := range r.slots {
		d := &r.slots[i]
		switch {
		case t.slots[i].start, t.slots[i].same && len(d.refs) == 0:
		case t.slots[i].constant:
			d.refs = lengthened(r, &r.slabs.refs, d.refs, n)
			r.bytes += 4 * int64(n)
		default:
			r.lengthen(d, t.Columns[t.slots[i].columns[0]].Kind, n)
		}
	}
}

// lengthen makes room for n rows of a column that has no constants.
func (r *Rows) lengthen(d *data, k Kind, n int) {
	if d.nulls {
		d.valid = lengthened(r, &r.slabs.valid, d.valid, n)
		fill(d.valid[len(d.valid)-n:], true)
	}
	switch k {
	case Text:
		d.texts = lengthened(r, &r.slabs.texts, d.texts, n)
		r.bytes += 8 * int64(n)
	case List, Frames:
		d.lists = lengthened(r, &r.slabs.lists, d.lists, n)
	default:
		d.ints = lengthened(r, &r.slabs.ints, d.ints, n)
	}
	r.bytes += 9 * int64(n)
}

func fill[T any](s []T, with T) {
	for i := range s {
		s[i] = with
	}
}

// validOf returns which rows of a slot without constants have a value, to be changed.
func (r *Rows) validOf(slot int) []bool {
	d := &r.slots[slot]
	if !d.nulls {
		d.nulls = true
		d.valid = lengthened(r, &r.slabs.valid, d.valid[:0], r.N)
		fill(d.valid, true)
	}
	return d.valid
}

// refsOf returns references of all rows, where they are missing because all have the first constant.
func (r *Rows) refsOf(slot int) []int32 {
	d := &r.slots[slot]
	if len(d.refs) < r.N {
		d.refs = lengthened(r, &r.slabs.refs, d.refs[:0], r.N)
		clear(d.refs)
	}
	return d.refs
}

// clear makes rows of a slot from base on null.
func (r *Rows) clear(slot, base int) {
	d := &r.slots[slot]
	if d.refs != nil {
		fill(d.refs[base:], -1)
		return
	}
	clear(d.ints[min(base, len(d.ints)):])
	clear(d.texts[min(base, len(d.texts)):])
	clear(d.lists[min(base, len(d.lists)):])
	if !d.required {
		clear(r.validOf(slot)[base:])
	}
}

// set sets the value of a row of a slot without constants, which is null.
func (r *Rows) set(slot, i int, c cell) {
	if !c.ok {
		return
	}
	d := &r.slots[slot]
	if d.nulls {
		d.valid[i] = true
	}
	switch {
	case d.texts != nil:
		d.texts[i] = c.text
		r.bytes += int64(len(c.text))
	case d.lists != nil:
		d.lists[i] = c.list
		if c.list != nil {
			r.bytes += int64(64 * c.list.N)
		}
	default:
		d.ints[i] = c.n
	}
}

// reset removes all rows.
func (r *Rows) reset() {
	r.N, r.bytes, r.wide, r.start = 0, 0, 0, r.start[:0]
	for i := range r.slots {
		d := &r.slots[i]
		clear(d.texts)
		clear(d.lists)
		if d.ofReader {
			d.constants = nil
		}
		d.forget()
		d.group, d.ofReader, d.nulls = -1, false, false
		d.refs, d.ints, d.texts, d.lists, d.valid = d.refs[:0], d.ints[:0], d.texts[:0], d.lists[:0], d.valid[:0]
	}
}

// forget removes all constants.
func (d *data) forget() {
	d.known.clear()
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
func (r *Rows) append(t *Table, from *Rows) {
	base, bytes := r.N, r.bytes+from.bytes
	r.extend(t, from.N)
	r.bytes = bytes
	r.wide += from.wide
	copy(r.start[base:], from.start)
	for i := range r.slots {
		d, f := &r.slots[i], &from.slots[i]
		if t.slots[i].constant {
			if !t.slots[i].same || !d.stays(base, f) {
				d.adopt(r.refsOf(i)[base:], from.refsOf(i), f.constants)
			}
			continue
		}
		copy(d.ints[min(base, len(d.ints)):], f.ints)
		copy(d.texts[min(base, len(d.texts)):], f.texts)
		copy(d.lists[min(base, len(d.lists)):], f.lists)
		if f.nulls {
			copy(r.validOf(i)[base:], f.valid)
		}
	}
}

// stays reports whether all rows have the same constant once those of others are added.
func (d *data) stays(base int, f *data) bool {
	if len(d.refs)+len(f.refs) > 0 || base > 0 && d.constants[0] != f.constants[0] {
		return false
	}
	d.place(f.constants[0])
	return true
}

// adopt makes references, which lead to constants of others, such to constants of its own.
func (d *data) adopt(to, refs []int32, constants []*Constant) {
	for i, ref := range refs {
		if ref >= 0 {
			if i > 0 && ref == refs[i-1] {
				ref = to[i-1]
			} else {
				ref = d.place(constants[ref])
			}
		}
		to[i] = ref
	}
}

// place returns the position of a constant, which it adds if it is new.
func (d *data) place(c *Constant) int32 {
	if c.number == 0 {
		d.constants = append(d.constants, c)
		return int32(len(d.constants)) - 1
	}
	d.known.grow(len(d.constants))
	p := d.known.find(c.number)
	if p.at == 0 {
		d.constants = append(d.constants, c)
		*p = place{c.number, int32(len(d.constants))}
	}
	return p.at - 1
}
