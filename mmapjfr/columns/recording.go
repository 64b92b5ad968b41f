package columns

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jvmid"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// recordingColumn says which recording an event is of: it has the key of the table of recordings.
var recordingColumn = Column{Name: "recording_id", Kind: Text, Required: true, Label: "Recording", Description: "The recording, a row of the table _recording"}

// withRecording adds the column of the recording.
func (t *Table) withRecording() {
	t.recording = len(t.slots) + 1
	c := recordingColumn
	c.slot = len(t.slots)
	t.slots = append(t.slots, slot{constant: true, same: true, columns: []int{len(t.Columns)}})
	t.addColumn(c)
}

// setRecording sets the recording of all rows of a table.
func (c *chunkReader) setRecording(rows *Rows, t *Table) {
	if t.recording > 0 {
		d := &rows.slots[t.recording-1]
		d.constants, d.ofReader = c.recording, true
	}
}

// recordingOf returns the key of a recording as a constant; nil if no table has it.
func (e *export) recordingOf(rec *mmapjfr.Recording) *Constant {
	if e.o.References {
		return nil
	}
	return e.constants.of([]cell{text(recordingID(rec, e.machineOf(rec)))})
}

// machineOf returns the machine of a recording, which it looks for once.
func (e *export) machineOf(rec *mmapjfr.Recording) machine {
	m, ok := e.machines[rec]
	if !ok {
		m = machineOf(rec.Chunks()...)
		if e.machines == nil {
			e.machines = make(map[*mmapjfr.Recording]machine)
		}
		e.machines[rec] = m
	}
	return m
}

// recordingID returns the key of a recording in tables: a hash of where its chunks lie, when they begin and how long they
// last, and of the JVM, as docs/COLUMNS.md says. It is the same wherever the recording lies and whatever it is called, and
// reads no more of it than that.
func recordingID(rec *mmapjfr.Recording, m machine) string {
	h := sha256.New()
	for _, c := range rec.Chunks() {
		fmt.Fprintf(h, "%d %d %d %d %d\n", c.Offset(), c.Size(), c.Start().UnixNano(), int64(c.Duration()), engine.ChunkTicksPerSecond(c))
	}
	fmt.Fprintf(h, "%d %d %s\n", m.pid, m.start, m.version)
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// machine is the virtual machine that a recording is of.
type machine struct {
	name, version string
	pid, start    int64
}

var (
	pathKey, pathValue = mmapjfr.Path("key"), mmapjfr.Path("value")
)

// machineOf returns the machine of the first chunk that names one. The start is the least number if it is not known.
func machineOf(chunks ...mmapjfr.Chunk) machine {
	for _, c := range chunks {
		jvm, ok := c.JVM()
		if !ok {
			continue
		}
		m := machine{jvm.Name, jvm.Version, jvm.PID, math.MinInt64}
		if !jvm.Started.IsZero() {
			m.start = jvm.Started.UnixNano()
		}
		return m
	}
	return machine{start: math.MinInt64}
}

// machinesOf returns how many machines the chunks of a recording are of: files can be joined. The events about them say
// it, or else the clocks and times of the chunks. Chunks that other work reads are not fetched for that.
func machinesOf(rec *mmapjfr.Recording, wanted mmapjfr.ChunkRange) int {
	type known struct {
		machine
		last mmapjfr.Chunk
	}
	var all, list []known
	var chunks []jvmid.Chunk
	for _, c := range rec.Chunks() {
		own, chunk := known{machine{start: math.MinInt64}, c}, jvmid.Chunk{Header: engine.ChunkIndex(c).Header()}
		if !engine.RecordingIsFetched(rec) || wanted.Has(c) {
			own.machine = machineOf(c)
		}
		if own.start != math.MinInt64 {
			chunk.Process = [2]int64{own.pid, own.start}
		}
		all, chunks = append(all, own), append(chunks, chunk)
	}
	ofOne, one := jvmid.OfOne(chunks), 0
	for n, own := range all {
		if ofOne[n] {
			one = 1
			continue
		}
		i := slices.IndexFunc(list, func(k known) bool {
			if own.start != math.MinInt64 && k.start != math.MinInt64 {
				return own.pid == k.pid && own.start == k.start
			}
			return engine.ChunkSameJVM(k.last, own.last)
		})
		switch {
		case i < 0:
			list = append(list, own)
		case own.start != math.MinInt64:
			list[i] = own
		default:
			list[i].last = own.last
		}
	}
	return one + len(list)
}

// hostVariables are those of the environment that have the name of the host.
var hostVariables = []string{"HOSTNAME", "COMPUTERNAME", "HOST"}

// hostOf returns the name of the host: the label of that name, or what the environment of the JVM says in the first
// chunk. It is empty if nothing says it, or the recording is of several machines.
func (o *Options) hostOf(rec *mmapjfr.Recording, labels []string, jvms int) string {
	if i := slices.Index(o.Labels, "host"); i >= 0 && labels[i] != "" {
		return labels[i]
	}
	if jvms > 1 {
		return ""
	}
	var found [3]string
	for _, c := range rec.Chunks()[:min(1, len(rec.Chunks()))] {
		for ev, err := range engine.SelectionWithRepeats(c.Select(mmapjfr.Types("jdk.InitialEnvironmentVariable"))).Events() {
			if err != nil {
				continue
			}
			if i := slices.Index(hostVariables, ev.Str(pathKey)); i >= 0 {
				found[i] = ev.Str(pathValue)
			}
		}
	}
	return cmp.Or(found[:]...)
}

func (s *sideTables) addRecording(e *export, rec *mmapjfr.Recording, wanted mmapjfr.ChunkRange) {
	m, chunks, ticks := e.machineOf(rec), rec.Chunks(), int64(0)
	id, jvms := recordingID(rec, m), machinesOf(rec, wanted)
	if s.ids[id] {
		return // it is a copy: a row for each would double the events that are joined with them
	}
	s.ids[id] = true
	if len(chunks) > 0 {
		ticks = engine.ChunkTicksPerSecond(chunks[0])
	}
	var labels []string
	if len(e.o.Labels) > 0 {
		labels = e.o.LabelValues(rec)
	}
	host := e.o.hostOf(rec, labels, jvms)
	if jvms > 1 {
		m = machine{start: math.MinInt64} // none of them is that of all events
	}
	start := rec.Start().UnixNano()
	cells := []cell{text(id), text(e.nameOf(rec)), number(rec.Size()), number(int64(len(chunks))), number(start), number(start), number(int64(rec.Duration())),
		natural(ticks), text(m.name), text(m.version), natural(m.pid), {n: m.start, ok: m.start != math.MinInt64}, text(host), number(int64(jvms))}
	for _, value := range labels {
		cells = append(cells, text(value))
	}
	e.addRow(RecordingsTable, cells...)
}

// OnlyRecordings returns options that make the table of the recordings alone. That reads no events but those that it needs.
func (o Options) OnlyRecordings() Options {
	o.References, o.Filters = true, []mmapjfr.Filter{mmapjfr.TypesFunc(func(mmapjfr.Type) bool { return false })}
	return o
}
