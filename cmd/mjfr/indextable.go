package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

// showIndexes tells what came of the files.
func (a *app) showIndexes(reports []*indexReport, o *indexOptions) error {
	switch {
	case o.json:
		e := json.NewEncoder(a.stdout)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(reports)
	case len(reports) == 0:
		return nil
	case o.remove:
		return indexRemoved(reports).Write(a.stdout, a.style)
	case o.show, o.stats:
		return a.indexParts(reports, o)
	}
	return indexSizes(reports).Write(a.stdout, a.style)
}

func indexRemoved(reports []*indexReport) *terminal.Table {
	t := terminal.NewTable(terminal.Column{Title: "File"}, terminal.Column{Title: "Removed"})
	for _, r := range reports {
		t.Row(terminal.Plain(r.File), terminal.Plain(r.Index))
	}
	return t
}

// indexSizes has a line for each file.
func indexSizes(reports []*indexReport) *terminal.Table {
	t := terminal.NewTable(terminal.Column{Title: "File"}, terminal.Column{Title: "Index"}, sizeColumn("Size"),
		shareColumn, terminal.Column{Title: "Chunks", Right: true}, terminal.Column{Title: "Left Out", Right: true})
	for _, r := range reports {
		t.Row(terminal.Plain(r.File), terminal.Plain(r.Index), indexBytes(r.Size), indexShare(r.Size, r.Recording),
			terminal.Plain(strconv.Itoa(r.Chunks)), terminal.Plain(strconv.Itoa(r.Chunks-r.In)))
	}
	return t
}

// indexParts has a line for each chunk of each file, and one for the whole.
func (a *app) indexParts(reports []*indexReport, o *indexOptions) error {
	t := terminal.NewTable(terminal.Column{Title: "File"}, terminal.Column{Title: "Chunk", Right: true},
		sizeColumn("Chunk Size"), terminal.Column{Title: "Events", Right: true},
		terminal.Column{Title: "Blocks", Right: true}, sizeColumn("Blocks Size"),
		terminal.Column{Title: "Constants", Right: true}, sizeColumn("Constants Size"),
		shareColumn)
	for _, r := range reports {
		all := indexPart{}
		for _, p := range r.Parts {
			t.Row(p.cells(r.File, strconv.Itoa(p.Chunk), p.BlocksSize+p.ConstantsSize)...)
			all.Size += p.Size
			all.Events, all.Blocks, all.Constants = all.Events+p.Events, all.Blocks+p.Blocks, all.Constants+p.Constants
			all.BlocksSize, all.ConstantsSize = all.BlocksSize+p.BlocksSize, all.ConstantsSize+p.ConstantsSize
		}
		t.Row(all.cells(r.File, "all", r.Size)...)
	}
	if err := t.Write(a.stdout, a.style); err != nil || !o.stats {
		return err
	}
	// What is left is one line for each file, and another table.
	if _, err := fmt.Fprintln(a.stdout); err != nil {
		return err
	}
	t = terminal.NewTable(terminal.Column{Title: "File"}, sizeColumn("Index Size"),
		terminal.Column{Title: "Took", Right: true}, terminal.Column{Title: "Bytes/s", Right: true})
	for _, r := range reports {
		rate := uint64(float64(r.Recording) / time.Duration(max(r.Took, 1)).Seconds())
		t.Row(terminal.Plain(r.File), indexBytes(r.Size),
			terminal.Cell{Text: shortDuration(time.Duration(r.Took)), Raw: time.Duration(r.Took).String()}, indexBytes(rate))
	}
	return t.Write(a.stdout, a.style)
}

// cells are what a table has of a part, which takes so many bytes of the index.
func (p *indexPart) cells(file, chunk string, size uint64) []terminal.Cell {
	number := func(n uint64) terminal.Cell {
		return terminal.Cell{Text: humanize.Comma(int64(n)), Raw: strconv.FormatUint(n, 10)}
	}
	return []terminal.Cell{
		terminal.Plain(file), terminal.Plain(chunk), indexBytes(p.Size), number(p.Events), number(uint64(p.Blocks)),
		indexBytes(p.BlocksSize), number(p.Constants), indexBytes(p.ConstantsSize), indexShare(size, int64(p.Size)),
	}
}

func indexBytes(n uint64) terminal.Cell {
	return terminal.Cell{Text: humanize.Bytes(n), Raw: strconv.FormatUint(n, 10)}
}

// indexShare is how much of a recording, or of a chunk, an index takes.
func indexShare(size uint64, of int64) terminal.Cell {
	if of <= 0 {
		return terminal.Cell{}
	}
	share := float64(size) / float64(of)
	return terminal.Cell{Text: fmt.Sprintf("%.2f%%", 100*share), Raw: strconv.FormatFloat(share, 'f', 6, 64)}
}
