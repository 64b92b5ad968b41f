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
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// top is the format of the table, which is that of no file.
var top = export.Format{Name: "top", Endings: []string{".txt"}, About: "a table, as without -o; one type", Single: true}

// formats are all formats; the first one is that of no file.
var formats = append([]export.Format{top}, export.Formats()...)

// formatsHelp lists the formats.
func formatsHelp() string {
	var b strings.Builder
	for _, f := range formats {
		fmt.Fprintf(&b, "  %-10s %-30s %s\n", f.Name, strings.Join(f.Endings, " "), f.About)
	}
	return b.String()
}

// chooseFormat returns the format that the flags ask for.
func (v *verb) chooseFormat(cmd *cobra.Command) (f *export.Format, err error) {
	f = &formats[0]
	switch {
	case v.format != "":
		i := slices.IndexFunc(formats, func(f export.Format) bool {
			return f.Name == v.format || slices.Equal(f.Endings, []string{"." + v.format})
		})
		if i < 0 {
			return nil, cli.Usagef("unknown format %q; choose %s%s", v.format, strings.Join(formatNames(), ", "), suggest.Question(v.format, formatNames()))
		}
		f = &formats[i]
	case v.out != "" && v.out != "-":
		i := slices.IndexFunc(formats, func(f export.Format) bool { return f.HasEnding(v.out) })
		if i < 0 {
			return nil, cli.Usagef("%s: no format has this ending; flame graphs are .html, and mjfr help profile lists all formats", filepath.Base(v.out))
		}
		f = &formats[i]
	}
	if f != &formats[0] {
		for _, name := range []string{"by", "rows", "json", "csv"} {
			if cmd.Flags().Changed(name) {
				return nil, cli.Usagef("--%s is for the table, not for the format %s", name, f.Name)
			}
		}
	}
	if v.diff != "" && (!slices.Contains([]string{"flamegraph", "collapsed", "top"}, f.Name) || v.json || v.csv) {
		return nil, cli.Usagef("only flame graphs, collapsed stacks and the table take --diff: name a file with -o, as in -o app.html")
	}
	if v.timestamps && f.Name != "otlp" {
		return nil, cli.Usagef("--timestamps is for the format otlp, not for %s", f.Name)
	}
	if v.service != "" && f.Name != "otlp" {
		return nil, cli.Usagef("--service is for the format otlp, not for %s", f.Name)
	}
	if v.split && v.grafana {
		return nil, cli.Usagef("--split and --grafana cannot be used together: they make other files of the types")
	}
	if v.split = v.split || v.grafana; v.split && (f.Name != "pprof" || v.out == "" || v.out == "-") {
		return nil, cli.Usagef("--split and --grafana write several files of pprof: say how they begin with -o, as in -o app.pb.gz")
	}
	if v.grafana && (len(v.kinds) > 0 || v.event != "") {
		return nil, cli.Usagef("--grafana has types of its own; leave out -t and --event")
	}
	if f.Single && len(v.kinds) > 1 {
		return nil, cli.Usagef("the format %s shows one type: use -t %s; -o app.html shows all", f.Name, strings.Join(v.kinds, " or -t "))
	}
	return f, nil
}

func formatNames() (names []string) {
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// dotted returns how frames are written where people read them: with dots in the names of classes.
func (v *verb) dotted() profile.Names {
	names := v.names
	names.Dots = true
	return names
}

// write writes a profile in the chosen format.
func (v *verb) write(ctx context.Context, w io.Writer, p *profile.Profile) error {
	if v.output == &formats[0] {
		return v.writeTop(w, p)
	}
	if v.output.Binary && w == v.Stdout && v.Style.Aligned {
		return cli.Usagef("%s is binary: name a file, as in -o app%s, or pipe the output to a program", v.output.Name, v.output.Endings[0])
	}
	o := v.selected
	o.Names, o.Title, o.Service, o.Plain = v.dotted(), v.title, v.service, !v.ann
	o.Base, o.BaseTitle = v.base, filepath.Base(v.diff)
	if v.output.Single {
		o.Column = v.column(p)
	}
	switch v.output.Name {
	case "collapsed": // the outermost frame is the key
		o.Names = v.names
		if len(v.key) > 0 {
			frame := strings.ReplaceAll(batch.KeyText(v.key), ";", ",") + ";"
			w = &linePrefix{w: w, prefix: []byte(terminal.Printable(frame))}
		}
	case "firefox": // a file is packed if its name asks for it
		if strings.HasSuffix(v.out, ".gz") {
			z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
			if err != nil {
				return err
			}
			return cmp.Or(export.Write(ctx, z, v.output.Name, p, o), z.Close())
		}
	case "tree":
		o.Number, o.Name = func(n int64) string { return cell(o.Column, n).Text }, terminal.Printable
	}
	return export.Write(ctx, w, v.output.Name, p, o)
}

// unsafeInName is what the names of types may have and those of files may not.
var unsafeInName = lazy.Regexp(`[^\w.-]`)

// writeSplit writes a file of pprof for each kind, with the name of the kind in that of the file.
func (v *verb) writeSplit(ctx context.Context, p *profile.Profile) error {
	start, end := v.out, ""
	for _, e := range v.output.Endings {
		if s, ok := strings.CutSuffix(v.out, e); ok {
			start, end = s, e
			break
		}
	}
	o := export.Options{Names: v.dotted()}
	if v.grafana {
		o = export.Options{Names: profile.Names{Normalize: true}, Grafana: true}
	}
	var files []splitFile
	for _, k := range p.Kinds() {
		name := start + "." + unsafeInName().ReplaceAllString(k.Name, "_") + end
		if slices.ContainsFunc(files, func(f splitFile) bool { return f.name == name }) {
			return fmt.Errorf("%s: two types have this name; choose one with -t", name)
		}
		files = append(files, splitFile{name, k.Name})
	}
	return v.writeFiles(ctx, p, files, o)
}

// splitFile is a file of --split with the samples of a kind.
type splitFile struct{ name, kind string }

// writeFiles writes all files or none: each gets its name once the next ones are written.
func (v *verb) writeFiles(ctx context.Context, p *profile.Profile, files []splitFile, o export.Options) (err error) {
	if len(files) == 0 {
		return nil
	}
	var rest error
	err = v.writeFile(files[0].name, func(w io.Writer) error {
		one := p.Choose(profile.Choice{Kinds: []string{files[0].kind}})
		if err := export.Write(ctx, w, "pprof", one, o); err != nil {
			return err
		}
		rest = v.writeFiles(ctx, p, files[1:], o)
		return rest
	})
	return cmp.Or(rest, err)
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
	columns := []terminal.Column{weight("Self"), terminal.Number("Share"), weight("Total"), terminal.Number("Share"), v.nameColumn(c)}
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

// nameColumn is the column of what the rows of a table are about.
func (v *verb) nameColumn(c profile.Column) terminal.Column {
	if c.Kind.Name == "gc" && v.by == string(profile.ByMethod) {
		return terminal.Column{Title: "Cause or phase"}
	}
	return terminal.Column{Title: strings.ToUpper(v.by[:1]) + v.by[1:]}
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
