package main

import (
	"bufio"
	"fmt"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// maxPools is how many constant pools are listed; --json has all.
const maxPools = 10

// writeExtended writes a summary with all that is known.
func (a *app) writeExtended(set *input.Set, s *summary.Summary) error {
	out := bufio.NewWriter(a.stdout)
	for _, line := range []struct {
		title, unit string
		terminal.Cell
	}{
		{"Version", "", terminal.Plain(s.Version())},
		{"Chunks", "", summaryCount(uint64(len(s.Chunks)))},
		{"Start", "", summaryTime(s.Start())},
		{"End", "", summaryTime(s.End())},
		{"Duration", " ns", summaryDuration(s.Duration())},
		{"Size", " bytes", summarySize(uint64(s.Size()))},
		{"Events", "", summaryCount(s.Events)},
		{"Selection", "", terminal.Plain(s.Selection)},
	} {
		if line.title == "Selection" && s.Selection == "" {
			continue
		}
		value := line.Raw + line.unit
		if a.style.Aligned {
			value = line.Text
		}
		fmt.Fprintf(out, "%s: %s\n", line.title, value)
	}
	for _, part := range []struct {
		title string
		table *terminal.Table
	}{
		{"Event types", extendedTypes(s)},
		{"Chunks", chunksTable(set, s)},
		{"Largest constant pools", largestPools(s)},
		{"Space", spaceTable(s)},
	} {
		fmt.Fprintf(out, "\n%s\n", part.title)
		if err := part.table.Write(out, a.style); err != nil {
			return err
		}
	}
	return out.Flush()
}

// extendedTypes lists the types of which there are events.
func extendedTypes(s *summary.Summary) *terminal.Table {
	t := terminal.NewTable(
		terminal.Column{Title: "Event Type"}, terminal.Column{Title: "Count", Right: true},
		terminal.Column{Title: "Per Second", Right: true, Unit: "events"}, sizeColumn("Size"),
		shareColumn, terminal.Column{Title: "First"}, terminal.Column{Title: "Last"},
	)
	for _, typ := range s.Types {
		if typ.Events == 0 || s.Selection != "" && !typ.IsEvent() {
			continue
		}
		t.Row(terminal.Plain(typ.Name), summaryCount(typ.Events), summaryRate(s, typ.Events), summarySize(typ.Bytes),
			summaryShare(s, typ.Bytes), summaryTime(typ.First), summaryTime(typ.Last))
	}
	return t
}

func largestPools(s *summary.Summary) *terminal.Table {
	t := terminal.NewTable(
		terminal.Column{Title: "Class"}, terminal.Column{Title: "Pools", Right: true},
		terminal.Column{Title: "Constants", Right: true}, sizeColumn("Size"),
		shareColumn,
	)
	for _, p := range s.Pools[:min(len(s.Pools), maxPools)] {
		t.Row(terminal.Plain(p.Class), summaryCount(p.Pools), summaryCount(p.Constants), summarySize(p.Bytes), summaryShare(s, p.Bytes))
	}
	return t
}

// partTitles are what to call what is not events.
var partTitles = map[summary.SpaceKind]string{
	summary.ConstantsSpace:  "Constant pools",
	summary.MetadataSpace:   "Metadata",
	summary.HeadersSpace:    "Chunk headers",
	summary.UnselectedSpace: "Other events",
	summary.OtherSpace:      "Other",
}

func spaceTable(s *summary.Summary) *terminal.Table {
	t := terminal.NewTable(terminal.Column{Title: "What"}, sizeColumn("Size"),
		shareColumn)
	for _, p := range s.Space() {
		title := partTitles[p.Kind]
		if p.Kind == summary.EventsSpace {
			title = "Events: " + p.Name
		}
		t.Row(terminal.Plain(title), summarySize(p.Bytes), summaryShare(s, p.Bytes))
	}
	all := uint64(s.Size())
	t.Row(terminal.Plain("All"), summarySize(all), summaryShare(s, all))
	return t
}

// sizeColumn is the head of a column of what [summarySize] makes.
func sizeColumn(title string) terminal.Column {
	return terminal.Column{Title: title, Right: true, Unit: "bytes"}
}

// shareColumn is the head of a column of shares, which are from 0 to 1 for programs.
var shareColumn = terminal.Column{Title: "Share", Right: true, Unit: "of 1"}

func summaryCount(n uint64) terminal.Cell {
	return terminal.Cell{Text: humanize.Comma(int64(n)), Raw: strconv.FormatUint(n, 10)}
}

func summarySize(bytes uint64) terminal.Cell {
	return terminal.Cell{Text: humanize.Bytes(bytes), Raw: strconv.FormatUint(bytes, 10)}
}

func summaryShare(s *summary.Summary, bytes uint64) terminal.Cell {
	share := s.Share(bytes)
	return terminal.Cell{Text: humanize.FormatFloat("#.##", 100*share) + "%", Raw: strconv.FormatFloat(share, 'g', 6, 64)}
}

func summaryRate(s *summary.Summary, events uint64) terminal.Cell {
	rate, ok := s.Rate(events)
	if !ok {
		return terminal.Cell{}
	}
	return terminal.Cell{Text: humanize.FormatFloat("#,###.##", rate), Raw: strconv.FormatFloat(rate, 'g', 6, 64)}
}

// summaryDuration is in nanoseconds for programs.
func summaryDuration(d time.Duration) terminal.Cell {
	return terminal.Cell{Text: d.Round(time.Millisecond).String(), Raw: strconv.FormatInt(int64(d), 10)}
}

// summaryTime is empty if the time is not known.
func summaryTime(t time.Time) terminal.Cell {
	if t.IsZero() {
		return terminal.Cell{}
	}
	return terminal.Cell{Text: t.UTC().Format("2006-01-02 15:04:05.000"), Raw: t.UTC().Format(time.RFC3339Nano)}
}
