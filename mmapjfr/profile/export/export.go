// Package export writes profiles in the formats of other tools, and reads collapsed stacks and pprof.
//
//	p, err := profile.Read(ctx, recordings, profile.Options{})
//	...
//	err = export.Write(ctx, out, "flamegraph", p, export.Options{Title: "app.jfr"})
//
// [Formats] lists the formats.
package export

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/firefox"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/otlp"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/page"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/perfetto"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

// Format describes a format.
type Format struct {
	Name string
	// Endings are how names of files end, the usual one first.
	Endings []string
	// About says in a line what the format is for.
	About string
	// Binary is true if files are no text.
	Binary bool
	// Single is true if files hold one value of one kind: [Options.Column].
	Single bool
	// Events is true if files hold the events of [Options.Recordings] besides the samples.
	Events bool
	// Times is what a profile should be read with, see [profile.Options]; 0 if files have no times.
	Times time.Duration

	write func(ctx context.Context, w io.Writer, p *profile.Profile, o *Options) error
}

// Options say how a profile is written. The zero Options are for what people look at first. Formats
// ignore what they have no place for.
type Options struct {
	// Names say how functions and classes are named.
	Names profile.Names
	// Column is what formats of a single value write.
	Column profile.Column
	// Title is the name of the whole, such as that of the recording.
	Title string
	// About stands on a page beside the title, in the place of the time of the profile.
	About string
	// Base is a profile to compare with, and BaseTitle its name; nil for none. Flame graphs and
	// collapsed stacks compare.
	Base      *profile.Profile
	BaseTitle string
	// Plain leaves out of collapsed stacks how methods were executed.
	Plain bool
	// Number and Name write the numbers and names of a tree. Without them, numbers are durations or
	// digits, and names are as they are.
	Number func(n int64) string
	Name   func(string) string
	// Grafana names values and labels of pprof as Grafana's parser does, for a profile that was read
	// with [profile.Options.Grafana] and chosen to have one kind.
	Grafana bool
	// Service is OpenTelemetry's name of the service that was recorded: service.name.
	Service string

	// Recordings are those of the profile, for formats with events. Filters select events; Where, if
	// it is not nil, must return true for each.
	Recordings []*mmapjfr.Recording
	Filters    []mmapjfr.Filter
	Where      func(mmapjfr.Event) bool
	// OnError, if it is not nil, gets what could not be read of a recording. Then Write returns no
	// such errors.
	OnError func(rec *mmapjfr.Recording, err error)
	// Progress, if it is not nil, gets how many bytes of events have been read since the last call.
	Progress func(bytes uint64)
}

// plain returns the function of a format that needs no context.
func plain(write func(w io.Writer, p *profile.Profile, o *Options) error) func(context.Context, io.Writer, *profile.Profile, *Options) error {
	return func(_ context.Context, w io.Writer, p *profile.Profile, o *Options) error { return write(w, p, o) }
}

var formats = []Format{
	{
		Name: "pprof", Endings: []string{".pb.gz", ".pprof"}, Binary: true, write: plain(writePprof),
		About: "for go tool pprof, Pyroscope, Parca; all types in one file",
	}, {
		Name: "otlp", Endings: []string{".otlp"}, Binary: true, write: plain(writeOTLP),
		About: "for OpenTelemetry; all types in one file",
	}, {
		Name: "heatmap", Endings: []string{"heatmap.html"}, Times: page.CellLength, write: plain(writeHeatmap),
		About: "a page with a heat map of the time, and flame graphs of its parts",
	}, {
		Name: "flamegraph", Endings: []string{".html"}, write: plain(writeFlameGraph),
		About: "a page with flame graphs of all types and threads",
	}, {
		Name: "perfetto", Endings: []string{".pftrace", ".perfetto-trace"}, Binary: true, Events: true, Times: 1, write: writePerfetto,
		About: "for ui.perfetto.dev: events and samples in time, by thread",
	}, {
		Name: "firefox", Endings: []string{".firefox.json", ".firefox.json.gz"}, Events: true, Times: 1, write: writeFirefox,
		About: "for profiler.firefox.com: the same, as threads with markers",
	}, {
		Name: "tree", Endings: []string{".tree"}, Single: true, write: plain(writeTree),
		About: "stacks as a tree of text; one type",
	}, {
		Name: "speedscope", Endings: []string{".speedscope.json", ".speedscope"}, write: plain(writeSpeedscope),
		About: "for speedscope.app; all types in one file",
	}, {
		Name: "cpuprofile", Endings: []string{".cpuprofile"}, Single: true, write: plain(writeCPUProfile),
		About: "for Visual Studio Code and Chromium's DevTools; one type",
	}, {
		Name: "collapsed", Endings: []string{".collapsed", ".folded"}, Single: true, write: plain(writeCollapsed),
		About: "a line for each stack, for flame graph scripts and speedscope; one type",
	},
}

// Formats returns all formats that [Write] knows.
func Formats() []Format { return slices.Clone(formats) }

// Write writes a profile in the format of a name. Equal profiles and options give equal bytes.
//
// A format with events adds the stacks of these to the profile; it writes all that can be read before
// it returns the errors of the recordings.
func Write(ctx context.Context, w io.Writer, format string, p *profile.Profile, o Options) error {
	for i := range formats {
		if formats[i].Name == format {
			return formats[i].write(ctx, w, p, &o)
		}
	}
	return fmt.Errorf("unknown format %q; Formats lists them", format)
}

func writeOTLP(w io.Writer, p *profile.Profile, o *Options) error {
	return otlp.Write(w, p, otlp.Options{Names: o.Names, Service: o.Service})
}

func writeFlameGraph(w io.Writer, p *profile.Profile, o *Options) error {
	return page.Write(w, p, page.Options{Names: o.Names, Title: o.Title, About: o.About, Base: o.Base, BaseTitle: o.BaseTitle})
}

func writeHeatmap(w io.Writer, p *profile.Profile, o *Options) error {
	return page.WriteHeatmap(w, p, page.Options{Names: o.Names, Title: o.Title, About: o.About})
}

func writePerfetto(ctx context.Context, w io.Writer, p *profile.Profile, o *Options) error {
	return perfetto.Write(ctx, w, o.Recordings, p, o.timeline())
}

func writeFirefox(ctx context.Context, w io.Writer, p *profile.Profile, o *Options) error {
	return firefox.Write(ctx, w, o.Recordings, p, o.timeline())
}

// timeline returns the options of formats with events.
func (o *Options) timeline() timeline.Options {
	return timeline.Options{
		Filters: o.Filters, Where: o.Where, OnError: o.OnError, Progress: o.Progress, Names: o.Names, Title: o.Title,
	}
}

// CellLength is the length of time that a cell of a heat map stands for.
const CellLength = page.CellLength

// PageScripts returns the scripts of flame graphs that compare nothing, as a content security policy
// names them: for pages that show one in a frame.
func PageScripts() string { return page.Scripts() }

// ReadOptions say how a file is read.
type ReadOptions struct {
	// Column is what the numbers of collapsed stacks count. The zero Column is for [Untyped].
	Column profile.Column
	// MaxBytes is how many bytes are read, once they are unpacked. 0 is 4 GiB of collapsed stacks and
	// 512 MiB of pprof.
	MaxBytes int64
}

// Detect returns the format of a file with this beginning that [Read] reads; "" for other files.
func Detect(head []byte) (format string) {
	switch {
	case isPprof(head):
		return "pprof"
	case isCollapsed(head):
		return "collapsed"
	}
	return ""
}

// Read returns the profile of a file in format pprof or collapsed, of whatever program. Files of
// [Write] give samples and labels back, those of pprof also kinds.
//
// Numbers of stacks, frames and bytes of names have limits. Errors match [profile.ErrFormat] and are
// a [FormatError], or are those of the reader.
func Read(r io.Reader, format string, o ReadOptions) (*profile.Profile, error) {
	switch format {
	case "pprof":
		return readPprof(r, &o)
	case "collapsed":
		return readCollapsed(r, &o)
	}
	return nil, fmt.Errorf("format %q is not read; take pprof or collapsed", format)
}

// HasEnding reports whether a file of this name is in the format.
func (f *Format) HasEnding(name string) bool {
	return slices.ContainsFunc(f.Endings, func(end string) bool { return strings.HasSuffix(name, end) })
}
