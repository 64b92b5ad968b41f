package where

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Paths to fields of structs.
var (
	pathName   = mmapjfr.Path("name")
	pathMethod = mmapjfr.Path("method")
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
	if v.Type().CurrentName() != jdktypes.StackFrame {
		return c.remembered(chunk, v, c.holdsMethod)
	}
	return c.remembered(chunk, v.Get(pathMethod), c.holdsMethod) || c.lined && c.protected(chunk, v, c.holdsFrame)
}

// remembered compares a value, or returns the answer for the same constant.
func (c *term) remembered(chunk mmapjfr.Chunk, v mmapjfr.Value, compare func(mmapjfr.Value) bool) bool {
	if v.Key() == 0 {
		return c.protected(chunk, v, compare)
	}
	key := memoKey{chunk, v.Type(), v.Key()}
	holds, known := c.memo.get(key)
	if !known {
		holds = c.protected(chunk, v, compare)
		c.memo.put(key, holds)
	}
	return holds
}

// holdsStack reports whether a frame of the stack trace holds, or if the value has
// semicolons, whether it is the text of all frames.
func (c *term) holdsStack(chunk mmapjfr.Chunk, v mmapjfr.Value) bool {
	key := memoKey{chunk, v.Type(), v.Key()}
	holds, known := c.memo.get(key)
	if known && key.key != 0 {
		return holds
	}
	n, alike := 0, len(c.frames) > 1
	for f := range v.StackTrace().Frames() {
		if holds = c.holdsInvocation(chunk, f.Value()); holds {
			break
		}
		alike = alike && n < len(c.frames) && c.protected(chunk, f.Value(), func(v mmapjfr.Value) bool {
			return written(v, func(text []byte) bool { return string(text) == c.frames[n] })
		})
		n++
	}
	holds = holds || alike && n == len(c.frames)
	c.memo.put(key, holds)
	return holds
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

var buffers = sync.Pool{New: func() any { return new([]byte) }}

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
	switch v.Type().CurrentName() {
	case jdktypes.String, jdktypes.Thread, jdktypes.Class, jdktypes.ClassLoader, jdktypes.Method, jdktypes.StackFrame:
		return v.AppendStr(dst)
	}
	return v.Get(pathName).AppendStr(dst)
}

// maxMemo is how many answers a memo has at most.
const maxMemo = 1 << 17

// memo has the constants for which it is known whether a comparison holds.
type memo struct {
	mu    sync.RWMutex
	known map[memoKey]bool
}

// memoKey is a constant. The same key of the same type can be another constant in another
// chunk.
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
