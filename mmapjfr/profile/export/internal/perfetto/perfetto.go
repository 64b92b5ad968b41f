// Package perfetto writes recordings as traces for https://ui.perfetto.dev: threads as tracks with
// their events, counters, and the samples of a profile.
//
// Samples are packets of type StackSample, which Perfetto 58 and later show; older ones show all the
// rest.
package perfetto

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/proto"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

// Write writes the events of recordings and all samples of a profile, which must be one of the same
// recordings with times, see [profile.Options]. It adds the stacks of events to the profile. In memory
// it holds the profile, and some 50 bytes for each event of one chunk. Errors are those of reading
// the recordings, after all that could be read has been written, and those of w.
func Write(ctx context.Context, w io.Writer, recs []*mmapjfr.Recording, p *profile.Profile, o timeline.Options) error {
	out := bufio.NewWriterSize(w, 1<<16)
	o.Names.Lines = false // the format has them
	t := &tracer{out: out, o: &o, t: timeline.New(recs, p, o), tids: make(map[int64]bool), types: make(map[*timeline.Type]*knownType)}
	t.events = t.newSequence(nil)
	t.head()
	err := t.t.Walk(ctx, t.chunk)
	t.closeAll()
	t.samples()
	return cmp.Or(t.err, err, out.Flush())
}

// tracer writes a trace packet by packet.
type tracer struct {
	out       *bufio.Writer
	err       error // the first one of writing
	o         *timeline.Options
	t         *timeline.Timeline
	sequences uint64
	uuids     uint64
	flows     uint64
	events    *sequence // of all that is no sample
	tracks    []track   // by thread
	counters  []uint64  // the tracks of series
	tids      map[int64]bool
	virtual   uint64 // the track of all virtual threads; 0 before there is one
	types     map[*timeline.Type]*knownType
	// The last packet, what was in it, and the last annotation: their memory serves the next ones.
	packet, content, annotation []byte
}

// The clocks of a trace.
const clockRealtime, clockBoottime = 1, 6

// processTrack is the track of the process.
const processTrack = 1

// head writes the first packets: the clocks, and the process.
func (t *tracer) head() {
	start, _ := t.t.Span()
	var clocks []byte
	for _, id := range []uint64{clockRealtime, clockBoottime} {
		clocks = proto.Message(clocks, snapshotClock, proto.Number(proto.Number(nil, clockID, id), clockTimestamp, uint64(start)))
	}
	clocks = proto.Number(clocks, snapshotPrimary, clockRealtime)
	t.events.write(start, packetClockSnapshot, clocks)
	t.uuids = processTrack
	info := &t.t.Info
	process := proto.Number(nil, processPID, uint64(t.pid()))
	for arg := range strings.FieldsSeq(info.Main) {
		process = proto.Text(process, processCommand, arg)
	}
	process = proto.Text(process, processName, cmp.Or(t.o.Title, info.Command()))
	if info.JVM != "" {
		process = proto.Text(process, processLabel, info.JVM)
	}
	t.describe(processTrack, 0, "", trackProcess, process)
}

// pid returns the number of the process. Perfetto needs one.
func (t *tracer) pid() int64 { return cmp.Or(t.t.Info.PID, 1) }

// describe writes a description of a track. Content is that of a field that says what is special
// about it; 0 for none.
func (t *tracer) describe(uuid, parent uint64, name string, field proto.Field, content []byte) {
	b := proto.Number(nil, trackUUID, uuid)
	if parent != 0 {
		b = proto.Number(b, trackParent, parent)
	}
	if name != "" {
		b = proto.Text(b, trackName, name)
	}
	if field != 0 {
		b = proto.Message(b, field, content)
	}
	t.events.write(noTime, packetTrackDescriptor, b)
}

func (t *tracer) uuid() uint64 {
	t.uuids++
	return t.uuids
}
