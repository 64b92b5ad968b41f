package report

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/query/table"
)

// writeMarkdown writes the report as Markdown, and its pictures to files beside it.
func (v *verb) writeMarkdown(w io.Writer, c *content) error {
	var b bytes.Buffer
	write := table.New(&b, table.Options{Format: table.Markdown, Zone: c.zone, CellHeight: 1})
	if err := write.Write(factsOf(c)); err != nil {
		return err
	}
	if v.output != "-" {
		for i, r := range c.pictures {
			if err := v.writePictureFile(&b, r, c, i); err != nil {
				return err
			}
		}
	}
	for _, r := range c.tables {
		if err := write.Write(r); err != nil {
			return err
		}
	}
	if err := write.Close(); err != nil {
		return err
	}
	for _, lack := range c.lacks() {
		fmt.Fprintf(&b, "\n%s\n", lack)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// factsOf returns what the recordings are as a result.
func factsOf(c *content) *query.Result {
	r := &query.Result{Title: c.title, Form: true}
	var row []query.Value
	for _, f := range c.facts {
		r.Columns = append(r.Columns, query.Column{Name: f[0], Title: f[0], Kind: query.Text})
		row = append(row, query.NewValue(f[1]))
	}
	r.Rows = func(yield func([]query.Value, error) bool) { yield(row, nil) }
	return r
}

// parentheses would end the address of a picture.
var parentheses = strings.NewReplacer("(", "%28", ")", "%29")

// pictureName returns the name of a picture's file.
func (v *verb) pictureName(n int) string {
	return fmt.Sprintf("%s-%d.svg", strings.TrimSuffix(filepath.Base(v.output), filepath.Ext(v.output)), n+1)
}

// writePictureFile writes a picture to a file beside the report, and its place into the report.
func (v *verb) writePictureFile(b *bytes.Buffer, r *query.Result, c *content, n int) error {
	var picture bytes.Buffer
	drawn, err := writePicture(&picture, r, c.zone)
	if err != nil {
		return err
	}
	if !drawn {
		c.nothing = append(c.nothing, r.Title)
		return nil
	}
	name := v.pictureName(n)
	path := filepath.Join(filepath.Dir(v.output), name)
	err = atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(picture.Bytes())
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	fmt.Fprintf(b, "\n### %s\n\n![%s](%s)\n", r.Title, r.Title, parentheses.Replace((&url.URL{Path: "./" + name}).EscapedPath()))
	return nil
}
