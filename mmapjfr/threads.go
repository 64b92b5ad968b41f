package mmapjfr

import (
	"errors"
	"slices"

	"github.com/mmapjfr/jfr/index/schema"
)

// threadNames wants events of threads by name.
type threadNames []string

// Threads wants events of the named threads, see [Event.Thread]. A name is that in Java or that of the operating system; * in
// it stands for any characters and ? for one.
//
// The first such selection reads the chunk's constants, and goes through all its
// events to keep which threads there are in each block of 64 KiB.
func Threads(names ...string) Filter { return threadNames(names) }

func (f threadNames) check() error { return checkGlobs("thread", f) }

func (f threadNames) matchesType(class *schema.Type) bool { return class.Thread() != nil }

func (f threadNames) compile(cf *chunkFilter) error {
	names := threadMatcher{globs: f, known: make(map[place]bool)}
	return cf.limitThreads(func(t Thread) bool {
		return names.match(t.o.get(pathJavaName)) || names.match(t.o.get(pathOSName))
	})
}

// threadMatcher tells which names are wanted. It looks at each text of the chunk once:
// many threads can share a long one.
type threadMatcher struct {
	globs []string
	known map[place]bool
}

func (m *threadMatcher) match(name Value) bool {
	wanted, ok := m.known[name.at]
	if !ok {
		text := name.StrView()
		wanted = text != "" && slices.ContainsFunc(m.globs, func(glob string) bool { return matches(glob, text) })
		m.known[name.at] = wanted
	}
	return wanted
}

// threadIDs wants events of threads by their number in Java.
type threadIDs []int64

// ThreadIDs wants events of the threads with these numbers, see [Event.Thread]. The numbers are those of Java, see
// [Thread.JavaThreadID]. What it costs is what [Threads] costs.
func ThreadIDs(ids ...int64) Filter { return threadIDs(ids) }

func (f threadIDs) check() error {
	if len(f) == 0 {
		return errors.New("mmapjfr: a selection by thread names none")
	}
	return nil
}

func (f threadIDs) matchesType(class *schema.Type) bool { return class.Thread() != nil }

func (f threadIDs) compile(cf *chunkFilter) error {
	return cf.limitThreads(func(t Thread) bool { return slices.Contains(f, t.JavaThreadID()) })
}

// threadsFunc wants events of threads that a function wants.
type threadsFunc func(Thread) bool

// ThreadsFunc wants events of threads that the function wants, see [Event.Thread]. The function is called for all threads of each chunk, by
// any goroutine, and must always give the same answer. What it costs is what
// [Threads] costs.
func ThreadsFunc(wanted func(t Thread) bool) Filter { return threadsFunc(wanted) }

func (f threadsFunc) check() error {
	if f == nil {
		return errors.New("mmapjfr: a selection by thread has no function")
	}
	return nil
}

func (f threadsFunc) matchesType(class *schema.Type) bool { return class.Thread() != nil }

func (f threadsFunc) compile(cf *chunkFilter) error { return cf.limitThreads(f) }
