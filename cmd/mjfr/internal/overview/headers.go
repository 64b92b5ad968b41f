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
	t, row := newChunkTable(set, "Offset", "Size", "Start", "Duration", "State", "Ticks/s", "Version")
	number := 0
	for _, rec := range set.Recordings {
		for _, c := range rec.Chunks() {
			major, minor := c.Version()
			row(number, set.Name(rec),
				terminal.Count(c.Offset()), terminal.Size(c.Size()), terminal.Time(c.Start()), terminal.Duration(c.Duration()),
				terminal.Plain(chunkState(c.Finished(), engine.ChunkFinal(c))), terminal.Plain(strconv.FormatInt(engine.ChunkTicksPerSecond(c), 10)),
				terminal.Plain(fmt.Sprintf("%d.%d", major, minor)))
			number++
			for _, err := range []error{engine.ChunkIndex(c).LeadingErr(), engine.ChunkIndex(c).TrailingErr()} {
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
