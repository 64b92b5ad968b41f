package rewrite

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jvmid"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Machine is one of the virtual machines that recordings are of.
type Machine struct {
	// PID is the number of the process, and Started when it started. They are zero if no event says so.
	PID     int64
	Started time.Time
	// Chunks is how many chunks are of it, without those that were there twice.
	Chunks int
	// Recordings are those that have chunks of it.
	Recordings []*mmapjfr.Recording

	process describe.Process
	last    mmapjfr.Chunk
}

// Merged says what [Plan.Merge] has found.
type Merged struct {
	// Machines are the virtual machines, in the order of their first chunks.
	Machines []*Machine
	// Duplicates is how many chunks another recording has, too, or the same one.
	Duplicates int
}

// Merge makes the plan one that joins recordings: their chunks follow one another in the order of time, and a chunk
// that is there twice is copied once. If the chunks are of several virtual machines, or of several clocks, all get one
// clock. If the machines are several, the names of their threads get a prefix; prefix is called when all machines are
// known, and nil stands for no prefix.
//
// Virtual machines are distinguished by the events jdk.JVMInformation, and by their clocks where there are none.
func (p *Plan) Merge(ctx context.Context, recs []*mmapjfr.Recording, prefix func(m *Machine) string) (*Merged, error) {
	g := &merging{
		twice: make(map[*index.Chunk]bool), owners: make(map[*index.Chunk]*Machine), processes: make(map[*index.Chunk]describe.Process),
		known: make(map[describe.Process]*Machine), listed: make(map[listed]bool),
	}
	if err := within(recs, func() error { return g.see(ctx, recs) }); err != nil {
		return nil, err
	}
	p.processes = g.processes
	p.ByTime, p.Readable, p.OneClock = true, true, p.OneClock || g.clocks
	p.Anew = p.Anew || len(g.merged.Machines) > 1 // they can have different constants under one key
	if skip := p.Skip; g.merged.Duplicates > 0 {
		p.Skip = func(c mmapjfr.Chunk) bool { return g.twice[engine.ChunkIndex(c)] || skip != nil && skip(c) }
	}
	if prefix != nil && len(g.merged.Machines) > 1 {
		p.Prefix = func(c mmapjfr.Chunk) string {
			if m := g.owners[engine.ChunkIndex(c)]; m != nil {
				return prefix(m)
			}
			return ""
		}
	}
	return &g.merged, nil
}

// merging finds out which chunks there are.
type merging struct {
	merged Merged
	twice  map[*index.Chunk]bool
	owners map[*index.Chunk]*Machine
	// processes are those of all chunks but duplicates.
	processes map[*index.Chunk]describe.Process
	known     map[describe.Process]*Machine // by their process
	unknown   []*Machine                    // those without one so far
	listed    map[listed]bool
	clocks    bool // there are several
}

// listed is a recording that has chunks of a machine.
type listed struct {
	of  *Machine
	rec *mmapjfr.Recording
}

// machinesCompared is with how many machines a chunk is compared whose process is not known. A chunk of an earlier one is taken
// for that of a new machine.
const machinesCompared = 1000

func (g *merging) see(ctx context.Context, recs []*mmapjfr.Recording) error {
	var all []*inputChunk
	for _, rec := range recs {
		for _, c := range rec.Chunks() {
			all = append(all, &inputChunk{Chunk: c, rec: rec})
		}
	}
	// Chunks that begin at the same time follow one another, the longest first.
	slices.SortStableFunc(all, func(a, b *inputChunk) int {
		x, y := engine.ChunkIndex(a.Chunk).Header(), engine.ChunkIndex(b.Chunk).Header()
		return cmp.Or(cmp.Compare(x.StartNanos, y.StartNanos), cmp.Compare(x.StartTicks, y.StartTicks), cmp.Compare(b.Size(), a.Size()))
	})
	kept := all[:0:0]
	for _, c := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for j := len(kept) - 1; j >= 0 && sameBegin(kept[j], c); j-- {
			if isPartOf(c, kept[j]) {
				g.twice[engine.ChunkIndex(c.Chunk)] = true
				g.merged.Duplicates++
				break
			}
		}
		if !g.twice[engine.ChunkIndex(c.Chunk)] {
			c.process = processOf(c.Chunk)
			g.processes[engine.ChunkIndex(c.Chunk)] = c.process
			kept = append(kept, c)
		}
		engine.ChunkDropPages(c.Chunk)
	}
	alone := processesAlone(kept)
	for i, c := range kept {
		g.own(c, cmp.Or(c.process, alone[i]))
		g.clocks = g.clocks || !engine.ChunkSameJVM(all[0].Chunk, c.Chunk)
	}
	// Clocks of virtual machines that started together are alike, and yet they are two.
	g.clocks = g.clocks || len(g.merged.Machines) > 1
	return nil
}

// processesAlone returns the process of each chunk of a recording whose events name one process, as far as the chunk is of
// that: those that async-profiler writes between those of its virtual machine do not name it.
func processesAlone(chunks []*inputChunk) []describe.Process {
	of := make([]describe.Process, len(chunks))
	byRecording := make(map[*mmapjfr.Recording][]int)
	for i, c := range chunks {
		byRecording[c.rec] = append(byRecording[c.rec], i)
	}
	for _, numbers := range byRecording {
		var list []jvmid.Chunk
		var process describe.Process
		for _, i := range numbers {
			c := jvmid.Chunk{Header: engine.ChunkIndex(chunks[i].Chunk).Header()}
			if chunks[i].process != (describe.Process{}) {
				process = chunks[i].process
				c.Process = process
			}
			list = append(list, c)
		}
		for n, is := range jvmid.OfOne(list) {
			if is {
				of[numbers[n]] = process
			}
		}
	}
	return of
}

func sameBegin(a, b *inputChunk) bool {
	x, y := engine.ChunkIndex(a.Chunk).Header(), engine.ChunkIndex(b.Chunk).Header()
	return x.StartNanos == y.StartNanos && x.StartTicks == y.StartTicks && x.TicksPerSecond == y.TicksPerSecond
}

// isPartOf reports whether a chunk has the bytes of another one, or the first of these, since it was copied before the
// other was finished.
func isPartOf(c, whole *inputChunk) bool {
	a, b := engine.ChunkBytes(c.Chunk), engine.ChunkBytes(whole.Chunk)
	if len(a) < wire.HeaderLen || len(a) > len(b) || len(a) < len(b) && c.Finished() {
		return false
	}
	return bytes.Equal(a[wire.HeaderLen:], b[wire.HeaderLen:len(a)])
}

// own finds the virtual machine of a chunk, of a process if that is known.
func (g *merging) own(c *inputChunk, process describe.Process) {
	of := g.known[process]
	candidates := g.merged.Machines
	switch {
	case of != nil:
		candidates = nil
	case process != (describe.Process{}):
		candidates = g.unknown
	}
	for _, m := range slices.Backward(candidates[max(0, len(candidates)-machinesCompared):]) {
		if engine.ChunkSameJVM(m.last, c.Chunk) {
			of = m
			break
		}
	}
	if of == nil {
		of = &Machine{}
		g.merged.Machines, g.unknown = append(g.merged.Machines, of), append(g.unknown, of)
	}
	if of.process == (describe.Process{}) && process != (describe.Process{}) {
		g.known[process] = of
		g.unknown = slices.DeleteFunc(g.unknown, func(m *Machine) bool { return m == of })
		if of.process, of.PID = process, process.ID; process.Started != 0 {
			of.Started = time.Unix(0, process.Started).UTC()
		}
	}
	if of.Chunks++; !g.listed[listed{of, c.rec}] {
		g.listed[listed{of, c.rec}] = true
		of.Recordings = append(of.Recordings, c.rec)
	}
	of.last, g.owners[engine.ChunkIndex(c.Chunk)] = c.Chunk, of
}

// processOf returns the process that an event of a chunk is about.
func processOf(c mmapjfr.Chunk) (p describe.Process) {
	jvm, _ := c.JVM()
	if p.ID = jvm.PID; !jvm.Started.IsZero() {
		p.Started = jvm.Started.UnixNano()
	}
	return p
}
