package print

import (
	"github.com/mmapjfr/jfr/internal/bytecache"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// template is how the fields of a type are written, but for their indentation: structs can lie in
// one another thousands deep.
type template struct {
	templateKey
	fields []fieldTemplate
	// open and tail are what a format writes before the first field and after the last one.
	open, tail []byte
	// long is set if values can be of any length, so that their text is not cached.
	long bool
}

// fieldTemplate is what is known of a field before its values.
type fieldTemplate struct {
	field    mmapjfr.Field
	name     string
	unit     mmapjfr.Unit
	unsigned bool
	// constant is set if values are structs in a constant pool, whose text is cached.
	constant bool
	// frames is set if the field is the frames of a stack trace, of which only the first
	// are written.
	frames bool
	// head is what a format writes before the value.
	head []byte
	// usual is the XML element of most values of the field, and single that of most
	// elements of its array.
	usual, single string
	// inner is how a struct in the field is written; nil until there was one.
	inner *template
	// text is what Text and Exact need besides.
	text textStyle
}

// newField returns the template of a field, without what belongs to a format.
func newField(f mmapjfr.Field) fieldTemplate {
	return fieldTemplate{
		field: f, name: f.Name(), unit: f.Unit(), unsigned: f.IsUnsigned(),
		constant: f.IsConstant() && !f.IsArray(),
		frames:   f.IsArray() && f.Type().Name() == jdktypes.StackFrame,
	}
}

// innerOf returns the template of the struct that a value of the field is.
func (s *fieldTemplate) innerOf(ts *templates, v mmapjfr.Value) *template {
	if s.inner == nil {
		s.inner = ts.of(templateKey{typ: v.Type()})
	}
	return s.inner
}

// maxTemplates bounds the templates in memory; chunks of one virtual machine share them.
const maxTemplates = 1 << 14

// templates are those of one format. They belong to one goroutine.
type templates struct {
	known map[templateKey]*template
	// fill adds what a format writes around the fields.
	fill func(t *template)
	// last is that of the event before, which is often of the same type; nil at first.
	last *template
}

type templateKey struct {
	typ   mmapjfr.Type
	event bool // the fields are those of an event, not of a struct
}

func newTemplates(fill func(t *template)) templates {
	return templates{known: make(map[templateKey]*template), fill: fill}
}

// event returns the template of the events of a type.
func (ts *templates) event(t mmapjfr.Type) *template {
	if ts.last == nil || ts.last.typ != t {
		ts.last = ts.of(templateKey{t, true})
	}
	return ts.last
}

// of returns the template of a type.
func (ts *templates) of(key templateKey) *template {
	if t := ts.known[key]; t != nil {
		return t
	}
	if len(ts.known) > maxTemplates {
		clear(ts.known)
	}
	t := &template{templateKey: key}
	for _, f := range key.typ.Fields() {
		t.long = t.long || f.IsArray()
		t.fields = append(t.fields, newField(f))
	}
	ts.fill(t)
	ts.known[key] = t
	return t
}

// The bounds of a cache: the longest text of one constant, and the size of all.
const (
	maxCached    = 16 << 10
	maxCachedAll = 32 << 20
)

// The bounds of what is written of one event. No recording of a virtual machine comes
// near them. In a file that is made for it, constants can lead to one another in such a
// way that the text would have no end.
const (
	// maxOpen is how many constants can be inside one another. The JVM's longest
	// chains, those from an old object to its root, take about 400.
	maxOpen = 4096
	// maxText is the length of the text after which constants are omitted.
	maxText = 16 << 20
)

// constCache has the texts of those constants of a chunk that have been rendered, for each
// depth of indentation. It belongs to one goroutine.
type constCache struct {
	chunk mmapjfr.Chunk
	texts bytecache.Cache[constKey, []byte]
	slab  []byte // holds the newest texts
	// recent are texts that were looked up last, and used says where they are.
	recent [recentTexts]recentText
	used   []uint16
	// open are the constants that are being rendered, one inside the other.
	nested int // structs that are being rendered, one inside of the other
	open   []constKey
	limit  int // how long the text of the event may get
	// omitted counts the constants that have been omitted. A text with an omission is
	// not cached: elsewhere the constant may have room.
	omitted int
}

type constKey struct {
	typ   mmapjfr.Type
	key   int64
	depth int
}

// recentText is a constant and its text; the text is nil until one was looked up.
type recentText struct {
	key  constKey
	text []byte
}

const (
	recentTexts = 1 << recentBits
	recentBits  = 9
	slabBytes   = 1 << 20
)

// text returns the text of a constant, if it is there. That of key 0 never is: values that lie in
// others have it, too.
func (c *constCache) text(key constKey) (text []byte, ok bool) {
	if key.key == 0 {
		return nil, false
	}
	const odd = 0x9e37_79b9_7f4a_7c15
	i := (uint64(key.key) + uint64(key.depth)<<32) * odd >> (64 - recentBits)
	at := &c.recent[i]
	if at.text != nil && at.key == key {
		return at.text, true
	}
	if text, ok = c.texts.Values[key]; ok {
		if at.text == nil {
			c.used = append(c.used, uint16(i))
		}
		*at = recentText{key, text}
	}
	return text, ok
}

// enter begins with a chunk. It reports whether that is another one, with other keys.
func (c *constCache) enter(chunk mmapjfr.Chunk) bool {
	if c.chunk == chunk {
		return false
	}
	c.chunk = chunk
	c.texts.Limit = maxCachedAll
	c.texts.Clear()
	c.forget()
	return true
}

// forget removes what is known of texts that the cache has dropped: it would keep them alive. It
// reuses their memory, for chunks that overlap: there, the events of both alternate.
func (c *constCache) forget() {
	for _, i := range c.used {
		c.recent[i] = recentText{}
	}
	c.used, c.slab = c.used[:0], c.slab[:0]
}

// put adds a text, unless it is too long.
func (c *constCache) put(key constKey, text []byte) {
	if len(text) > maxCached || key.key == 0 {
		return
	}
	if len(c.slab)+len(text) > cap(c.slab) {
		c.slab = make([]byte, 0, slabBytes)
	}
	at := len(c.slab)
	c.slab = append(c.slab, text...)
	if !c.texts.Put(key, c.slab[at:len(c.slab):len(c.slab)], len(text)) {
		c.slab = nil // the text lies there
		c.forget()
	}
}

// append appends the text of a constant that has no other constants in it, and renders it
// if it is not cached. A value that lies in place has no key, and is rendered each time.
func (c *constCache) append(dst []byte, key constKey, render func(dst []byte) []byte) []byte {
	if key.key == 0 {
		return render(dst)
	}
	if text, ok := c.text(key); ok {
		return append(dst, text...)
	}
	at := len(dst)
	dst = render(dst)
	c.put(key, dst[at:])
	return dst
}

// start begins with an event whose text is appended to dst.
func (c *constCache) start(dst []byte) { c.limit = len(dst) + maxText }

// appendBounded appends the text of a constant that can have others in it, and renders it
// if it is not cached. Where the event's bounds are exceeded it appends absent. Render
// returns false for a text that is not to be cached.
func (c *constCache) appendBounded(dst []byte, key constKey, absent string, render func(dst []byte) ([]byte, bool)) []byte {
	if text, ok := c.text(key); ok {
		return append(dst, text...)
	}
	if len(dst) > c.limit || len(c.open) >= maxOpen || !c.begin(key) {
		c.omitted++
		return append(dst, absent...)
	}
	at, omitted := len(dst), c.omitted
	dst, cacheable := render(dst)
	c.end()
	if cacheable && c.omitted == omitted {
		c.put(key, dst[at:])
	}
	return dst
}

// nest reports whether the fields of a struct may be rendered: a damaged recording has structs that lie in themselves.
// If so, unnest must be called after them.
func (c *constCache) nest(dst []byte) bool {
	if len(dst) > c.limit || c.nested >= maxOpen {
		c.omitted++
		return false
	}
	c.nested++
	return true
}

func (c *constCache) unnest() { c.nested-- }

// begin reports whether a constant may be rendered: not inside itself. If so, end must be
// called after it.
func (c *constCache) begin(key constKey) bool {
	for _, k := range c.open {
		if k.typ == key.typ && k.key == key.key {
			return false
		}
	}
	c.open = append(c.open, key)
	return true
}

func (c *constCache) end() { c.open = c.open[:len(c.open)-1] }
