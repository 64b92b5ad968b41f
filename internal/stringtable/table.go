// Package stringtable keeps the texts that recordings have returned.
package stringtable

import (
	"encoding/binary"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Table keeps texts, each once, so that reading a text again allocates nothing. The zero Table is
// ready to use, by any number of goroutines. It drops texts that have not been read for long.
type Table struct {
	// A text is looked up in both. When young is full it takes the place of old; what is
	// found in old moves to young.
	young, old atomic.Pointer[textSlots]
	mu         sync.Mutex // held while a text is added
	long       longTexts
}

// Kind says how a string is made of its bytes: the encoding if they have to be converted, 0 if they
// are the text already, and bits.
type Kind uint8

const (
	// constant is a text that is found by its [ConstantKey].
	constant Kind = 0x20
	// raw are UTF-16 code units of the uncompressed form.
	raw Kind = 0x80
)

// MaxBytes bounds the bytes of young, and of old. Tests change it.
var MaxBytes = 4 << 20

// MaxText is the length of the longest text that is found by its bytes. Longer ones are kept by
// their place.
const MaxText = 64 << 10

const (
	// textRoom is how much memory a text takes beside its bytes.
	textRoom = 96
	// leastTexts is how many slots there are to begin with.
	leastTexts = 256
)

var textSeed = maphash.MakeSeed()

// Text returns the string that was read.
func (st *Table) Text(t wire.Text) string {
	if len(t.Bytes) == 0 {
		return ""
	}
	if t.Plain() {
		return st.Plain(t.Bytes)
	}
	return st.converted(t)
}

// Plain returns bytes that are plain text as a string.
func (st *Table) Plain(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	wire.StepBytes(len(b))
	hash := hashOf(b, 0)
	if s, ok := st.get(hash, 0, b); ok {
		return s
	}
	s := string(b)
	return st.add(&keptText{hash: hash, bytes: s, s: s})
}

// converted is Text for strings that are not their bytes.
func (st *Table) converted(t wire.Text) string {
	wire.StepBytes(len(t.Bytes))
	kind := Kind(t.Encoding)
	if t.IntEncoding == wire.FixedWidth {
		kind |= raw
	}
	hash := hashOf(t.Bytes, kind)
	if s, ok := st.get(hash, kind, t.Bytes); ok {
		return s
	}
	s := string(t.Append(nil))
	return st.add(&keptText{hash: hash, kind: kind, bytes: string(t.Bytes), s: s})
}

func hashOf(b []byte, kind Kind) uint64 {
	return maphash.Bytes(textSeed, b) + uint64(kind)*0x9E3779B97F4A7C15
}

// ConstantKey says which text of which constant a text is.
type ConstantKey [32]byte

// NewConstantKey returns the key of a text of the constant of that type at an offset of a chunk.
// What says which of its texts it is. No other chunk that uses the table may have the number.
func NewConstantKey(chunk uint64, what int, typ int64, offset int) (k ConstantKey) {
	binary.LittleEndian.PutUint64(k[:], chunk)
	binary.LittleEndian.PutUint64(k[8:], uint64(offset))
	binary.LittleEndian.PutUint64(k[16:], uint64(typ))
	binary.LittleEndian.PutUint64(k[24:], uint64(what))
	return k
}

// Constant returns the text that [Table.AddConstant] has added; "" if the table lacks it.
func (st *Table) Constant(key *ConstantKey) string {
	s, _ := st.get(hashOf(key[:], constant), constant, key[:])
	return s
}

// AddConstant adds a text of a constant.
func (st *Table) AddConstant(key *ConstantKey, text string) {
	if len(text) <= MaxText {
		st.add(&keptText{hash: hashOf(key[:], constant), kind: constant, bytes: string(key[:]), s: text})
	}
}

// get returns a text that the table holds.
func (st *Table) get(hash uint64, kind Kind, b []byte) (s string, ok bool) {
	if found := st.young.Load().find(hash, kind, b); found != nil {
		return found.s, true
	}
	found := st.old.Load().find(hash, kind, b)
	if found == nil {
		return "", false
	}
	return st.add(found), true
}

// add keeps a text, and returns its string: that of another goroutine if that was faster. No bytes
// of a file are read while the lock is held: they may be gone, and reading them panics.
func (st *Table) add(t *keptText) string {
	if len(t.bytes) > MaxText {
		return t.s
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	young := st.young.Load()
	if found := young.find(t.hash, t.kind, []byte(t.bytes)); found != nil {
		return found.s
	}
	size := len(t.bytes) + textRoom
	if t.kind != 0 {
		size += len(t.s)
	}
	switch {
	case young == nil:
		young = newSlots(leastTexts)
	case young.size+size > MaxBytes:
		st.old.Store(young)
		young = newSlots(leastTexts)
	case 2*(young.count+1) > len(young.slots):
		young = young.doubled()
	}
	young.put(t)
	young.size += size
	st.young.Store(young)
	return t.s
}

// keptText is a string that is kept, with the bytes of the file that it is made of. It never
// changes.
type keptText struct {
	hash  uint64
	bytes string
	s     string
	kind  Kind
}

// textSlots is a hash table that is read without a lock: a slot is filled once, and never
// changes then.
type textSlots struct {
	slots       []atomic.Pointer[keptText] // a power of two, at most half of them filled
	count, size int                        // of texts, and of the bytes they take; guarded by mu
}

func newSlots(slots int) *textSlots {
	return &textSlots{slots: make([]atomic.Pointer[keptText], slots)}
}

// find returns the text; nil if the table does not hold it.
func (ts *textSlots) find(hash uint64, kind Kind, b []byte) *keptText {
	if ts == nil {
		return nil
	}
	mask := uint64(len(ts.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		t := ts.slots[i].Load()
		if t == nil || t.hash == hash && t.kind == kind && t.bytes == string(b) {
			return t
		}
	}
}

// put fills a slot.
func (ts *textSlots) put(t *keptText) {
	mask := uint64(len(ts.slots) - 1)
	i := t.hash & mask
	for ts.slots[i].Load() != nil {
		i = (i + 1) & mask
	}
	ts.slots[i].Store(t)
	ts.count++
}

// doubled returns the table with twice as many slots.
func (ts *textSlots) doubled() *textSlots {
	more := newSlots(2 * len(ts.slots))
	more.size = ts.size
	for i := range ts.slots {
		if t := ts.slots[i].Load(); t != nil {
			more.put(t)
		}
	}
	return more
}

// Size returns how many bytes the texts take that are kept.
func (st *Table) Size() (n int) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, ts := range []*textSlots{st.young.Load(), st.old.Load()} {
		if ts != nil {
			n += ts.size
		}
	}
	return n
}
