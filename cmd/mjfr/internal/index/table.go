package index

import (
	"fmt"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

// show prints the results.
func show(a *cli.App, reports []*report, o *options) error {
	switch {
	case o.json:
		return a.WriteJSON(reports)
	case len(reports) == 0:
		return nil
	case o.remove:
		return removedTable(reports).Write(a.Stdout, a.Style)
	case o.show, o.stats:
		return showParts(a, reports, o)
	}
	return sizesTable(reports).Write(a.Stdout, a.Style)
}

func removedTable(reports []*report) *terminal.Table {
	t := terminal.NewTable(terminal.Column{Title: "File"}, terminal.Column{Title: "Removed"})
	for _, r := range reports {
		t.Row(terminal.Plain(r.File), terminal.Plain(r.Index))
	}
	return t
}

// sizesTable has a line for each file.
func sizesTable(reports []*report) *terminal.Table {
	t := terminal.NewTable(terminal.Column{Title: "File"}, terminal.Column{Title: "Index"}, terminal.SizeColumn("Size"),
		terminal.ShareColumn, terminal.Number("Chunks"), terminal.Number("Left Out"))
	for _, r := range reports {
		t.Row(terminal.Plain(r.File), terminal.Plain(r.Index), terminal.Size(r.Size), shareOf(r.Size, r.Recording),
			terminal.Int(r.Chunks), terminal.Int(r.Chunks-r.In))
	}
	return t
}

// showParts has a line for each chunk of each file, and one for the whole file.
func showParts(a *cli.App, reports []*report, o *options) error {
	t := terminal.NewTable(terminal.Column{Title: "File"}, terminal.Number("Chunk"),
		terminal.SizeColumn("Chunk Size"), terminal.Number("Events"),
		terminal.Number("Blocks"), terminal.SizeColumn("Blocks Size"),
		terminal.Number("Constants"), terminal.SizeColumn("Constants Size"),
		terminal.ShareColumn)
	for _, r := range reports {
		all := chunkPart{}
		for _, p := range r.Parts {
			t.Row(p.cells(r.File, strconv.Itoa(p.Chunk), p.BlocksSize+p.ConstantsSize)...)
			all.Size += p.Size
			all.Events, all.Blocks, all.Constants = all.Events+p.Events, all.Blocks+p.Blocks, all.Constants+p.Constants
			all.BlocksSize, all.ConstantsSize = all.BlocksSize+p.BlocksSize, all.ConstantsSize+p.ConstantsSize
		}
		t.Row(all.cells(r.File, "all", r.Size)...)
	}
	if err := t.Write(a.Stdout, a.Style); err != nil || !o.stats {
		return err
	}
	// The rest is another table, with a line for each file.
	if _, err := fmt.Fprintln(a.Stdout); err != nil {
		return err
	}
	t = terminal.NewTable(terminal.Column{Title: "File"}, terminal.SizeColumn("Index Size"),
		terminal.Number("Took"), terminal.Number("Bytes/s"))
	for _, r := range reports {
		rate := uint64(float64(r.Recording) / time.Duration(max(r.Took, 1)).Seconds())
		t.Row(terminal.Plain(r.File), terminal.Size(r.Size),
			terminal.Cell{Text: terminal.ShortDuration(time.Duration(r.Took)), Raw: time.Duration(r.Took).String()}, terminal.Size(rate))
	}
	return t.Write(a.Stdout, a.Style)
}

// cells are the cells for a chunk, or for the whole file. size is the size of its index.
func (p *chunkPart) cells(file, chunk string, size uint64) []terminal.Cell {
	number := func(n uint64) terminal.Cell {
		return terminal.Cell{Text: humanize.Comma(int64(n)), Raw: strconv.FormatUint(n, 10)}
	}
	return []terminal.Cell{
		terminal.Plain(file), terminal.Plain(chunk), terminal.Size(p.Size), number(p.Events), number(uint64(p.Blocks)),
		terminal.Size(p.BlocksSize), number(p.Constants), terminal.Size(p.ConstantsSize), shareOf(size, int64(p.Size)),
	}
}

// shareOf is the size of an index as a share of a recording or a chunk.
func shareOf(size uint64, of int64) terminal.Cell {
	if of <= 0 {
		return terminal.Cell{}
	}
	share := float64(size) / float64(of)
	return terminal.Cell{Text: fmt.Sprintf("%.2f%%", 100*share), Raw: strconv.FormatFloat(share, 'f', 6, 64)}
}
