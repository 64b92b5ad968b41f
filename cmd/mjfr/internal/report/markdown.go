package report

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// writeMarkdown writes the report as Markdown, and its pictures to files beside it.
func (v *verb) writeMarkdown(w io.Writer, c *content) error {
	var b bytes.Buffer
	write := table.New(&b, table.Options{Format: table.Markdown, Zone: c.zone, CellHeight: 1})
	if err := write.Write(factsOf(c)); err != nil {
		return err
	}
	files := v.pictureFiles()
	var pictures []picture
	for i, r := range c.pictures[:min(len(c.pictures), len(files))] {
		var data bytes.Buffer
		drawn, err := writePicture(&data, r, c.zone)
		if err != nil {
			return err
		}
		if !drawn {
			c.nothing = append(c.nothing, r.Title)
			continue
		}
		pictures = append(pictures, picture{files[i], data.Bytes()})
		fmt.Fprintf(&b, "\n### %s\n\n![%s](%s)\n", r.Title, r.Title, parentheses.Replace((&url.URL{Path: "./" + filepath.Base(files[i])}).EscapedPath()))
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
	if _, err := w.Write(b.Bytes()); err != nil {
		return err
	}
	return writeAll(pictures)
}

// picture is a file beside the report.
type picture struct {
	path string
	data []byte
}

// writeAll writes the pictures: all of them have been written before the first gets its name.
func writeAll(list []picture) error {
	if len(list) == 0 {
		return nil
	}
	var rest error
	err := atomicfile.Replace(list[0].path, 0o666, func(f *os.File) error {
		if _, err := f.Write(list[0].data); err != nil {
			return err
		}
		rest = writeAll(list[1:])
		return rest
	})
	if err != nil && rest == nil {
		return fmt.Errorf("%s: %w", list[0].path, err)
	}
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
