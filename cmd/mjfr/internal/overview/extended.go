package overview

import (
	"bufio"
	"fmt"
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// maxPools is the number of constant pools that are listed; --json lists all.
const maxPools = 10

// writeExtended writes the summary of --extended.
func writeExtended(a *cli.App, set *input.Set, s *summary.Summary) error {
	out := bufio.NewWriter(a.Stdout)
	for _, line := range []struct {
		title, unit string
		terminal.Cell
	}{
		{"Version", "", terminal.Plain(s.Version())},
		{"Chunks", "", terminal.Count(uint64(len(s.Chunks)))},
		{"Start", "", terminal.Time(s.Start())},
		{"End", "", terminal.Time(s.End())},
		{"Duration", " ns", terminal.Duration(s.Duration())},
		{"Size", " bytes", terminal.Size(uint64(s.Size()))},
		{"Events", "", terminal.Count(s.Events)},
		{"Selection", "", terminal.Plain(s.Selection)},
	} {
		if line.title == "Selection" && s.Selection == "" {
			continue
		}
		value := line.Raw + line.unit
		if a.Style.Aligned {
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
		if err := part.table.Write(out, a.Style); err != nil {
			return err
		}
	}
	return out.Flush()
}

// extendedTypes lists the types that have events.
func extendedTypes(s *summary.Summary) *terminal.Table {
	t := terminal.NewTable(
		terminal.Column{Title: "Event Type"}, terminal.Number("Count"),
		terminal.Column{Title: "Per Second", Right: true, Unit: "events"}, terminal.SizeColumn("Size"),
		terminal.ShareColumn, terminal.Column{Title: "First"}, terminal.Column{Title: "Last"},
	)
	for _, typ := range s.Types {
		if typ.Events == 0 || s.Selection != "" && !typ.IsEvent() {
			continue
		}
		t.Row(terminal.Plain(typ.Name), terminal.Count(typ.Events), summaryRate(s, typ.Events), terminal.Size(typ.Bytes),
			terminal.Share(s.Share(typ.Bytes)), terminal.Time(typ.First), terminal.Time(typ.Last))
	}
	return t
}

func largestPools(s *summary.Summary) *terminal.Table {
	t := terminal.NewTable(
		terminal.Column{Title: "Type"}, terminal.Number("Pools"),
		terminal.Number("Constants"), terminal.SizeColumn("Size"),
		terminal.ShareColumn,
	)
	for _, p := range s.Pools[:min(len(s.Pools), maxPools)] {
		t.Row(terminal.Plain(p.Type), terminal.Count(p.Pools), terminal.Count(p.Constants), terminal.Size(p.Bytes), terminal.Share(s.Share(p.Bytes)))
	}
	return t
}

// partTitles are the names of what is not events.
var partTitles = map[summary.SpaceKind]string{
	summary.ConstantsSpace:  "Constant pools",
	summary.MetadataSpace:   "Metadata",
	summary.HeadersSpace:    "Chunk headers",
	summary.UnselectedSpace: "Other events",
	summary.OtherSpace:      "Other",
}

func spaceTable(s *summary.Summary) *terminal.Table {
	t := terminal.NewTable(terminal.Column{Title: "What"}, terminal.SizeColumn("Size"),
		terminal.ShareColumn)
	for _, p := range s.Space() {
		title := partTitles[p.Kind]
		if p.Kind == summary.EventsSpace {
			title = "Events: " + p.Name
		}
		t.Row(terminal.Plain(title), terminal.Size(p.Bytes), terminal.Share(s.Share(p.Bytes)))
	}
	all := uint64(s.Size())
	t.Row(terminal.Plain("All"), terminal.Size(all), terminal.Share(s.Share(all)))
	return t
}

func summaryRate(s *summary.Summary, events uint64) terminal.Cell {
	rate, ok := s.Rate(events)
	if !ok {
		return terminal.Cell{}
	}
	return terminal.Cell{Text: humanize.FormatFloat("#,###.##", rate), Raw: strconv.FormatFloat(rate, 'g', 6, 64)}
}
