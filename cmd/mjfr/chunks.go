package main

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// newChunks is the verb that lists the chunks of recordings.
func newChunks(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "chunks [flags] FILE...",
		Short: "List the chunks, and what they hold",
		Long: `List the chunks that recordings are made of. Each stands on its own: it has events,
the constants that they refer to, metadata that describes both, and a clock.

A chunk is final if it says that its virtual machine wrote no other after it, and
unfinished if it is still being written, or was when its virtual machine died.`,
		Example: `  mjfr chunks app.jfr
  mjfr chunks --json repository/*.jfr`,
		Args: files,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), args, func(set *input.Set) error {
				return a.listChunks(cmd.Context(), set, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// chunksDocument is what mjfr chunks --json prints.
type chunksDocument struct {
	Chunks []summary.ChunkDocument `json:"chunks"`
	Errors []summary.FaultDocument `json:"errors"`
}

func (a *app) listChunks(ctx context.Context, set *input.Set, asJSON bool) error {
	bar := a.progress("counting", bytesOf(set), atTheEnd)
	defer bar.Done()
	s, err := summary.Collect(ctx, set.Recordings, bar.Add)
	if err != nil {
		return err
	}
	bar.Stage("constants", bytesOf(set))
	if err := s.ReadPools(ctx, bar.Add); err != nil {
		return err
	}
	bar.Done()
	a.tellFaults(set, s)
	if asJSON {
		return summary.WriteJSON(a.stdout, chunksDocument{
			summary.ChunkDocuments(s, set.Name), summary.FaultDocuments(s.Faults, set.Name),
		})
	}
	return chunksTable(set, s).Write(a.stdout, a.style)
}

// chunksTable lists the chunks, with their files if there are several.
func chunksTable(set *input.Set, s *summary.Summary) *terminal.Table {
	several := len(set.Recordings) > 1
	columns := []terminal.Column{{Title: "Chunk", Right: true}}
	if several {
		columns = append(columns, terminal.Column{Title: "File"})
	}
	units := map[string]string{"Offset": "bytes", "Size": "bytes", "Duration": "ns", "Metadata": "bytes"}
	for _, title := range []string{
		"Offset", "Size", "Start", "Duration", "Events", "Checkpoints", "Pools", "Constants", "Metadata", "State", "Ticks/s", "Version",
	} {
		columns = append(columns, terminal.Column{Title: title, Right: title != "Start" && title != "State", Unit: units[title]})
	}
	t := terminal.NewTable(columns...)
	documents := summary.ChunkDocuments(s, set.Name)
	for i := range documents {
		c := &documents[i]
		row := []terminal.Cell{terminal.Plain(strconv.Itoa(c.Number))}
		if several {
			row = append(row, terminal.Plain(c.File))
		}
		t.Row(append(row,
			summaryCount(c.OffsetBytes), summarySize(c.SizeBytes), summaryTime(c.Start),
			summaryDuration(time.Duration(c.DurationNanos)),
			summaryCount(c.Events), summaryCount(c.Checkpoints), summaryCount(c.Pools), summaryCount(c.Constants),
			summarySize(c.MetadataBytes), terminal.Plain(chunkState(c)),
			terminal.Plain(strconv.FormatInt(c.TicksPerSecond, 10)), terminal.Plain(c.Version))...)
	}
	return t
}

// chunkState says in a word whether a chunk is complete.
func chunkState(c *summary.ChunkDocument) string {
	switch {
	case !c.Finished:
		return "unfinished"
	case c.Final:
		return "final"
	}
	return "finished"
}
