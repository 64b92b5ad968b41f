package profile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// inputs are what was named: recordings, and files that hold a profile already.
type inputs struct {
	set      *input.Set
	profiles []*profile.Profile
	names    []string         // of the profiles
	given    []string         // names on the command line
	merged   *profile.Profile // of mjfr batch, in the place of all others
	had      bool             // samples, of which the choice may have left none
}

// files returns the names of all files that are read. Some may be of no file.
func (in *inputs) files() []string {
	list := slices.Concat(in.given, in.names)
	for _, rec := range in.set.Recordings {
		list = append(list, in.set.Name(rec), in.set.Path(rec))
	}
	return list
}

// open opens what is named, calls do, and closes it.
func (v *verb) open(ctx context.Context, names []string, do func(*inputs) error) error {
	in := &inputs{given: names}
	return v.WithInput(ctx, names, input.Options{
		Open: append(v.Reading(), v.SavedIndexes()),
		Other: func(name string, r *bufio.Reader) (taken bool, err error) {
			head, _ := r.Peek(r.Size()) // reading returns the error
			read, isTyped := v.readerOf(name, head)
			if read == nil {
				return false, nil
			}
			if err := v.checkProfile(isTyped); err != nil {
				return true, err
			}
			p, err := read(r)
			if err == nil {
				in.profiles, in.names = append(in.profiles, p), append(in.names, name)
			}
			return true, err
		},
	}, func(set *input.Set) error {
		in.set = set
		return do(in)
	})
}

// reader reads the profile that a file holds.
type reader func(io.Reader) (*profile.Profile, error)

// readerOf returns how to read a file that holds a profile, by how it begins, or by its name if
// that does not say; nil for other files. Files of some formats say what they count.
func (v *verb) readerOf(name string, head []byte) (read reader, isTyped bool) {
	column := v.untypedColumn()
	if isPage(head) {
		return func(io.Reader) (*profile.Profile, error) { return nil, errPage }, true
	}
	format := export.Detect(head)
	for _, f := range formats {
		if format == "" && f.HasEnding(name) && (f.Name == "pprof" || f.Name == "collapsed") {
			format = f.Name
		}
	}
	if format == "" {
		return nil, false
	}
	return func(r io.Reader) (*profile.Profile, error) {
		return export.Read(r, format, export.ReadOptions{Column: column})
	}, format == "pprof"
}

// errPage is the error of flame graphs as input.
var errPage = fmt.Errorf("%w: it is a web page; name the recording it was made from, or write collapsed stacks or pprof instead", profile.ErrFormat)

// isPage reports whether a file with this beginning is a web page.
func isPage(head []byte) bool {
	const enough = 200
	start := bytes.ToLower(bytes.TrimSpace(head[:min(len(head), enough)]))
	return bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html"))
}

// untypedColumn returns what the numbers of files are that do not say what they count: those of -t.
func (v *verb) untypedColumn() (c profile.Column) {
	if len(v.kinds) != 1 {
		return c
	}
	for _, k := range profile.Kinds() {
		if k.Name == v.kinds[0] {
			c = profile.Column{Kind: &k, Value: k.Main()}
		}
	}
	if v.total {
		c.Value = 0
	}
	return c
}

// checkProfile returns an error if flags ask for more than a file that holds a profile has.
func (v *verb) checkProfile(isTyped bool) error {
	flag := ""
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"--from", v.From != ""}, {"--to", v.To != ""}, {"--where", len(v.Where) > 0}, {"--thread", len(v.Threads) > 0},
		{"--events", len(v.Events) > 0}, {"--categories", len(v.Categories) > 0}, {"--event", v.event != ""},
		{"--latency", v.latency > 0}, {"--gc-pauses", v.pauses != ""}, {"--timestamps", v.timestamps}, {"--grafana", v.grafana}, {"--bci", v.index},
		{"the format " + v.output.Name, v.output.Events || v.output.Times > 0},
	} {
		if f.given {
			flag = f.name
		}
	}
	switch {
	case flag == "--thread":
		return cli.Usagef("it is a profile and has no events for --thread; use --include, which matches thread names, too")
	case flag != "":
		return cli.Usagef("it is a profile and has no events, which %s needs; name the recording it was made from", flag)
	case !isTyped && len(v.states) > 0:
		return cli.Usagef("it has no thread states for --state; name the recording it was made from")
	case !isTyped && len(v.kinds) > 1:
		return cli.Usagef("it does not say what it counts; give one type with -t")
	}
	return nil
}

// profile reads the profile of all that was named.
func (v *verb) profile(ctx context.Context, in *inputs) (p *profile.Profile, sel *selection.Selection, err error) {
	p = profile.New()
	if len(in.set.Recordings) > 0 {
		if sel, err = selection.Select(v.App, in.set, &v.Options, nil); err != nil {
			return nil, nil, err
		}
		if p, err = v.read(ctx, in.set, sel); err != nil {
			return nil, nil, err
		}
	}
	for _, q := range in.profiles {
		p.Merge(q)
	}
	if in.merged != nil {
		p = in.merged
	}
	p = v.orRunning(p, len(in.profiles) > 0)
	in.had = !v.isEmpty(p)
	return p.Choose(v.choice), sel, nil
}

// errLeftOut is the note about CPU time that covers a part of what ran, as where the JVM sampled it
// for some seconds only.
var errLeftOut = errors.New("note: jdk.ExecutionSample events measure no CPU time and are left out; -t running shows them")

// orRunning keeps of a profile what -t asks for: where there is no CPU time, samples of running
// threads in its place. Files that hold a profile may have other types, too.
func (v *verb) orRunning(p *profile.Profile, all bool) *profile.Profile {
	if v.kinds == nil && !v.output.Single || v.output.Events {
		return p
	}
	events, has := make(map[string]int64), make(map[string]bool)
	for s := range p.Samples() {
		events[s.Kind.Name] += s.Values[0]
		has[s.Kind.Name] = true
	}
	kinds := slices.Clone(v.kinds)
	if kinds == nil {
		if events["running"] > events["cpu"] && has["cpu"] && p.Kinds()[0].Name == "cpu" {
			v.Report(errLeftOut)
		}
		return p
	}
	if slices.Contains(kinds, "cpu") && !slices.Contains(kinds, "running") && has["running"] {
		if all = true; !has["cpu"] {
			v.Report(errors.New("note: the recording does not measure CPU time; these are samples of running threads, which give shares but no time"))
			kinds = append(kinds, "running")
		} else if events["running"] > events["cpu"] {
			v.Report(errLeftOut)
		}
	}
	if !all {
		return p
	}
	return p.Choose(profile.Choice{Kinds: kinds})
}
