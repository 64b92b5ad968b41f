package where

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Paths to fields of structs.
var (
	pathName   = mmapjfr.Path("name")
	pathMethod = mmapjfr.Path("method")
)

// holdsText compares the text that a value is.
func (c *comparison) holdsText(chunk mmapjfr.Chunk, v mmapjfr.Value) bool {
	if v.Kind() == mmapjfr.KindString {
		return c.guarded(chunk, v, c.holdsString)
	}
	if v.Kind() != mmapjfr.KindStruct {
		return c.holdsWritten(v) // a character
	}
	if v.Type().CurrentName() == frameType {
		v = v.Get(pathMethod)
	}
	if v.Key() == 0 {
		return c.guarded(chunk, v, c.holdsWritten)
	}
	key := memoKey{chunk, v.Type(), v.Key()}
	holds, known := c.memo.get(key)
	if !known {
		holds = c.guarded(chunk, v, c.holdsWritten)
		c.memo.put(key, holds)
	}
	return holds
}

// holdsStack tells whether a frame of the stack trace holds.
func (c *comparison) holdsStack(chunk mmapjfr.Chunk, v mmapjfr.Value) bool {
	key := memoKey{chunk, v.Type(), v.Key()}
	holds, known := c.memo.get(key)
	if known && key.key != 0 {
		return holds
	}
	for f := range v.StackTrace().Frames() {
		if holds = c.holdsText(chunk, f.Value()); holds {
			break
		}
	}
	c.memo.put(key, holds)
	return holds
}

// guarded compares a text that is copied or read from the file. Nothing is fulfilled by
// what goes in that moment, because the file is cut.
func (c *comparison) guarded(chunk mmapjfr.Chunk, v mmapjfr.Value, compare func(mmapjfr.Value) bool) (holds bool) {
	_ = chunk.Guard(func() error { // it is kept for those who ask the recording
		holds = compare(v)
		return nil
	})
	return holds
}

func (c *comparison) holdsString(v mmapjfr.Value) bool {
	s := v.StrView()
	if c.op == match {
		return c.pattern.MatchString(s)
	}
	return c.accepts(strings.Compare(s, c.value.text))
}

// holdsWritten compares a text that must be written down first.
func (c *comparison) holdsWritten(v mmapjfr.Value) bool {
	buf := buffers.Get().(*[]byte)
	defer giveBack(buf)
	*buf = appendText((*buf)[:0], v)
	if c.op == match {
		return c.pattern.Match(*buf)
	}
	return c.accepts(strings.Compare(string(*buf), c.value.text))
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// giveBack gives back a buffer. In builds that check themselves nobody who still has it
// finds anything there.
func giveBack(buf *[]byte) {
	if wire.Debug {
		clear((*buf)[:cap(*buf)])
	}
	buffers.Put(buf)
}

// appendText appends the text of a value that is no string.
func appendText(dst []byte, v mmapjfr.Value) []byte {
	if v.Kind() == mmapjfr.KindChar {
		return utf8.AppendRune(dst, rune(v.Int()))
	}
	switch v.Type().CurrentName() {
	case threadType:
		return append(dst, v.Thread().Name()...)
	case classType:
		return javaname.AppendClass(dst, v.Class().Name())
	case loaderType:
		if name := v.ClassLoader().Name(); name != "" {
			return append(dst, name...)
		}
		return javaname.AppendClass(dst, v.ClassLoader().Type().Name())
	case methodType:
		at := len(dst)
		dst = javaname.AppendClass(dst, v.Method().Class().Name())
		if len(dst) > at {
			dst = append(dst, '.')
		}
		return append(dst, v.Method().Name()...)
	}
	return v.Get(pathName).AppendStr(dst)
}

// maxMemo is how many answers are kept.
const maxMemo = 1 << 17

// memo keeps for which constants a comparison holds.
type memo struct {
	mu    sync.RWMutex
	known map[memoKey]bool
}

// memoKey is a constant: a type alone has chunks in which keys mean something else.
type memoKey struct {
	chunk mmapjfr.Chunk
	typ   mmapjfr.Type
	key   int64
}

func (m *memo) get(key memoKey) (holds, known bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	holds, known = m.known[key]
	return holds, known
}

func (m *memo) put(key memoKey, holds bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = make(map[memoKey]bool)
	}
	if len(m.known) >= maxMemo {
		clear(m.known)
	}
	m.known[key] = holds
}
