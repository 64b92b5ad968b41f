package profile

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/collapsed"
	"github.com/mmapjfr/jfr/mmapjfr/profile/cpuprofile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/firefox"
	"github.com/mmapjfr/jfr/mmapjfr/profile/flamegraph"
	"github.com/mmapjfr/jfr/mmapjfr/profile/otlp"
	"github.com/mmapjfr/jfr/mmapjfr/profile/perfetto"
	"github.com/mmapjfr/jfr/mmapjfr/profile/pprof"
	"github.com/mmapjfr/jfr/mmapjfr/profile/speedscope"
	"github.com/mmapjfr/jfr/mmapjfr/profile/text"
	"github.com/mmapjfr/jfr/mmapjfr/profile/timeline"
)

// format is a way to write a profile.
type format struct {
	name    string
	endings []string // of files
	about   string
	write   func(v *verb, w io.Writer, p *profile.Profile) error
	// timeline, in the place of write, is for formats that have all events besides the samples.
	timeline func(v *verb, ctx context.Context, w io.Writer, p *profile.Profile) error
	// binary formats are not written to a terminal. Single ones hold one type of profile.
	binary, single bool
	// times is the length of time whose samples the format keeps apart; 0 for none.
	times time.Duration
}

// formats are all formats; the first one is that of no file.
var formats = []*format{
	{name: "top", endings: []string{".txt"}, about: "a table, as without -o; one type", write: (*verb).writeTop, single: true},
	{name: "pprof", endings: []string{".pb.gz", ".pprof"}, about: "for go tool pprof, Pyroscope, Parca; all types in one file", write: (*verb).writePprof, binary: true},
	{name: "otlp", endings: []string{".otlp"}, about: "for OpenTelemetry; all types in one file", write: (*verb).writeOTLP, binary: true},
	{name: "heatmap", endings: []string{"heatmap.html"}, about: "a page with a heat map of the time, and flame graphs of its parts", write: (*verb).writeHeatmap, times: flamegraph.CellLength},
	{name: "flamegraph", endings: []string{".html"}, about: "a page with flame graphs of all types and threads", write: (*verb).writeFlameGraph},
	{name: "perfetto", endings: []string{".pftrace", ".perfetto-trace"}, about: "for ui.perfetto.dev: events and samples in time, by thread", timeline: (*verb).writePerfetto, times: 1, binary: true},
	{name: "firefox", endings: []string{".firefox.json", ".firefox.json.gz"}, about: "for profiler.firefox.com: the same, as threads with markers", timeline: (*verb).writeFirefox, times: 1},
	{name: "tree", endings: []string{".tree"}, about: "stacks as a tree of text; one type", write: (*verb).writeTree, single: true},
	{name: "speedscope", endings: []string{".speedscope.json", ".speedscope"}, about: "for speedscope.app; all types in one file", write: (*verb).writeSpeedscope},
	{name: "cpuprofile", endings: []string{".cpuprofile"}, about: "for Visual Studio Code and Chromium's DevTools; one type", write: (*verb).writeCPUProfile, single: true},
	{name: "collapsed", endings: []string{".collapsed", ".folded"}, about: "a line for each stack, for flame graph scripts and speedscope; one type", write: (*verb).writeCollapsed, single: true},
}

// formatsHelp lists the formats.
func formatsHelp() string {
	var b strings.Builder
	for _, f := range formats {
		fmt.Fprintf(&b, "  %-10s %-30s %s\n", f.name, strings.Join(f.endings, " "), f.about)
	}
	return b.String()
}

// chooseFormat returns the format that the flags ask for.
func (v *verb) chooseFormat(cmd *cobra.Command) (f *format, err error) {
	f = formats[0]
	switch {
	case v.format != "":
		i := slices.IndexFunc(formats, func(f *format) bool { return f.name == v.format || slices.Equal(f.endings, []string{"." + v.format}) })
		if i < 0 {
			return nil, cli.Usagef("unknown format %q; take %s%s", v.format, strings.Join(formatNames(), ", "), suggest.Question(v.format, formatNames()))
		}
		f = formats[i]
	case v.out != "" && v.out != "-":
		i := slices.IndexFunc(formats, func(f *format) bool {
			return slices.ContainsFunc(f.endings, func(end string) bool { return strings.HasSuffix(v.out, end) })
		})
		if i < 0 {
			return nil, cli.Usagef("%s: no format has this ending; flame graphs are .html, and mjfr help profile lists all formats", filepath.Base(v.out))
		}
		f = formats[i]
	}
	if f != formats[0] {
		for _, name := range []string{"by", "rows", "json", "csv"} {
			if cmd.Flags().Changed(name) {
				return nil, cli.Usagef("--%s is for the table, not for the format %s", name, f.name)
			}
		}
	}
	if v.diff != "" && (!slices.Contains([]string{"flamegraph", "collapsed", "top"}, f.name) || v.json || v.csv) {
		return nil, cli.Usagef("--diff is for flame graphs, collapsed stacks and the table alone: name a file with -o, as in -o app.html")
	}
	if v.timestamps && f.name != "otlp" {
		return nil, cli.Usagef("--timestamps is for the format otlp, not for %s", f.name)
	}
	if v.service != "" && f.name != "otlp" {
		return nil, cli.Usagef("--service is for the format otlp, not for %s", f.name)
	}
	if v.split && v.grafana {
		return nil, cli.Usagef("--split and --grafana cannot both be given: they make other files of the types")
	}
	if v.split = v.split || v.grafana; v.split && (f.name != "pprof" || v.out == "" || v.out == "-") {
		return nil, cli.Usagef("--split and --grafana write several files of pprof: say how they begin with -o, as in -o app.pb.gz")
	}
	if v.grafana && (len(v.kinds) > 0 || v.event != "") {
		return nil, cli.Usagef("--grafana has types of its own; leave out -t and --event")
	}
	if f.single && len(v.kinds) > 1 {
		return nil, cli.Usagef("the format %s shows one type: use -t %s; -o app.html shows all", f.name, strings.Join(v.kinds, " or -t "))
	}
	return f, nil
}

func formatNames() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// dotted returns how frames are written where people read them: with dots in the names of classes.
func (v *verb) dotted() profile.Names {
	names := v.names
	names.Dots = true
	return names
}

func (v *verb) writePprof(w io.Writer, p *profile.Profile) error {
	if err := v.refuseTerminal(w); err != nil {
		return err
	}
	return pprof.Write(w, p, pprof.Options{Names: v.dotted()})
}

// unsafeInName is what the names of types may have and those of files may not.
var unsafeInName = lazy.Regexp(`[^\w.-]`)

// writeSplit writes a file of pprof for each kind, with the name of the kind in that of the file.
func (v *verb) writeSplit(p *profile.Profile) error {
	start, end := v.out, ""
	for _, e := range v.output.endings {
		if s, ok := strings.CutSuffix(v.out, e); ok {
			start, end = s, e
			break
		}
	}
	o := pprof.Options{Names: v.dotted()}
	if v.grafana {
		o = pprof.Options{Names: profile.Names{Normalize: true}, Grafana: true}
	}
	var files []splitFile
	for _, k := range p.Kinds() {
		name := start + "." + unsafeInName().ReplaceAllString(k.Name, "_") + end
		if slices.ContainsFunc(files, func(f splitFile) bool { return f.name == name }) {
			return fmt.Errorf("%s: two types have this name; choose one with -t", name)
		}
		files = append(files, splitFile{name, k.Name})
	}
	return v.writeFiles(p, files, o)
}

// splitFile is a file of --split with the samples of a kind.
type splitFile struct{ name, kind string }

// writeFiles writes all files or none: each gets its name once the next ones are written.
func (v *verb) writeFiles(p *profile.Profile, files []splitFile, o pprof.Options) (err error) {
	if len(files) == 0 {
		return nil
	}
	var rest error
	err = v.writeFile(files[0].name, func(w io.Writer) error {
		if err := pprof.Write(w, p.Choose(profile.Choice{Kinds: []string{files[0].kind}}), o); err != nil {
			return err
		}
		rest = v.writeFiles(p, files[1:], o)
		return rest
	})
	return cmp.Or(rest, err)
}

// writeCollapsed writes lines of stacks. The key is their outermost frame.
func (v *verb) writeCollapsed(w io.Writer, p *profile.Profile) error {
	if len(v.key) > 0 {
		frame := strings.ReplaceAll(batch.KeyText(v.key), ";", ",") + ";"
		w = &linePrefix{w: w, prefix: []byte(terminal.Printable(frame))}
	}
	return collapsed.Write(w, p, collapsed.Options{
		TreeOptions: profile.TreeOptions{Names: v.names, Classes: true}, Column: v.column(p), Base: v.base, Plain: !v.ann,
	})
}

// linePrefix writes text with a prefix before each line.
type linePrefix struct {
	w      io.Writer
	prefix []byte
	inside bool // a line
}

// Write implements io.Writer.
func (p *linePrefix) Write(b []byte) (n int, err error) {
	for line := range bytes.Lines(b) {
		if !p.inside {
			line = slices.Concat(p.prefix, line)
		}
		if _, err := p.w.Write(line); err != nil {
			return 0, err
		}
		p.inside = line[len(line)-1] != '\n'
	}
	return len(b), nil
}

func (v *verb) writeOTLP(w io.Writer, p *profile.Profile) error {
	if err := v.refuseTerminal(w); err != nil {
		return err
	}
	return otlp.Write(w, p, otlp.Options{Names: v.dotted(), Service: v.service})
}

// timeline returns the options of formats that have all events.
func (v *verb) timeline() timeline.Options {
	o := v.selected
	o.Names, o.Title = v.dotted(), v.title
	return o
}

func (v *verb) writePerfetto(ctx context.Context, w io.Writer, p *profile.Profile) error {
	if err := v.refuseTerminal(w); err != nil {
		return err
	}
	return perfetto.Write(ctx, w, v.recordings, p, v.timeline())
}

// writeFirefox packs a file whose name asks for it.
func (v *verb) writeFirefox(ctx context.Context, w io.Writer, p *profile.Profile) error {
	o := v.timeline()
	if !strings.HasSuffix(v.out, ".gz") {
		return firefox.Write(ctx, w, v.recordings, p, o)
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	return cmp.Or(firefox.Write(ctx, z, v.recordings, p, o), z.Close())
}

// refuseTerminal returns an error if bytes that are no text would go to a terminal.
func (v *verb) refuseTerminal(w io.Writer) error {
	if w == v.Stdout && v.Style.Aligned {
		return cli.Usagef("%s is no text: name a file, as in -o app%s, or send the output to a program", v.output.name, v.output.endings[0])
	}
	return nil
}

func (v *verb) writeCPUProfile(w io.Writer, p *profile.Profile) error {
	return cpuprofile.Write(w, p, cpuprofile.Options{TreeOptions: profile.TreeOptions{Names: v.dotted()}, Column: v.column(p)})
}

func (v *verb) writeSpeedscope(w io.Writer, p *profile.Profile) error {
	return speedscope.Write(w, p, speedscope.Options{Names: v.dotted(), Title: v.title})
}

func (v *verb) writeTree(w io.Writer, p *profile.Profile) error {
	c := v.column(p)
	return text.Write(w, p, text.Options{
		TreeOptions: profile.TreeOptions{Names: v.dotted()}, Column: c, Least: 0.005,
		Number: func(n int64) string { return cell(c, n).Text }, Name: terminal.Printable,
	})
}

func (v *verb) writeFlameGraph(w io.Writer, p *profile.Profile) error {
	return flamegraph.Write(w, p, flamegraph.Options{Names: v.dotted(), Title: v.title, Base: v.base, BaseTitle: filepath.Base(v.diff)})
}

func (v *verb) writeHeatmap(w io.Writer, p *profile.Profile) error {
	return flamegraph.WriteHeatmap(w, p, flamegraph.Options{Names: v.dotted(), Title: v.title})
}

// topDocument is what mjfr profile --json prints.
type topDocument struct {
	Key   map[string]string `json:"key,omitempty"` // of mjfr batch
	Type  string            `json:"type"`
	Value string            `json:"value"`
	Unit  profile.Unit      `json:"unit"`
	Sum   int64             `json:"sum"`
	By    string            `json:"by"`
	Rows  []topRow          `json:"rows"`
	Types []profileType     `json:"types"`
	Notes []string          `json:"notes"`
}

type topRow struct {
	Name  string `json:"name"`
	Self  int64  `json:"self"`
	Total int64  `json:"total"`
}

type profileType struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// writeTop writes the table.
func (v *verb) writeTop(w io.Writer, p *profile.Profile) error {
	if v.base != nil {
		return v.writeChanges(w, p)
	}
	c := v.column(p)
	sum, events := int64(0), int64(0)
	for s := range p.Samples() {
		if s.Kind.Name == c.Kind.Name {
			sum, events = saturate.Add(sum, s.Values[c.Value]), saturate.Add(events, s.Values[0])
		}
	}
	rows := p.Top(c, profile.By(v.by), v.dotted())
	left := 0
	if v.rows > 0 && len(rows) > v.rows {
		left = len(rows) - v.rows
		rows = rows[:v.rows]
	}
	if v.json {
		d := topDocument{nil, c.Kind.Name, c.Kind.Values[c.Value].Name, c.Kind.Values[c.Value].Unit, sum, v.by, []topRow{}, []profileType{}, append([]string{}, p.Notes()...)}
		if len(v.key) > 0 {
			d.Key = make(map[string]string, len(v.key))
		}
		for _, l := range v.key {
			d.Key[l.Name] = l.Value
		}
		for _, r := range rows {
			d.Rows = append(d.Rows, topRow(r))
		}
		for _, k := range p.Kinds() {
			d.Types = append(d.Types, profileType{k.Name, k.Title})
		}
		return v.WriteJSON(d)
	}
	if v.csv {
		return v.writeCSV(w, rows)
	}
	if v.Style.Aligned {
		if _, err := fmt.Fprintf(w, "%s%s: %s%s\n\n", v.roundText(p), c.Kind.Title, cell(c, sum).Text, v.others(p, c, events)); err != nil {
			return err
		}
	}
	weight := func(title string) terminal.Column {
		return terminal.Column{Title: title, Right: true, Unit: c.Kind.Name + " " + unitText(c)}
	}
	columns := []terminal.Column{weight("Self"), terminal.Number("Share"), weight("Total"), terminal.Number("Share"), {Title: strings.ToUpper(v.by[:1]) + v.by[1:]}}
	var cells [][]terminal.Cell
	for _, r := range rows {
		cells = append(cells, []terminal.Cell{cell(c, r.Self), share(r.Self, sum), cell(c, r.Total), share(r.Total, sum), terminal.Plain(r.Name)})
	}
	if err := v.writeTable(w, columns, cells); err != nil {
		return err
	}
	if left > 0 && v.Style.Aligned {
		_, err := fmt.Fprintf(w, "\n%s more; --rows 0 shows all\n", terminal.CountOf(uint64(left), "row"))
		return err
	}
	return nil
}

// roundText returns the line above a table of --every that says which time it is of.
func (v *verb) roundText(p *profile.Profile) string {
	start, end := p.Span()
	if !v.again || start.IsZero() {
		return ""
	}
	text := fmt.Sprintf("%s to %s\n", start.Local().Format(time.DateTime), end.Local().Format(time.TimeOnly))
	if v.rounds++; v.rounds > 1 && v.out == "" {
		text = "\n" + text
	}
	return text
}

// others says how many events the table is of, and which other types there are.
func (v *verb) others(p *profile.Profile, c profile.Column, events int64) string {
	text := ""
	if c.Value > 0 {
		text = fmt.Sprintf(" in %s", terminal.CountOf(uint64(events), strings.TrimSuffix(c.Kind.Values[0].Name, "s")))
	}
	var names []string
	for _, k := range p.Kinds() {
		if k.Name != c.Kind.Name && slices.Contains(kindNames(), k.Name) { // -t has no others
			names = append(names, k.Name)
		}
	}
	if len(names) > 0 {
		text += "; -t also has " + strings.Join(names, ", ")
	}
	return text
}
