package open

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// recordingDocument describes the recordings.
type recordingDocument struct {
	Name       string         `json:"name"`
	Files      []fileStub     `json:"files"`
	Start      float64        `json:"start"` // in milliseconds since 1970, as all times
	End        float64        `json:"end"`
	Zone       string         `json:"zone"`
	ZoneOffset int            `json:"zoneOffset"` // in minutes east of UTC
	Events     uint64         `json:"events"`
	Bytes      int64          `json:"bytes"`
	Types      []typeDocument `json:"types"`
	Kinds      []kindDocument `json:"kinds"`
	Base       string         `json:"base,omitempty"` // what flame graphs can be compared with
	Live       bool           `json:"live"`           // a JVM goes on: /api/live says when there is more
	Notes      []string       `json:"notes,omitempty"`
}

// fileStub names a file.
type fileStub struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	Chunks int    `json:"chunks"`
}

// typeDocument describes an event type.
type typeDocument struct {
	Name        string   `json:"name"`
	Label       string   `json:"label"`
	Description string   `json:"description"`
	Category    []string `json:"category"`
	Events      uint64   `json:"events"`
	Bytes       uint64   `json:"bytes"`
	Stack       bool     `json:"stack"`
	Duration    bool     `json:"duration"`
}

// recording answers with what the recordings are: names, times, and how many events there are of
// each type.
func (x *explorer) recording(r *http.Request) (any, error) {
	s, err := x.count(r.Context())
	if err != nil {
		return nil, err
	}
	start, end := x.set.Span()
	zone, offset := start.In(x.zone).Zone()
	if name := x.zone.String(); name != "" {
		zone = name
	}
	d := recordingDocument{
		Name: x.title, Live: x.live, Start: millis(start), End: millis(end), Zone: zone, ZoneOffset: offset / 60,
		Bytes: s.Size(), Types: []typeDocument{},
	}
	unknown := uint64(0)
	for _, rec := range x.set.Recordings {
		d.Files = append(d.Files, fileStub{x.set.Name(rec), rec.Size(), len(rec.Chunks())})
	}
	for _, t := range s.Types {
		if t.Events == 0 || !t.IsEvent() {
			continue
		}
		if t.Type.IsZero() {
			unknown += t.Events
			continue
		}
		d.Events += t.Events
		// Programs can load a class of events more than once.
		if i := slices.IndexFunc(d.Types, func(o typeDocument) bool { return o.Name == t.CurrentName() }); i >= 0 {
			d.Types[i].Events += t.Events
			d.Types[i].Bytes += t.Bytes
			continue
		}
		d.Types = append(d.Types, typeDocument{
			Name: t.CurrentName(), Label: labelOf(t.Type), Description: t.Type.Description(), Category: append([]string{}, t.Type.Category()...),
			Events: t.Events, Bytes: t.Bytes, Stack: hasField(t.Type, "stackTrace"), Duration: hasField(t.Type, "duration"),
		})
	}
	slices.SortStableFunc(d.Types, func(a, b typeDocument) int { return cmp.Compare(b.Events, a.Events) })
	if unknown > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d events cannot be read: nothing describes their types", unknown))
	}
	if x.base != nil {
		d.Base = cli.Title(x.base)
	}
	d.Kinds, err = x.kinds(r.Context())
	return d, err
}

// chunkDocument describes a chunk.
type chunkDocument struct {
	Offset   uint64  `json:"offset"`
	Size     uint64  `json:"size"`
	Start    float64 `json:"start"`
	Duration int64   `json:"duration"` // in nanoseconds
	Events   uint64  `json:"events"`
	Version  string  `json:"version"`
	Finished bool    `json:"finished"`
	Problem  string  `json:"problem,omitempty"`
}

// file answers with the chunks of all files.
func (x *explorer) file(r *http.Request) (any, error) {
	s, err := x.count(r.Context())
	if err != nil {
		return nil, err
	}
	type fileDocument struct {
		Name   string          `json:"name"`
		Size   int64           `json:"size"`
		Chunks []chunkDocument `json:"chunks"`
	}
	list := []fileDocument{}
	for _, rec := range x.set.Recordings {
		f := fileDocument{x.set.Name(rec), rec.Size(), []chunkDocument{}}
		for _, c := range s.Chunks {
			if c.Recording != rec {
				continue
			}
			d := chunkDocument{
				Offset: c.Chunk.Offset(), Size: c.Chunk.Size(), Start: millis(c.Chunk.Start()), Duration: int64(c.Duration()),
				Events: c.Events.Events, Version: version(c.Chunk), Finished: c.Chunk.Finished(),
			}
			if _, err := c.Chunk.Types(); err != nil {
				d.Problem = err.Error()
			}
			f.Chunks = append(f.Chunks, d)
		}
		list = append(list, f)
	}
	return map[string]any{"files": list}, nil
}

// pools answers with the constant pools of all files, by type, the largest first.
func (x *explorer) pools(r *http.Request) (any, error) {
	s, err := summary.Count(r.Context(), x.set.Recordings, nil) // of its own, for reading pools changes it
	if err != nil {
		return nil, err
	}
	if err := s.ReadPools(r.Context(), nil); err != nil {
		return nil, err
	}
	return map[string]any{"pools": append([]summary.Pool{}, s.Pools...)}, nil
}

// findingDocument describes damage.
type findingDocument struct {
	File     string `json:"file"`
	Chunk    int    `json:"chunk"`
	Offset   uint64 `json:"offset"`
	Severity string `json:"severity"`
	Text     string `json:"text"`
	Meaning  string `json:"meaning"`
}

// mostFindings is how many findings of each kind in a chunk are listed.
const mostFindings = 20

// verify answers with all damage of all files.
func (x *explorer) verify(r *http.Request) (any, error) {
	ok, list := true, []findingDocument{}
	for _, rec := range x.set.Recordings {
		report, err := verify.Check(r.Context(), rec, verify.MaxFindings(mostFindings))
		if err != nil {
			return nil, err
		}
		ok = ok && report.OK(verify.Error)
		for _, f := range report.Findings {
			list = append(list, findingDocument{x.set.Name(rec), f.Chunk, f.Offset, f.Kind.Severity().String(), f.Text, f.Kind.Meaning()})
		}
	}
	return map[string]any{"ok": ok, "problems": list}, nil
}

// version returns the version of the format, such as 2.1.
func version(c mmapjfr.Chunk) string {
	major, minor := c.Version()
	return fmt.Sprintf("%d.%d", major, minor)
}

// hasField reports whether a type has a field of that name.
func hasField(t mmapjfr.Type, name string) bool {
	_, ok := t.Field(name)
	return ok
}
