package constants

import (
	"context"
	"strconv"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/constants"
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
		Chunk: c.Chunk.Number(), Type: c.Type.Name(), Key: c.Key,
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
	bar := v.Progress("looking for constants", cli.BytesOf(set), cli.Streaming)
	defer bar.Done()
	out := v.newLines("constants")
	for _, rec := range set.Recordings {
		for c := range v.constantsOf(ctx, set, rec, bar.Add) {
			if out.full() {
				break
			}
			d := v.document(set, rec, c)
			if err := out.add(d, func(t *terminal.Table) { t.Row(v.cells(&d)...) }); err != nil {
				return err
			}
		}
	}
	if err := out.end(); err != nil {
		return err
	}
	return v.nothing(ctx, out.n)
}

// listGroups shows each group of equal constants.
func (v *verb) listGroups(ctx context.Context, set *input.Set) error {
	bar := v.Progress("comparing constants", cli.BytesOf(set), cli.Streaming)
	defer bar.Done()
	out := v.newLines("groups")
	for _, rec := range set.Recordings {
		for g := range v.groupsOf(ctx, set, rec, bar.Add) {
			if out.full() {
				break
			}
			d := groupDocument{SpareBytes: g.WastedBytes()}
			for _, c := range g.Constants {
				d.Constants = append(d.Constants, v.document(set, rec, c))
			}
			err := out.add(d, func(t *terminal.Table) {
				for i := range d.Constants {
					number := terminal.Int(out.n + 1)
					t.Row(append([]terminal.Cell{number}, v.cells(&d.Constants[i])...)...)
				}
			})
			if err != nil {
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
