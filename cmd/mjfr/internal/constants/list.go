package constants

import (
	"bufio"
	"context"
	"iter"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/constants"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// constantDocument is a constant as JSON.
type constantDocument struct {
	Recording string `json:"recording,omitempty"`
	Chunk     int    `json:"chunk"`
	Type      string `json:"type"`
	Key       int64  `json:"key"`
	Offset    uint64 `json:"offset"`
	Bytes     uint64 `json:"bytes"`
	Value     string `json:"value"`
}

// groupDocument is a group of equal constants as JSON.
type groupDocument struct {
	SpareBytes uint64             `json:"spareBytes"`
	Constants  []constantDocument `json:"constants"`
}

func (v *verb) document(set *input.Set, rec *mmapjfr.Recording, c constants.Constant) constantDocument {
	d := constantDocument{
		Chunk: c.Chunk.Number(), Type: engine.TypeRecordedName(c.Type), Key: c.Key,
		Offset: c.Offset, Bytes: c.Bytes, Value: constants.Text(c.Value()),
	}
	if v.many {
		d.Recording = set.Name(rec)
	}
	return d
}

// partLines is the number of lines that are aligned together on a terminal.
const partLines = 512

// list shows each constant.
func (v *verb) list(ctx context.Context, set *input.Set) error {
	return writeList(ctx, v, set, "looking for constants", "constants", v.constantsOf,
		func(out *lines, rec *mmapjfr.Recording, c constants.Constant) error {
			d := v.document(set, rec, c)
			return out.add(d, func(t *terminal.Table) { t.Row(v.cells(&d)...) })
		})
}

// listGroups shows each group of equal constants.
func (v *verb) listGroups(ctx context.Context, set *input.Set) error {
	return writeList(ctx, v, set, "comparing constants", "groups", v.groupsOf,
		func(out *lines, rec *mmapjfr.Recording, g constants.Group) error {
			d := groupDocument{SpareBytes: g.WastedBytes()}
			for _, c := range g.Constants {
				d.Constants = append(d.Constants, v.document(set, rec, c))
			}
			return out.add(d, func(t *terminal.Table) {
				for i := range d.Constants {
					t.Row(append([]terminal.Cell{terminal.Int(out.n + 1)}, v.cells(&d.Constants[i])...)...)
				}
			})
		})
}

// writeList writes the elements of a list that the recordings have.
func writeList[E any](ctx context.Context, v *verb, set *input.Set, doing, name string,
	of func(context.Context, *input.Set, *mmapjfr.Recording, func(uint64)) iter.Seq[E],
	write func(*lines, *mmapjfr.Recording, E) error,
) error {
	bar := v.Progress(doing, cli.BytesOf(set), cli.Streaming)
	defer bar.Done()
	out := v.newLines(name)
	for _, rec := range set.Recordings {
		for e := range of(ctx, set, rec, bar.Add) {
			if v.max > 0 && out.n == v.max {
				break
			}
			if err := write(out, rec, e); err != nil {
				return err
			}
		}
	}
	if err := out.end(); err != nil {
		return err
	}
	return v.nothing(ctx, out.n)
}

// cells makes the row of a constant.
func (v *verb) cells(d *constantDocument) (cells []terminal.Cell) {
	if v.many {
		cells = append(cells, terminal.Plain(d.Recording))
	}
	if v.chunks {
		cells = append(cells, terminal.Int(d.Chunk))
	}
	return append(cells,
		terminal.Plain(d.Type),
		terminal.Plain(strconv.FormatInt(d.Key, 10)),
		terminal.Offset(d.Offset),
		terminal.Count(d.Bytes),
		terminal.Plain(d.Value))
}

// columns returns the heads of what cells makes, with a number before it for groups.
func (v *verb) columns() (list []terminal.Column) {
	if v.duplicates {
		list = append(list, terminal.Number("Group"))
	}
	if v.many {
		list = append(list, terminal.Column{Title: "Recording"})
	}
	if v.chunks {
		list = append(list, terminal.Number("Chunk"))
	}
	return append(list,
		terminal.Column{Title: "Type"}, terminal.Number("Key"), terminal.Number("Offset"),
		terminal.Number("Bytes"), terminal.Column{Title: "Value"})
}

// lines writes a table, or a list in JSON, of any length in little memory.
type lines struct {
	v       *verb
	table   *terminal.Table
	out     *bufio.Writer
	n       int // number of lines or elements
	pending int // how many of them have not been written yet
}

// newLines begins a table, or a JSON document with a named list.
func (v *verb) newLines(name string) *lines {
	l := &lines{v: v, table: terminal.NewTable(v.columns()...), out: bufio.NewWriter(v.Stdout)}
	if v.json {
		l.out.WriteString("{\n  \"" + name + "\": [")
	}
	return l
}

// add adds an element to the list, or the row that row makes to the table.
func (l *lines) add(document any, row func(*terminal.Table)) error {
	if l.v.json {
		if l.n > 0 {
			l.out.WriteByte(',')
		}
		l.n++
		var text strings.Builder
		enc := jsonout.New(&text)
		enc.SetIndent("    ", "  ")
		if err := enc.Encode(document); err != nil {
			return err
		}
		_, err := l.out.WriteString("\n    " + strings.TrimSuffix(text.String(), "\n"))
		return err
	}
	row(l.table)
	l.n++
	if l.pending++; l.pending < partLines {
		return nil
	}
	l.pending = 0
	return l.table.WritePart(l.out, l.v.Style)
}

// end writes the rest.
func (l *lines) end() error {
	if !l.v.json {
		if err := l.table.WritePart(l.out, l.v.Style); err != nil {
			return err
		}
		return l.out.Flush()
	}
	if l.n > 0 {
		l.out.WriteString("\n  ")
	}
	l.out.WriteString("]\n}\n")
	return l.out.Flush()
}
