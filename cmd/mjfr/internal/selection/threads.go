package selection

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Threads are the threads that --thread selects.
type Threads struct {
	ids   map[int64]bool
	globs []*regexp.Regexp
}

// ParseThreads parses names of threads and numbers such as #12. A number is the one in Java, or
// that of the operating system for a thread that Java does not know.
func ParseThreads(names []string) (*Threads, error) {
	w := &Threads{ids: make(map[int64]bool)}
	for _, name := range names {
		digits, numbered := strings.CutPrefix(name, "#")
		switch id, err := strconv.ParseInt(digits, 10, 64); {
		case name == "":
			return nil, cli.Usagef("--thread names no thread; --where '@thread = \"\"' selects events of threads without a name")
		case !numbered:
			w.globs = append(w.globs, globPattern(name, ""))
		case err != nil:
			return nil, cli.Usagef("--thread %s is not the number of a thread; give one as in #12, or a name: one that begins with # is given as ?%s", name, digits)
		default:
			w.ids[id] = true
		}
	}
	return w, nil
}

// JavaThreads returns a function that reports whether the name of a thread in Java fits one of
// these, in which * and ? are as in a filter. A thread without such a name fits none.
func JavaThreads(names []string) func(mmapjfr.Thread) bool {
	var globs []*regexp.Regexp
	for _, name := range names {
		globs = append(globs, globPattern(name, ""))
	}
	return func(t mmapjfr.Thread) bool {
		name := t.JavaName()
		return name != "" && slices.ContainsFunc(globs, func(glob *regexp.Regexp) bool { return glob.MatchString(name) })
	}
}

// Wants reports whether a thread is selected.
func (w *Threads) Wants(t mmapjfr.Thread) bool {
	id := t.JavaThreadID()
	if id <= 0 {
		id = t.OSThreadID()
	}
	return w.ids[id] || !t.IsZero() && slices.ContainsFunc(w.globs, func(glob *regexp.Regexp) bool {
		return glob.MatchString(t.JavaName()) || glob.MatchString(t.OSName())
	})
}

// ThreadsOf calls do with the threads of a chunk.
func ThreadsOf(c mmapjfr.Chunk, do func(mmapjfr.Thread)) {
	types, err := c.Types()
	if err != nil {
		return
	}
	for _, t := range types {
		if t.Name() == jdktypes.Thread {
			for _, v := range engine.ChunkConstants(c, t) {
				do(v.Thread())
			}
		}
	}
}
