package overview

import (
	"fmt"
	"strconv"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// listHeaders lists what the headers of chunks say.
func listHeaders(a *cli.App, set *input.Set) error {
	several := len(set.Recordings) > 1
	columns := []terminal.Column{{Title: "Chunk", Right: true}}
	if several {
		columns = append(columns, terminal.Column{Title: "File"})
	}
	columns = append(columns, terminal.Column{Title: "Offset", Right: true, Unit: "bytes"}, terminal.Column{Title: "Size", Right: true, Unit: "bytes"},
		terminal.Column{Title: "Start"}, terminal.Column{Title: "Duration", Right: true, Unit: "ns"}, terminal.Column{Title: "State"},
		terminal.Column{Title: "Ticks/s", Right: true}, terminal.Column{Title: "Version", Right: true})
	t := terminal.NewTable(columns...)
	number := 0
	for _, rec := range set.Recordings {
		for _, c := range rec.Chunks() {
			row := []terminal.Cell{terminal.Int(number)}
			if several {
				row = append(row, terminal.Plain(set.Name(rec)))
			}
			major, minor := c.Version()
			t.Row(append(row,
				terminal.Count(c.Offset()), terminal.Size(c.Size()), terminal.Time(c.Start()), terminal.Duration(c.Duration()),
				terminal.Plain(chunkState(c.Finished(), engine.ChunkFinal(c))), terminal.Plain(strconv.FormatInt(engine.ChunkTicksPerSecond(c), 10)),
				terminal.Plain(fmt.Sprintf("%d.%d", major, minor)))...)
			number++
			for _, err := range []error{c.Index().LeadingErr(), c.Index().TrailingErr()} {
				if err != nil {
					a.Damage(set.Name(rec), err)
				}
			}
		}
		if err := engine.RecordingTrailingErr(rec); err != nil {
			a.Damage(set.Name(rec), err)
		}
	}
	return t.Write(a.Stdout, a.Style)
}
