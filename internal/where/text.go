package where

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Paths to fields of structs.
var (
	pathName   = mmapjfr.Path("name")
	pathFrames = mmapjfr.Path("frames")
	pathMethod = mmapjfr.Path("method")

	methodPaths = []*mmapjfr.FieldPath{pathMethod}
)

// holdsText compares the text that a value is.
func (c *term) holdsText(t *target, chunk mmapjfr.Chunk, v mmapjfr.Value) bool {
	if v.Kind() == mmapjfr.KindString && !t.computed {
		return c.protected(chunk, v, c.holdsString)
	}
	if v.Kind() != mmapjfr.KindStruct {
		return c.protected(chunk, v, c.holdsWritten) // a character, or what is put together
	}
	return c.remembered(chunk, v, c.holdsWritten)
}

// holdsInvocation compares a method, or that of a stack frame, with or without its
// parameters. If the value has a colon, it also compares the line of the frame.
func (c *term) holdsInvocation(chunk mmapjfr.Chunk, v mmapjfr.Value) bool {
	if v.Type().Name() != jdktypes.StackFrame {
		return c.remembered(chunk, v, c.holdsMethod)
	}
	return c.remembered(chunk, v.Get(pathMethod), c.holdsMethod) || c.lined && c.protected(chunk, v, c.holdsFrame)
}

// remembered compares a value, or returns the answer for the same constant.
func (c *term) remembered(chunk mmapjfr.Chunk, v mmapjfr.Value, compare func(mmapjfr.Value) bool) bool {
	key := engine.ValueKey(v)
	if key == 0 {
		return c.protected(chunk, v, compare)
	}
	known := c.memo.of(pool{chunk, v.Type(), false})
	holds, ok := known.get(key)
	if !ok {
		holds = c.protected(chunk, v, compare)
		known.put(key, holds)
	}
	return holds
}

// holdsStack reports whether a frame of the stack trace holds, or if the value has
// semicolons, whether it is the text of all frames.
func (c *term) holdsStack(chunk mmapjfr.Chunk, v mmapjfr.Value) bool {
	known, key := c.memo.of(pool{chunk, v.Type(), false}), engine.ValueKey(v)
	holds, ok := known.get(key)
	if ok && key != 0 {
		return holds
	}
	if holds, ok = c.holdsMethods(chunk, v); !ok {
		holds = c.holdsFrames(chunk, v)
	}
	known.put(key, holds)
	return holds
}

// holdsFrames is holdsStack for any frames.
func (c *term) holdsFrames(chunk mmapjfr.Chunk, v mmapjfr.Value) (holds bool) {
	n, alike := 0, len(c.frames) > 1
	for f := range v.StackTrace().Frames() {
		if c.holdsInvocation(chunk, engine.FrameValue(f)) {
			return true
		}
		alike = alike && n < len(c.frames) && c.protected(chunk, engine.FrameValue(f), func(v mmapjfr.Value) bool {
			return written(v, func(text []byte) bool { return string(text) == c.frames[n] })
		})
		n++
	}
	return alike && n == len(c.frames)
}

// holdsMethods is holdsStack where only methods are compared, by their keys, which are read
// several times as fast as frames. It is not ok if frames must be read.
func (c *term) holdsMethods(chunk mmapjfr.Chunk, v mmapjfr.Value) (holds, ok bool) {
	if c.lined || len(c.frames) > 1 {
		return false, false
	}
	frames := v.Get(pathFrames)
	known := c.memo.of(pool{chunk, frames.Type(), true})
	if !known.constants {
		return false, false
	}
	buf := keyBuffers.Get().(*[]int64)
	defer keyBuffers.Put(buf)
	*buf = engine.ValueAppendElementInts(frames, (*buf)[:0], methodPaths...)
	next, holds := known.first(*buf, 0)
	if holds || next == len(*buf) {
		return holds, len(*buf) > 0
	}
	i := -1
	for f := range frames.Elements() {
		if i++; i < next {
			continue
		}
		key, method := (*buf)[i], f.Get(pathMethod)
		if engine.ValueKey(method) != key || key == 0 {
			return false, false
		}
		holds = c.remembered(chunk, method, c.holdsMethod)
		known.put(key, holds)
		if !holds {
			next, holds = known.first(*buf, i+1)
		}
		if holds || next == len(*buf) {
			break
		}
	}
	return holds, len(*buf) > 0
}

// protected compares a text that is copied or read from the file. Nothing holds for bytes
// that are lost meanwhile, because the file is truncated.
func (c *term) protected(chunk mmapjfr.Chunk, v mmapjfr.Value, compare func(mmapjfr.Value) bool) (holds bool) {
	_ = chunk.Protect(func() error { // Recording.FileErr returns the error
		holds = compare(v)
		return nil
	})
	return holds
}

func (c *term) holdsString(v mmapjfr.Value) bool { return c.holdsPlain(v.StrView()) }

func (c *term) holdsPlain(s string) bool {
	if c.op == match {
		return c.pattern.MatchString(s)
	}
	return c.accepts(strings.Compare(s, c.value.text))
}

// holdsWritten compares the text of a value that is no string.
func (c *term) holdsWritten(v mmapjfr.Value) bool { return written(v, c.acceptsText) }

// holdsMethod compares the text of a method, with and without its parameters.
func (c *term) holdsMethod(v mmapjfr.Value) bool {
	return written(v, func(text []byte) bool {
		name := max(bytes.IndexByte(text, '('), 0)
		switch {
		case c.op == match:
			return c.pattern.Match(text) || name > 0 && c.pattern.Match(text[:name])
		case c.op == equal:
			return string(text) == c.value.method || name > 0 && string(text[:name]) == c.value.text
		}
		return c.acceptsText(text)
	})
}

// holdsFrame compares the text of a stack frame, with its line, and with and without the
// parameters of its method.
func (c *term) holdsFrame(v mmapjfr.Value) bool {
	return written(v, func(text []byte) bool {
		if c.op == match && c.pattern.Match(text) || c.op == equal && string(text) == c.value.method {
			return true
		}
		name, line := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ':')
		return name > 0 && line > name && c.acceptsText(append(text[:name], text[line:]...))
	})
}

func (c *term) acceptsText(text []byte) bool {
	if c.op == match {
		return c.pattern.Match(text)
	}
	return c.accepts(strings.Compare(string(text), c.value.text))
}

// written returns what accept returns for the text of a value.
func written(v mmapjfr.Value, accept func(text []byte) bool) bool {
	buf := buffers.Get().(*[]byte)
	defer giveBack(buf)
	*buf = appendText((*buf)[:0], v)
	return accept(*buf)
}

var (
	buffers    = sync.Pool{New: func() any { return new([]byte) }}
	keyBuffers = sync.Pool{New: func() any { return new([]int64) }}
)

// giveBack gives back a buffer. Debug builds clear it, so that a late use shows.
func giveBack(buf *[]byte) {
	if wire.Debug {
		clear((*buf)[:cap(*buf)])
	}
	buffers.Put(buf)
}

// appendText appends the text of a value: that of [mmapjfr.Value.Str], a character, or else
// the value of a struct's field name.
func appendText(dst []byte, v mmapjfr.Value) []byte {
	if v.Kind() == mmapjfr.KindChar {
		return utf8.AppendRune(dst, rune(v.Int()))
	}
	switch v.Type().Name() {
	case jdktypes.String, jdktypes.Thread, jdktypes.Class, jdktypes.ClassLoader, jdktypes.Method, jdktypes.StackFrame:
		return v.AppendStr(dst)
	}
	return v.Get(pathName).AppendStr(dst)
}

// maxMemo is how many answers a memo has at most, each some bytes, and maxPools of how many pools,
// which keep their chunks alive.
const (
	maxMemo  = 1 << 18
	maxPools = 256
)

// memo has the constants for which it is known whether a term holds.
type memo struct {
	mu    sync.RWMutex
	pools map[pool]*answers
	size  atomic.Int64
}

// pool is where the key of a constant is valid. The same key of the same type can be another
// constant in another chunk.
type pool struct {
	chunk   mmapjfr.Chunk
	typ     mmapjfr.Type
	methods bool // the keys are those of the methods of frames of the type
}

// answers are what is known of the constants of a pool.
type answers struct {
	memo  *memo
	mu    sync.RWMutex
	known map[int64]bool
	// constants reports whether frames of the pool's type refer to their methods.
	constants bool
}

// of returns the answers for a pool. They stay valid when the memo has become too large and
// begins anew.
func (m *memo) of(p pool) *answers {
	m.mu.RLock()
	a := m.pools[p]
	m.mu.RUnlock()
	if a != nil && m.size.Load() <= maxMemo {
		return a
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pools == nil || m.size.Load() > maxMemo || len(m.pools) >= maxPools && m.pools[p] == nil {
		m.pools = make(map[pool]*answers)
		m.size.Store(0)
	}
	if a = m.pools[p]; a == nil {
		f, _, err := p.typ.Resolve(pathMethod)
		a = &answers{memo: m, known: make(map[int64]bool)}
		a.constants = p.methods && err == nil && f.IsConstant() && !f.IsArray() && !engine.FieldIsComputed(f)
		m.pools[p] = a
		m.size.Add(16)
	}
	return a
}

func (a *answers) get(key int64) (holds, known bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	holds, known = a.known[key]
	return holds, known
}

// first returns the position of the first key, from a position on, that holds or is not known;
// their number if no key is.
func (a *answers) first(keys []int64, from int) (i int, holds bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for i = from; i < len(keys); i++ {
		if holds, known := a.known[keys[i]]; holds || !known {
			return i, holds
		}
	}
	return i, false
}

func (a *answers) put(key int64, holds bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known[key] = holds
	a.memo.size.Add(1)
}
