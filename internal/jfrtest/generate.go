package jfrtest

import "math/rand/v2"

// Generate makes a recording of any bytes: each of them decides on something, and when there are no
// more the least is done. The recording is right in every respect, though it may be one that no
// writer would make: [Decode] reads it without an error. The same bytes make the same recording.
func Generate(program []byte) []byte { return generate(program, false) }

// GenerateFaulty is [Generate] of recordings that are wrong in some places: counts and
// sizes that lie, classes that nobody describes, classes that contain themselves, chains
// that lead nowhere. All else is right, so that readers come as far as to these places.
func GenerateFaulty(program []byte) []byte { return generate(program, true) }

// Programs returns n lists of up to 700 random bytes for [Generate] and [Edit], the first
// of them empty. They are always the same for the same seed.
func Programs(n int, seed uint64) [][]byte {
	rng := rand.New(rand.NewPCG(6, seed))
	list := make([][]byte, n)
	for i := range list {
		list[i] = make([]byte, 20*i%720)
		for j := range list[i] {
			list[i][j] = byte(rng.Uint32())
		}
	}
	return list
}

func generate(program []byte, faulty bool) []byte {
	c := &choices{left: program}
	var all []byte
	for range 1 + c.rarely(2) {
		g := &generator{choices: c, faulty: faulty, values: 400}
		all = append(all, g.chunk()...)
	}
	if faulty && c.lie() {
		all = all[:len(all)-c.upTo(min(len(all), 200))]
	}
	return all
}

// choices are decisions that bytes make.
type choices struct{ left []byte }

// byte returns the next byte, or 0.
func (c *choices) byte() byte {
	if len(c.left) == 0 {
		return 0
	}
	b := c.left[0]
	c.left = c.left[1:]
	return b
}

// upTo decides on a number that is less than n, which is at most 256.
func (c *choices) upTo(n int) int { return int(c.byte()) % n }

// rarely decides on a number up to n, which is mostly 0.
func (c *choices) rarely(n int) int {
	b := int(c.byte())
	if b < 200 {
		return 0
	}
	return 1 + (b-200)%n
}

func (c *choices) yes() bool { return c.byte()&1 != 0 }

// lie decides on whether to do something wrong.
func (c *choices) lie() bool { return c.byte() > 230 }

// integer decides on a number, of which those at the edges of types come often.
func (c *choices) integer() int64 {
	switch b := c.byte(); {
	case b < 160:
		return int64(b)
	case b < 224:
		at := int64(1) << (b & 63)
		return at - int64(c.upTo(3)) + 1
	case b < 240:
		return -int64(b & 15)
	default:
		var v int64
		for range 1 + b&7 {
			v = v<<8 | int64(c.byte())
		}
		return v
	}
}

// generator makes a chunk of choices.
type generator struct {
	*choices
	faulty bool
	b      *Builder
	// inside are classes whose values can lie inside of others; pooled are all that pools can have.
	inside, pooled []*Class
	// values is how many more values there can be, so that arrays of arrays end.
	values int
}

func (g *generator) chunk() []byte {
	b := NewEmptyChunk()
	g.b = b
	if g.rarely(1) > 0 {
		b.Uncompressed()
	}
	b.StringEncoding = []byte{encUTF8, encLatin1, encUTF16}[g.upTo(3)]
	b.SizeWidth = []int{0, 4, 5, 8}[g.rarely(3)]
	b.ConstantsFirst, b.MetadataFirst = g.yes(), g.yes()
	b.nextID = []int64{100, 20, 126, 16_382, 1 << 21, 1 << 33}[g.upTo(6)]
	b.Header.TickRate = []int64{1_000_000_000, 1, 2_399_999_347, 1 << 62}[g.rarely(3)]
	if g.rarely(1) > 0 {
		b.Header.StartTicks, b.Header.StartNanos = g.integer(), g.integer()
	}
	g.classes()
	var events []*Class
	for range 1 + g.upTo(3) {
		events = append(events, g.event())
	}
	for range g.upTo(12) {
		g.emit(events[g.upTo(len(events))])
	}
	for range 1 + g.rarely(2) {
		g.checkpoint()
		for range g.rarely(4) {
			g.emit(events[g.upTo(len(events))])
		}
	}
	m := &Metadata{ID: 1, SizeWidth: -1, StringEncodings: []byte{encLatin1}}
	if g.rarely(1) > 0 {
		older := *m
		older.Classes = b.classes[:len(b.classes)-1]
		b.Metadata(&older)
		m.ID = 2
	}
	b.Metadata(m)
	if g.faulty {
		g.spoil(m)
	}
	return b.Bytes()
}

// emit adds an event, as a rule of that class.
func (g *generator) emit(class *Class) {
	var opts EventOptions
	switch g.rarely(4) {
	case 1:
		opts.Trailing = []byte{g.byte(), g.byte()}
	case 2:
		opts.SizeWidth = 4
	case 3:
		opts.TypeWidth = 6
	case 4:
		g.b.EmitRaw(opts, 7, []byte{g.byte()})
		return
	}
	if g.faulty && g.lie() {
		opts.Size, opts.SizeWidth = new(g.integer()), 9
	}
	g.b.EmitWith(opts, class, g.fields(class)...)
}

// keys are those that constants have and fields refer to; the last one no constant has.
var keys = []int64{1, 2, 3, 0, 4, 1 << 20, 1 << 40, -1, 5, 99}

func (g *generator) key() int64 { return keys[g.upTo(len(keys))] }

func (g *generator) checkpoint() {
	cp := g.b.Checkpoint(byte(g.rarely(15)) &^ MaskHeader)
	for range g.upTo(6) {
		class := g.pooled[g.upTo(len(g.pooled))]
		pool := cp.Pool(class.Name)
		for range 1 + g.upTo(5) {
			key := keys[g.upTo(len(keys)-1)]
			if len(class.Fields) == 0 {
				pool.Add(key, g.primitive(class.Name))
			} else {
				pool.Add(key, g.fields(class)...)
			}
		}
		if g.faulty && g.lie() {
			pool.Count = new(g.integer())
		}
	}
	if g.faulty && g.lie() {
		switch g.upTo(5) {
		case 0:
			cp.Delta = new(-g.integer())
		case 1:
			cp.Size, cp.SizeWidth = new(g.integer()), 9
		case 2:
			cp.PoolCount = new(g.integer())
		case 3:
			cp.TypeID = new(g.integer())
		case 4:
			cp.PoolID(12345)
		}
	}
}

// spoil makes something of the chunk as a whole wrong.
func (g *generator) spoil(m *Metadata) {
	if !g.lie() {
		return
	}
	switch g.upTo(7) {
	case 0:
		g.b.ForceSize = new(g.integer())
	case 1:
		g.b.ForceCheckpointOffset = new(g.integer())
	case 2:
		g.b.ForceMetadataOffset = new(g.integer())
	case 3:
		m.Size, m.SizeWidth = new(g.integer()), 9
	case 4:
		m.StringCount = new(g.integer())
	case 5:
		g.b.Header.State = g.byte()
	case 6:
		g.b.Insert([]byte{g.byte(), g.byte()})
	}
}
