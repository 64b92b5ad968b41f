package overview

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// NewChunks makes the verb that lists the chunks of recordings.
func NewChunks(a *cli.App) *cobra.Command {
	var (
		o      selection.Options
		asJSON bool
		brief  bool
	)
	cmd := &cobra.Command{
		Use:   "chunks [flags] FILE...",
		Short: "List chunks and their contents",
		Long: `List the chunks of recordings. A chunk is complete in itself: events, the constants they
refer to, the metadata that describes both, and a clock.

A chunk is final if it is the last one its JVM wrote, and unfinished if it is still being
written or its JVM died.

--headers reads only the chunk headers: it is fast, also for URLs, but cannot count events. If
options select events, only these are counted, and chunks without them are left out.

` + selection.About,
		Example: `  mjfr chunks app.jfr
  mjfr chunks --events OldObjectSample app.jfr
  mjfr chunks --json repository/*.jfr`,
		Args: cli.NeedFiles,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range []string{"json", "events", "categories", "where", "from", "to", "thread", "limit", "tail"} {
				if brief && cmd.Flags().Changed(name) {
					return cli.Usagef("--headers cannot be combined with --%s", name)
				}
			}
			return o.Check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if brief {
				return a.WithChunks(cmd.Context(), args, func(set *input.Set) error { return listHeaders(a, set) })
			}
			return a.WithChunks(cmd.Context(), args, func(set *input.Set) error {
				return listChunks(cmd.Context(), a, set, &o, asJSON)
			}, o.Reading()...)
		},
	}
	cmd.Flags().BoolVar(&brief, "headers", false, "read only the headers of the chunks")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	o.SelectFlags(cmd.Flags())
	return cmd
}

// ChunksDocument is what mjfr chunks --json prints.
type ChunksDocument struct {
	Chunks []summary.ChunkDocument `json:"chunks"`
	// Selection are the options that select events; empty for all events.
	Selection string                  `json:"selection,omitempty"`
	Errors    []summary.FaultDocument `json:"errors"`
}

func listChunks(ctx context.Context, a *cli.App, set *input.Set, o *selection.Options, asJSON bool) error {
	sel, err := selection.Select(a, set, o, nil)
	if err != nil {
		return err
	}
	s, err := count(ctx, a, sel, false)
	if err != nil {
		return err
	}
	bar := a.Progress("constants", cli.BytesOf(set), cli.AtEnd)
	if err := s.ReadPools(ctx, bar.Add); err != nil {
		return err
	}
	bar.Done()
	reportFaults(a, set, s)
	if sel.Given() && !asJSON {
		err = sel.Announce(s.Selected())
	}
	switch {
	case err != nil:
	case asJSON:
		err = a.WriteJSON(ChunksDocument{
			chunkDocuments(set, s), s.Selection, summary.FaultDocuments(s.Faults, set.Name),
		})
	default:
		err = chunksTable(set, s).Write(a.Stdout, a.Style)
	}
	if err != nil {
		return err
	}
	return sel.ReportIfEmpty(ctx)
}

// chunkDocuments returns the chunks. If events are selected, they are those that have some.
func chunkDocuments(set *input.Set, s *summary.Summary) []summary.ChunkDocument {
	return slices.DeleteFunc(summary.ChunkDocuments(s, set.Name), func(c summary.ChunkDocument) bool {
		return s.Selection != "" && c.Events == 0
	})
}

// chunksTable lists the chunks, with their files if there are several.
func chunksTable(set *input.Set, s *summary.Summary) *terminal.Table {
	t, row := newChunkTable(set, "Offset", "Size", "Start", "Duration", "Events", "Checkpoints", "Pools", "Constants", "Metadata",
		"State", "Ticks/s", "Version")
	documents := chunkDocuments(set, s)
	for i := range documents {
		c := &documents[i]
		row(c.Number, c.File,
			terminal.Count(c.OffsetBytes), terminal.Size(c.SizeBytes), terminal.Time(c.Start.Time),
			terminal.Duration(time.Duration(c.DurationNanos)),
			terminal.Count(c.Events), terminal.Count(c.Checkpoints), terminal.Count(c.Pools), terminal.Count(c.Constants),
			terminal.Size(c.MetadataBytes), terminal.Plain(chunkState(c.Finished, c.Final)),
			terminal.Plain(strconv.FormatInt(c.TicksPerSecond, 10)), terminal.Plain(c.Version))
	}
	return t
}

// newChunkTable makes a table of chunks, with their files if there are several, and what adds a
// row.
func newChunkTable(set *input.Set, titles ...string) (t *terminal.Table, row func(number int, file string, cells ...terminal.Cell)) {
	several := len(set.Recordings) > 1
	columns := []terminal.Column{{Title: "Chunk", Right: true}}
	if several {
		columns = append(columns, terminal.Column{Title: "File"})
	}
	units := map[string]string{"Offset": "bytes", "Size": "bytes", "Duration": "ns", "Metadata": "bytes"}
	for _, title := range titles {
		columns = append(columns, terminal.Column{Title: title, Right: title != "Start" && title != "State", Unit: units[title]})
	}
	t = terminal.NewTable(columns...)
	return t, func(number int, file string, cells ...terminal.Cell) {
		head := []terminal.Cell{terminal.Int(number)}
		if several {
			head = append(head, terminal.Plain(file))
		}
		t.Row(append(head, cells...)...)
	}
}

// chunkState returns a word for the state of a chunk.
func chunkState(finished, final bool) string {
	switch {
	case !finished:
		return "unfinished"
	case final:
		return "final"
	}
	return "finished"
}
