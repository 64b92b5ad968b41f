package report

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/internal/printable"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

//go:embed page.html
var page string

// escape returns a text for HTML and SVG, in which nothing is invisible: the direction of what
// follows would be turned.
func escape(s string) string {
	return html.EscapeString(printable.Text(strings.ToValidUTF8(s, "\uFFFD")))
}

// writeHTML writes the report as one page.
func writeHTML(w io.Writer, c *content) error {
	var facts, missing, pictures, tables, flame bytes.Buffer
	for _, r := range c.pictures {
		var picture bytes.Buffer
		drawn, err := writePicture(&picture, r, c.zone)
		if err != nil {
			return err
		}
		if !drawn {
			c.nothing = append(c.nothing, r.Title)
			continue
		}
		fmt.Fprintf(&pictures, "<figure><figcaption>%s</figcaption>%s</figure>\n", escape(r.Title), picture.Bytes())
	}
	write := table.New(&tables, table.Options{Format: table.HTML, Part: true, Zone: c.zone, CellHeight: 1})
	for _, r := range c.tables {
		tables.WriteString("<section>\n")
		if err := write.Write(r); err != nil {
			return err
		}
		tables.WriteString("</section>\n")
	}
	if err := write.Close(); err != nil {
		return err
	}
	graph, err := flameGraphs(c)
	if err != nil {
		return err
	}
	if graph != nil {
		fmt.Fprintf(&flame, "<h2>Flame graphs</h2>\n<iframe title=\"Flame graphs\" srcdoc=\"%s\"></iframe>\n", html.EscapeString(string(graph)))
	}
	for _, f := range c.facts {
		fmt.Fprintf(&facts, "<tr><th>%s</th><td>%s</td></tr>\n", escape(f[0]), escape(f[1]))
	}
	for _, lack := range c.lacks() {
		fmt.Fprintf(&missing, "<p>%s</p>\n", escape(lack))
	}
	_, err = strings.NewReplacer("{{title}}", escape(c.title), "{{scripts}}", export.PageScripts(), "{{facts}}", facts.String(), "{{pictures}}", pictures.String(),
		"{{tables}}", tables.String(), "{{flame}}", flame.String(), "{{missing}}", missing.String()).WriteString(w, page)
	return err
}

// mostSamples is how many samples, each of a stack and a thread, flame graphs show together: about
// a megabyte.
const mostSamples = 60_000

// flameGraphs returns a page with flame graphs, of as many kinds as are small enough together, but
// at least of one. The content says which are left out. It is nil if there are no samples.
func flameGraphs(c *content) (graph []byte, err error) {
	samples := map[string]int{}
	for s := range c.profile.Samples() {
		samples[s.Kind.Name]++
	}
	var names, left []string
	total := 0
	for _, k := range c.profile.Kinds() {
		if total += samples[k.Name]; total > mostSamples && names != nil {
			total -= samples[k.Name]
			left = append(left, k.Title)
			continue
		}
		names = append(names, k.Name)
	}
	if names == nil {
		return nil, nil
	}
	if left != nil {
		c.facts = append(c.facts, [2]string{"Left out", "to keep the page small, flame graphs of " + strings.Join(left, ", ") + "; mjfr profile -o FILE.html has all"})
	}
	var b bytes.Buffer
	p := c.profile.Choose(profile.Choice{Kinds: names})
	err = export.Write(context.Background(), &b, "flamegraph", p, export.Options{Title: c.title})
	return b.Bytes(), err
}
