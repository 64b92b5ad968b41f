// Package speedscope writes profiles as https://www.speedscope.app reads them: a profile for each
// kind, which the page shows in a list.
package speedscope

import (
	"bufio"
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/rows"
	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Options say how a profile is written.
type Options struct {
	Names profile.Names
	// Title is the name of the file in the page.
	Title string
	// Threads makes the thread the outermost frame of each stack.
	Threads bool
}

const schema = "https://www.speedscope.app/file-format-schema.json"

// Write writes the main value of each kind of a profile. Frames of one name are one frame: the page
// takes each number of a frame for a function of its own.
func Write(w io.Writer, p *profile.Profile, o Options) error {
	e := encoder{out: bufio.NewWriter(w), p: p, o: &o, numbers: make(map[string]int)}
	e.text(`{"$schema":`, schema)
	e.text(`,"exporter":`, "mjfr")
	e.text(`,"name":`, o.Title)
	e.raw(`,"shared":{"frames":[`)
	frames := make([]int, p.Frames())
	for i := range frames {
		frames[i] = e.frame(o.Names.Frame(p, p.Frame(profile.FrameID(i))))
	}
	threads := e.threads()
	e.raw(`]},"profiles":[`)
	kinds := p.Kinds()
	for i := range kinds {
		if i > 0 {
			e.raw(",")
		}
		e.profile(&kinds[i], frames, threads)
	}
	e.raw("]}\n")
	return e.out.Flush()
}

// encoder writes JSON piece by piece. Flush returns errors.
type encoder struct {
	out     *bufio.Writer
	p       *profile.Profile
	o       *Options
	numbers map[string]int // of frames, by name
	path    []int
}

func (e *encoder) raw(s string) { _, _ = e.out.WriteString(s) }

// text writes a string of JSON after other bytes.
func (e *encoder) text(before, s string) {
	e.raw(before)
	_, _ = e.out.Write(rows.AppendString(e.out.AvailableBuffer(), s))
}

func (e *encoder) int(n int64) { _, _ = e.out.Write(strconv.AppendInt(e.out.AvailableBuffer(), n, 10)) }

// frame returns the number of a name, and writes it if it is new.
func (e *encoder) frame(name string) int {
	name = strings.ToValidUTF8(name, "\uFFFD")
	n, ok := e.numbers[name]
	if !ok {
		n = len(e.numbers)
		e.numbers[name] = n
		if n > 0 {
			e.raw(",")
		}
		e.text(`{"name":`, name)
		e.raw("}")
	}
	return n
}

// threads returns the frames of threads, by their labels; nil without threads.
func (e *encoder) threads() map[profile.LabelsID]int {
	if !e.o.Threads {
		return nil
	}
	threads := make(map[profile.LabelsID]int)
	for s := range e.p.Samples() {
		if _, ok := threads[s.Labels]; !ok {
			threads[s.Labels] = e.frame(e.p.Labels(s.Labels).ThreadName())
		}
	}
	return threads
}

var units = map[profile.Unit]string{profile.Count: "none", profile.Nanoseconds: "nanoseconds", profile.Bytes: "bytes"}

// profile writes the samples of a kind.
func (e *encoder) profile(k *profile.Kind, frames []int, threads map[profile.LabelsID]int) {
	e.text(`{"type":"sampled","name":`, k.Title)
	main := e.p.Main(k)
	e.text(`,"unit":`, cmp.Or(units[k.Values[main].Unit], "none"))
	e.raw(`,"startValue":0,"samples":[`)
	var weights []int64
	sum := int64(0)
	for s := range e.p.Samples() {
		weight := s.Values[main%len(s.Values)]
		if s.Kind.Name != k.Name || weight <= 0 {
			continue
		}
		e.path = e.path[:0]
		for f := range e.p.Stack(s.Stack) {
			e.path = append(e.path, frames[f])
		}
		if threads != nil {
			e.path = append(e.path, threads[s.Labels])
		}
		if len(weights) > 0 {
			e.raw(",")
		}
		e.raw("[")
		for i := len(e.path) - 1; i >= 0; i-- {
			e.int(int64(e.path[i]))
			if i > 0 {
				e.raw(",")
			}
		}
		e.raw("]")
		weights = append(weights, weight)
		sum = saturate.Add(sum, weight)
	}
	e.raw(`],"weights":[`)
	for i, n := range weights {
		if i > 0 {
			e.raw(",")
		}
		e.int(n)
	}
	e.raw(`],"endValue":`)
	e.int(sum)
	e.raw("}")
}
