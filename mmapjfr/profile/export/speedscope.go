package export

import (
	"bufio"
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/rows"
	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/proto"
)

const speedscopeSchema = "https://www.speedscope.app/file-format-schema.json"

// writeSpeedscope writes the main value of each kind of a profile: a profile for each kind, which the
// page shows in a list. Frames of one name are one frame: the page takes each number of a frame for
// a function of its own.
func writeSpeedscope(w io.Writer, p *profile.Profile, o *Options) error {
	e := speedscopeWriter{out: bufio.NewWriter(w), p: p, names: proto.NewTable[string]()}
	e.text(`{"$schema":`, speedscopeSchema)
	e.text(`,"exporter":`, "mjfr")
	e.text(`,"name":`, o.Title)
	e.raw(`,"shared":{"frames":[`)
	frames := make([]int64, p.Frames())
	for i := range frames {
		frames[i] = e.frame(o.Names.Frame(p.Frame(profile.FrameID(i))))
	}
	e.raw(`]},"profiles":[`)
	kinds := p.Kinds()
	for i := range kinds {
		if i > 0 {
			e.raw(",")
		}
		e.profile(&kinds[i], frames)
	}
	e.raw("]}\n")
	return e.out.Flush()
}

// speedscopeWriter writes JSON piece by piece. Flush returns errors.
type speedscopeWriter struct {
	out   *bufio.Writer
	p     *profile.Profile
	names *proto.Table[string] // of frames
	path  []int64
}

func (e *speedscopeWriter) raw(s string) { _, _ = e.out.WriteString(s) }

// text writes a string of JSON after other bytes.
func (e *speedscopeWriter) text(before, s string) {
	e.raw(before)
	_, _ = e.out.Write(rows.AppendString(e.out.AvailableBuffer(), s))
}

func (e *speedscopeWriter) int(n int64) {
	_, _ = e.out.Write(strconv.AppendInt(e.out.AvailableBuffer(), n, 10))
}

// frame returns the number of a name, and writes it if it is new.
func (e *speedscopeWriter) frame(name string) int64 {
	name = strings.ToValidUTF8(name, "\uFFFD")
	n, isNew := e.names.Add(name)
	if isNew {
		if n > 0 {
			e.raw(",")
		}
		e.text(`{"name":`, name)
		e.raw("}")
	}
	return n
}

var speedscopeUnits = map[profile.Unit]string{profile.Count: "none", profile.Nanoseconds: "nanoseconds", profile.Bytes: "bytes"}

// profile writes the samples of a kind.
func (e *speedscopeWriter) profile(k *profile.Kind, frames []int64) {
	e.text(`{"type":"sampled","name":`, k.Title)
	main := e.p.Main(k)
	e.text(`,"unit":`, cmp.Or(speedscopeUnits[k.Values[main].Unit], "none"))
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
		if len(weights) > 0 {
			e.raw(",")
		}
		e.raw("[")
		for i := len(e.path) - 1; i >= 0; i-- {
			e.int(e.path[i])
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
