package jfrtest

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"unicode/utf8"
)

// Content is what a chunk says: events whose values are known, whatever the types that
// describe them look like. [Content.As] writes them in other shapes.
type Content struct {
	chunk  *Chunk
	events []Event
	// absent are the fields that some value of the chunk is missing of, which only a
	// reference to a constant can say.
	absent map[fieldKey]bool
}

// fieldKey names a field of a class.
type fieldKey struct {
	class int64
	field string
}

// Shape says how the types of a recording lie in its bytes. All shapes of one content say the
// same, unless they are Spoilt. The zero Shape is that of the writer of the content.
type Shape struct {
	// Seed decides; 0 keeps everything as it was.
	Seed uint64
	// InOrder keeps the order of fields.
	InOrder bool
	// Odd lets numbers, too, be constants or simple types, as no known writer has them.
	Odd bool
	// Spoilt leaves out fields and makes others of another kind than readers expect: this
	// does not say the same.
	Spoilt bool
	// Only, where not nil, says which fields may have another shape. It serves to find the
	// one that matters.
	Only func(class, field string) bool
}

// NewContent returns what the first chunk of a recording says, with up to perType events of
// each type.
func NewContent(recording []byte, perType int) (*Content, error) {
	rec, err := Decode(recording)
	if err != nil {
		return nil, err
	}
	s := &Content{chunk: rec.Chunks[0], absent: map[fieldKey]bool{}}
	seen := map[int64]int{}
	for _, e := range s.chunk.Events {
		if seen[e.TypeID]++; seen[e.TypeID] <= perType && s.chunk.Classes[e.TypeID] != nil {
			s.events = append(s.events, e)
		}
	}
	for _, e := range s.events {
		s.findAbsent(e.TypeID, e.Fields)
	}
	for class, pool := range s.chunk.Pools {
		for _, v := range pool {
			if v, ok := v.(*Struct); ok {
				s.findAbsent(class, v.Fields)
			}
		}
	}
	return s, nil
}

func (s *Content) findAbsent(class int64, fields []Value) {
	for _, f := range fields {
		list, array := f.Value.([]any)
		if !array {
			list = []any{f.Value}
		}
		for _, v := range list {
			if in, ok := v.(*Struct); ok {
				s.findAbsent(in.Class.ID, in.Fields)
			}
			switch s.chunk.Resolve(v).(type) {
			case Null, Missing:
				s.absent[fieldKey{class, f.Name}] = true
			}
		}
	}
}

// Has reports whether a field has values of one of some classes.
func (s *Content) Has(class, field string, of ...string) bool {
	for _, c := range s.chunk.Classes {
		for i := range c.Fields {
			if c.Name == class && c.Fields[i].Name == field {
				return slices.Contains(of, s.chunk.Classes[c.Fields[i].ClassID].Name)
			}
		}
	}
	return false
}

func sortedClasses(classes map[int64]*Class) []*Class {
	return slices.SortedFunc(maps.Values(classes), func(a, b *Class) int { return cmp.Compare(a.ID, b.ID) })
}

// As returns the content in a shape. The same shape makes the same bytes.
func (s *Content) As(shape Shape) []byte {
	b := NewEmptyChunk()
	h := s.chunk.Header
	b.Header = Header{
		Major: h.Major, Minor: h.Minor, StartNanos: h.StartNanos, DurationNanos: h.DurationNanos,
		StartTicks: h.StartTicks, TickRate: h.TickRate, Flags: h.Flags,
	}
	b.Region = s.chunk.Region
	r := &reshaper{
		Content: s, shape: shape, b: b, rng: rand.New(rand.NewPCG(shape.Seed, 1)),
		classes: map[int64]*Class{}, fields: map[*Class][]fieldShape{}, inside: map[*Class][]*Class{},
		wrappers: map[string]*Class{}, keys: map[any]int64{}, next: map[int64]int64{},
	}
	if shape.Seed != 0 {
		b.StringEncoding = []byte{encUTF8, encLatin1, encUTF16}[r.rng.IntN(3)]
		b.SizeWidth = []int{0, 4}[r.rng.IntN(2)]
		b.MetadataFirst = r.rng.IntN(2) == 0
	}
	r.describe()
	r.pools[0] = b.Checkpoint(0)
	r.pools[1] = &Checkpoint{Start: h.StartTicks, b: b}
	for _, e := range s.events {
		class := r.classes[e.TypeID]
		b.Emit(class, r.values(class, e.Fields)...)
	}
	b.items = append(b.items, r.pools[1])
	slices.SortFunc(r.b.classes, func(a, b *Class) int { return cmp.Compare(a.ID, b.ID) })
	if shape.Seed != 0 {
		r.rng.Shuffle(len(b.classes), func(i, j int) { b.classes[i], b.classes[j] = b.classes[j], b.classes[i] })
	}
	return b.Bytes()
}

// fieldShape is how the values of one field lie.
type fieldShape struct {
	from Field // as the content has it
	at   int   // of the value in the content; -1 for none
	to   Field
	// wrap is the class with one field that values are wrapped into; inner is that field.
	wrap  *Class
	inner bool // that field is a reference to a constant
	text  bool
	// pooled texts are references to the pool of strings by their encoding.
	pooled bool
	// spoil is how the value is made one of another kind.
	spoil spoil
}

type spoil int

const (
	sound    spoil = iota
	otherway       // of a class that is not the one expected
	listed         // an array, or none
	dangling       // a reference to a constant that no pool has
)

// reshaper writes a content in a shape.
type reshaper struct {
	*Content
	shape    Shape
	b        *Builder
	rng      *rand.Rand
	classes  map[int64]*Class // as they are, by the number that the content has them by
	fields   map[*Class][]fieldShape
	inside   map[*Class][]*Class // classes whose values lie inside of those of a class
	wrappers map[string]*Class
	pools    [2]*Checkpoint
	keys     map[any]int64
	next     map[int64]int64
}

// choice returns what decides on one field, whatever happens to others.
func (r *reshaper) choice(class *Class, field string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, class.Name, "\x00", field)
	return rand.New(rand.NewPCG(r.shape.Seed, h.Sum64()))
}

// describe makes the classes.
func (r *reshaper) describe() {
	old := sortedClasses(r.chunk.Classes)
	taken := map[int64]bool{}
	for _, class := range old {
		if class.IsEvent() || r.shape.Seed == 0 {
			taken[class.ID] = true
		}
	}
	id := []int64{20, 100, 126, 16_382, 1 << 33}[r.rng.IntN(5)]
	free := func() int64 {
		for id++; taken[id]; id++ {
		}
		return id
	}
	ids := make([]int64, len(old)+32)
	for i := range ids {
		ids[i] = free()
	}
	r.rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for i, class := range old {
		c := *class
		if !class.IsEvent() && r.shape.Seed != 0 {
			c.ID = ids[i]
		}
		r.classes[class.ID] = &c
		r.b.Add(&c)
	}
	r.b.nextID = id + 1
	for _, class := range old {
		c := r.classes[class.ID]
		c.Annotations = r.annotations(class.Annotations)
		c.Settings = slices.Clone(class.Settings)
		for i := range c.Settings {
			if to := r.classes[c.Settings[i].ClassID]; to != nil {
				c.Settings[i].ClassID = to.ID
			}
			c.Settings[i].Annotations = r.annotations(c.Settings[i].Annotations)
		}
		r.shapeFields(class, c)
	}
}

func (r *reshaper) annotations(list []Annotation) []Annotation {
	list = slices.Clone(list)
	for i := range list {
		if to := r.classes[list[i].ClassID]; to != nil {
			list[i].ClassID = to.ID
		}
	}
	return list
}

// plain reports whether the values of a class are not to be touched: those that have no
// fields or describe metadata.
func plain(class *Class) bool {
	return class.SuperType == annotationSuper || class.SuperType == settingSuper
}

func (r *reshaper) shapeFields(old, class *Class) {
	var list []fieldShape
	rng := r.choice(class, "")
	for i, f := range old.Fields {
		list = append(list, fieldShape{from: f, at: i})
	}
	if !r.shape.InOrder && r.shape.Seed != 0 && !plain(class) {
		moved := make([]int, 0, len(list))
		for i, f := range list {
			if r.may(class, f.from.Name) {
				moved = append(moved, i)
			}
		}
		rng.Shuffle(len(moved), func(i, j int) {
			i, j = moved[i], moved[j]
			list[i], list[j] = list[j], list[i]
		})
	}
	kept := list[:0]
	for _, f := range list {
		f.to = f.from
		f.to.ClassID, f.to.Annotations = r.classes[f.from.ClassID].ID, r.annotations(f.from.Annotations)
		choice := r.choice(class, f.from.Name)
		if !plain(class) && !r.isText(old) && r.may(class, f.from.Name) {
			r.shapeField(class, &f, choice)
			if r.shape.Spoilt && choice.IntN(6) == 0 && !r.spoil(&f, choice) {
				continue
			}
		} else if r.isText(r.chunk.Classes[f.from.ClassID]) {
			f.text = true
			if c := r.chunk.Classes[f.from.ClassID]; c.Name != StringClass {
				f.wrap, f.inner = r.classes[c.ID], c.Fields[0].ConstantPool
			}
		}
		kept = append(kept, f)
	}
	class.Fields = nil
	for _, f := range kept {
		class.Fields = append(class.Fields, f.to)
	}
	r.fields[class] = kept
}

func (r *reshaper) may(class *Class, field string) bool {
	return r.shape.Seed != 0 && (r.shape.Only == nil || r.shape.Only(class.Name, field))
}

// isText reports whether the values of a class are texts: of the class String, or of one
// whose only field is such.
func (r *reshaper) isText(class *Class) bool {
	if class.SimpleType && len(class.Fields) == 1 && class.Fields[0].Dimension == 0 {
		return class.Fields[0].Class == StringClass
	}
	return class.Name == StringClass
}

// shapeField decides on a field.
func (r *reshaper) shapeField(owner *Class, f *fieldShape, choice *rand.Rand) {
	class := r.chunk.Classes[f.from.ClassID]
	switch {
	case r.isText(class):
		f.text = true
		r.shapeText(class, f, choice.IntN(8))
	case len(class.Fields) > 0:
		to := r.classes[class.ID]
		f.to.ConstantPool = choice.IntN(2) == 0 || r.reaches(to, owner) ||
			r.absent[fieldKey{r.oldOf(owner), f.from.Name}]
		if !f.to.ConstantPool {
			r.inside[owner] = append(r.inside[owner], to)
		}
	case r.shape.Odd && choice.IntN(8) == 0:
		f.to.ConstantPool = choice.IntN(2) == 0
		if choice.IntN(2) == 0 {
			value := Field{Name: "value", Class: class.Name, ClassID: r.classes[class.ID].ID}
			f.wrap = r.wrapper("test.Of."+class.Name, value)
			f.to.ClassID, f.to.Class = f.wrap.ID, f.wrap.Name
		}
	}
}

// oldOf returns the number that the content has a class by.
func (r *reshaper) oldOf(class *Class) int64 {
	for id, c := range r.classes {
		if c == class {
			return id
		}
	}
	return 0
}

// shapeText decides on a field of texts.
func (r *reshaper) shapeText(class *Class, f *fieldShape, how int) {
	str := f.to.ClassID
	for _, c := range r.chunk.Classes {
		if c.Name == StringClass {
			str = r.classes[c.ID].ID
		}
	}
	f.to.ClassID, f.to.Class, f.to.ConstantPool = str, StringClass, false
	switch how {
	case 0: // in place
	case 1:
		f.pooled = true
	case 2:
		f.to.ConstantPool = true
	case 3, 4, 5, 6, 7:
		if len(class.Fields) > 0 {
			f.wrap = r.classes[class.ID]
			f.inner = class.Fields[0].ConstantPool
		} else {
			f.inner = how > 5
			name := []string{"test.Text", "test.PooledText"}[how/6]
			f.wrap = r.wrapper(name, Field{Name: "string", Class: StringClass, ClassID: str, ConstantPool: f.inner})
		}
		f.to.ClassID, f.to.Class = f.wrap.ID, f.wrap.Name
		f.to.ConstantPool = how != 3 && how != 6
		f.pooled = how == 5
	}
}

// wrapper returns the simple type with a name, or a new one with the field.
func (r *reshaper) wrapper(name string, field Field) *Class {
	if r.wrappers[name] == nil {
		r.wrappers[name] = r.b.Class(name, field).Simple()
	}
	return r.wrappers[name]
}

// reaches reports whether values of a class contain such of another.
func (r *reshaper) reaches(from, to *Class) bool {
	return from == to || slices.ContainsFunc(r.inside[from], func(c *Class) bool { return r.reaches(c, to) })
}

// spoil makes a field one of another kind; false leaves it out.
func (r *reshaper) spoil(f *fieldShape, choice *rand.Rand) bool {
	switch choice.IntN(5) {
	case 0:
		return false
	case 1, 2:
		classes := sortedClasses(r.chunk.Classes)
		classes = slices.DeleteFunc(classes, func(c *Class) bool {
			return len(c.Fields) > 0 || c.IsEvent() || plain(c)
		})
		c := r.classes[classes[choice.IntN(len(classes))].ID]
		f.spoil = otherway
		f.to.Class, f.to.ClassID, f.to.ConstantPool = c.Name, c.ID, choice.IntN(3) == 0
	case 3:
		f.spoil = listed
		f.to.Dimension = 1 - f.to.Dimension
	case 4:
		f.spoil = dangling
		f.to.ConstantPool = true
	}
	return true
}

// values returns the values of a class's fields.
func (r *reshaper) values(class *Class, from []Value) []any {
	list := make([]any, 0, len(class.Fields))
	for i := range r.fields[class] {
		f := &r.fields[class][i]
		list = append(list, r.value(f, from[f.at].Value))
	}
	return list
}

func (r *reshaper) value(f *fieldShape, v any) any {
	list, array := v.([]any)
	switch f.spoil {
	case dangling:
		if f.to.Dimension > 0 {
			return []any{int64(77), int64(0)}
		}
		return int64(77)
	case listed:
		if !array {
			return []any{r.element(f, v)}
		}
		if len(list) == 0 {
			return Raw{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
		}
		return r.element(f, list[0])
	}
	if !array {
		return r.element(f, v)
	}
	to := make([]any, len(list))
	for i := range list {
		to[i] = r.element(f, list[i])
	}
	return to
}

func (r *reshaper) element(f *fieldShape, v any) any {
	switch {
	case f.spoil == otherway:
		return r.otherwise(f, v)
	case f.text:
		return r.text(f, v)
	}
	class := r.classes[f.from.ClassID]
	if len(class.Fields) == 0 {
		if v = r.chunk.Resolve(v); f.wrap != nil {
			class = f.wrap
		}
		if !f.to.ConstantPool {
			return v
		}
		return r.constant(class, v, func() []any { return []any{v} })
	}
	in, ok := r.chunk.Resolve(v).(*Struct)
	switch {
	case !ok:
		return int64(0)
	case !f.to.ConstantPool:
		return Inline(r.values(class, in.Fields))
	}
	return r.constant(class, in, func() []any { return r.values(class, in.Fields) })
}

// constant returns the key of a constant of a class, which it adds if it is new.
func (r *reshaper) constant(class *Class, identity any, values func() []any) int64 {
	of := [2]any{class, identity}
	if key, ok := r.keys[of]; ok {
		return key
	}
	if r.next[class.ID] == 0 {
		r.next[class.ID] = []int64{0, 100, 1 << 33, -1 << 40}[r.rng.IntN(4)]
	}
	r.next[class.ID] += 1 + r.rng.Int64N(3)
	key := r.next[class.ID]
	r.keys[of] = key
	list := values()
	cp := r.pools[r.rng.IntN(2)]
	i := slices.IndexFunc(cp.pools, func(p *Pool) bool { return p.id == class.ID })
	if i < 0 {
		i = len(cp.pools)
		cp.PoolID(class.ID)
	}
	cp.pools[i].Add(key, list...)
	return key
}

// text returns a text in the shape of its field.
func (r *reshaper) text(f *fieldShape, v any) any {
	v = r.chunk.Resolve(v)
	if in, ok := v.(*Struct); ok {
		v = r.chunk.Resolve(in.Fields[0].Value)
	}
	text, ok := v.(string)
	var outer any = text
	switch {
	case !ok && (f.to.ConstantPool || f.inner):
		return int64(0)
	case !ok:
		return nil
	case !utf8.ValidString(text): // as HotSpot writes what is beyond 0xffff
		outer = UTF8(text)
	}
	pooled := func() int64 {
		return r.constant(r.b.byName[StringClass], text, func() []any { return []any{outer} })
	}
	switch {
	case f.wrap == nil && f.to.ConstantPool:
		return pooled()
	case f.inner:
		outer = pooled()
	case f.pooled:
		outer = Pooled(pooled())
	}
	if !f.to.ConstantPool {
		return outer
	}
	return r.constant(f.wrap, text, func() []any { return []any{outer} })
}

// otherwise returns a value of the class that a field has against what readers expect.
func (r *reshaper) otherwise(f *fieldShape, v any) any {
	class := r.b.classOf("", f.to.ClassID)
	v = r.chunk.Resolve(v)
	var to any
	switch v := v.(type) {
	case string:
		to = int64(len(v))
	case *Struct:
		to = int64(len(v.Fields))
	case Null, Missing, nil:
		to = int64(0)
	default:
		to = v
	}
	if class.Name == StringClass {
		to = fmt.Sprint(to)
	} else if _, number := bits(to); !number && class.Name != "float" && class.Name != "double" {
		to = int64(3)
	} else if yes, ok := to.(bool); ok {
		n, _ := bits(yes)
		to = int64(n)
	}
	if !f.to.ConstantPool {
		return to
	}
	return r.constant(class, to, func() []any { return []any{to} })
}
