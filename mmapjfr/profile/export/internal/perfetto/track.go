package perfetto

import (
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/proto"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

// track is the track of a thread. Events that overlap, and of which none is inside of another one,
// are in lanes of their own.
type track struct {
	uuid  uint64 // 0 if it has not been written
	tid   int64  // 0 for virtual threads
	lanes []lane
}

// lane is a track whose events are inside of each other or apart.
type lane struct {
	uuid uint64
	last int64   // the time of its last packet
	ends []int64 // of the events that have not ended, the innermost last
}

// manyLanes is how many lanes of a thread are looked at from each end, so that the time is linear in
// the number of events.
const manyLanes = 16

// track returns the track of a thread.
func (t *tracer) track(thread int32) *track {
	for len(t.tracks) < len(t.t.Threads) {
		t.tracks = append(t.tracks, track{})
	}
	k := &t.tracks[thread]
	if k.uuid != 0 {
		return k
	}
	k.uuid = t.uuid()
	k.lanes = []lane{{uuid: k.uuid}}
	info := &t.t.Threads[thread]
	switch {
	case thread == 0:
		t.describe(k.uuid, processTrack, "Events of no thread", 0, nil)
	case info.Virtual:
		if t.virtual == 0 {
			t.virtual = t.uuid()
			t.describe(t.virtual, processTrack, "Virtual threads", 0, nil)
		}
		t.describe(k.uuid, t.virtual, title(info), 0, nil)
	default:
		k.tid = t.tid(thread)
		b := proto.Number(proto.Number(nil, threadPID, uint64(t.pid())), threadTID, uint64(k.tid))
		t.describe(k.uuid, processTrack, "", trackThread, proto.Text(b, threadName, info.Title()))
	}
	return k
}

// firstTID is more than the numbers of threads in Linux.
const firstTID = 1 << 24

// tid returns a number of the operating system that no other track has.
func (t *tracer) tid(thread int32) int64 {
	tid := t.t.Threads[thread].OS
	if tid <= 0 || tid >= firstTID || t.tids[tid] {
		tid = firstTID + int64(thread)
	}
	t.tids[tid] = true
	return tid
}

// lane returns a lane of a thread for an event, and writes the ends of those that have ended there.
func (t *tracer) lane(thread int32, e *timeline.Entry) *lane {
	k := t.track(thread)
	for i := 0; i < len(k.lanes); i++ {
		if i == manyLanes && len(k.lanes) > 2*manyLanes {
			i = len(k.lanes) - manyLanes
		}
		if t.fits(&k.lanes[i], e) {
			return &k.lanes[i]
		}
	}
	uuid := t.uuid()
	t.describe(uuid, k.uuid, "overlapping", 0, nil)
	k.lanes = append(k.lanes, lane{uuid: uuid})
	return &k.lanes[len(k.lanes)-1]
}

// fits ends the events of a lane that ended before another one began, and reports whether that one
// can be in the lane.
func (t *tracer) fits(l *lane, e *timeline.Entry) bool {
	for len(l.ends) > 0 && l.ends[len(l.ends)-1] <= e.Start {
		t.end(l)
	}
	return e.Start >= l.last && (len(l.ends) == 0 || e.End <= l.ends[len(l.ends)-1])
}

// end writes the end of the innermost event of a lane.
func (t *tracer) end(l *lane) {
	l.last = l.ends[len(l.ends)-1]
	l.ends = l.ends[:len(l.ends)-1]
	t.content = proto.Number(proto.Number(t.content[:0], eventType, eventEnd), eventTrack, l.uuid)
	t.events.write(l.last, packetTrackEvent, t.content)
}

// closeAll writes the ends that are left.
func (t *tracer) closeAll() {
	for i := range t.tracks {
		for j := range t.tracks[i].lanes {
			l := &t.tracks[i].lanes[j]
			for len(l.ends) > 0 {
				t.end(l)
			}
		}
	}
}
