package mmapjfr

import (
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/internal/wire"
)

// interner keeps strings that had to be converted, so that reading one again
// allocates nothing.
type interner struct {
	mu    sync.RWMutex
	texts map[internKey]map[string]string
	size  int
}

// internKey tells apart what the same bytes can mean.
type internKey struct {
	encoding wire.Encoding
	form     wire.Form
	dotted   bool
	made     bool // that they are the text itself
}

const (
	// maxInterned bounds the bytes that are kept; beyond it all are forgotten.
	maxInterned = 4 << 20
	// maxInternedLen is the length of the longest string that is worth keeping.
	maxInternedLen = 4 << 10
)

// text returns the converted string.
func (in *interner) text(t wire.Text) string {
	return in.get(internKey{encoding: t.Encoding, form: t.Form}, t.Bytes, func() string {
		return string(t.Append(nil))
	})
}

// dots returns a name with dots where the virtual machine writes slashes.
func (in *interner) dots(name string) string {
	if strings.IndexByte(name, '/') < 0 {
		return name
	}
	return in.get(internKey{dotted: true}, []byte(name), func() string {
		return strings.ReplaceAll(name, "/", ".")
	})
}

// made returns a text that was made of others, as a string.
func (in *interner) made(text []byte) string {
	k := internKey{made: true}
	if s, ok := in.known(k, text); ok {
		return s
	}
	return in.keep(k, text, string(text))
}

func (in *interner) get(k internKey, raw []byte, convert func() string) string {
	wire.StepBytes(len(raw))
	if s, ok := in.known(k, raw); ok {
		return s
	}
	return in.keep(k, raw, convert())
}

// keep keeps a string for the next time, unless it is too long for that.
func (in *interner) keep(k internKey, raw []byte, s string) string {
	if len(raw) > maxInternedLen {
		return s
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.size += len(raw) + len(s); in.size > maxInterned || in.texts == nil {
		in.texts = make(map[internKey]map[string]string)
		in.size = len(raw) + len(s)
	}
	if in.texts[k] == nil {
		in.texts[k] = make(map[string]string)
	}
	in.texts[k][string(raw)] = s
	return s
}

// known returns what was converted before. The bytes may lie in a file that is cut: then
// looking for them panics, and the lock must not stay behind.
func (in *interner) known(k internKey, raw []byte) (s string, ok bool) {
	in.mu.RLock()
	defer in.mu.RUnlock()
	s, ok = in.texts[k][string(raw)]
	return s, ok
}
