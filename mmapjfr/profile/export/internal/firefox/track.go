package firefox

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

// track is a thread of the page: the samples of one kind in a thread, and its markers with those of the
// first kind.
type track struct {
	thread  int32
	name    string
	samples []profile.Sample
	allocs  []profile.Sample
	marks   []timeline.Entry
	first   bool // the track of the thread that has its markers
}

// visible is how many threads the page shows before somebody asks for more.
const visible = 12

// addTracks finds the threads of the page. The first one is that of events of no thread: the page takes
// it for the process. Then come those with many samples, and of these with many markers.
func (e *encoder) addTracks() {
	e.samples = e.t.Samples()
	main := make([]track, len(e.t.Threads))
	var more []track
	for i := range main {
		main[i] = track{thread: int32(i), name: e.threadName(int32(i)), first: true}
	}
	for list := e.marks; len(list) > 0; {
		thread := list[0].Thread
		n := slices.IndexFunc(list, func(m timeline.Entry) bool { return m.Thread != thread })
		if n < 0 {
			n = len(list)
		}
		main[thread].marks, list = list[:n], list[n:]
	}
	first := ""
	for list := e.samples; len(list) > 0; {
		kind, thread := list[0].Kind.Name, e.threadOf(list[0])
		n := slices.IndexFunc(list, func(s profile.Sample) bool { return s.Kind.Name != kind || e.threadOf(s) != thread })
		if n < 0 {
			n = len(list)
		}
		own := list[:n]
		list = list[n:]
		if kind == "alloc" {
			main[thread].allocs = own
			continue
		}
		if first = cmp.Or(first, kind); kind == first {
			main[thread].samples = own
			continue
		}
		more = append(more, track{thread: thread, name: main[thread].name + " (" + own[0].Kind.Title + ")", samples: own})
	}
	used := slices.DeleteFunc(main[1:], func(k track) bool { return len(k.samples)+len(k.allocs)+len(k.marks) == 0 })
	slices.SortStableFunc(used, func(a, b track) int {
		return cmp.Or(cmp.Compare(len(b.samples), len(a.samples)), cmp.Compare(len(b.marks)+len(b.allocs), len(a.marks)+len(a.allocs)))
	})
	e.tracks = slices.Concat(main[:1], used, more)
}

func (e *encoder) threadOf(s profile.Sample) int32 { return e.t.Labeled(e.t.Profile.Labels(s.Labels)) }

// threadName returns the name of a thread of the page.
func (e *encoder) threadName(thread int32) string {
	t := &e.t.Threads[thread]
	switch {
	case thread == 0:
		return "Events of no thread"
	case t.Name == "":
		return t.Title() + " #" + strconv.FormatInt(t.ID, 10)
	}
	return t.Name
}

// thread writes a thread.
func (e *encoder) thread(i int) error {
	k := &e.tracks[i]
	e.raw(`{"processType":"default","processName":`)
	e.string(e.title())
	e.raw(`,"processStartupTime":0,"processShutdownTime":null,"registerTime":0,"unregisterTime":null,"pausedRanges":[],"showMarkersInTimeline":true,"isMainThread":`)
	e.value(i == 0)
	e.raw(`,"name":`)
	e.string(k.name)
	e.raw(`,"pid":`)
	e.string(e.pid())
	e.raw(`,"tid":`)
	tid := strconv.FormatInt(cmp.Or(e.t.Threads[k.thread].OS, e.t.Threads[k.thread].ID), 10)
	e.string(tid + "-" + strconv.Itoa(i)) // numbers of threads can be used again
	e.raw(`,"samples":`)
	e.sampleTable(k.samples, false)
	if len(k.allocs) > 0 {
		e.raw(`,"nativeAllocations":`)
		e.sampleTable(k.allocs, true)
	}
	e.raw(`,"markers":`)
	err := e.markers(k.marks)
	e.raw("}")
	return err
}

// sampleTable writes samples. Those that were taken after each length of time weigh their number, others
// what their kind has: bytes, milliseconds or a number.
func (e *encoder) sampleTable(list []profile.Sample, allocs bool) {
	e.raw("{")
	n := len(list)
	e.column("time", n, func(dst []byte, i int) []byte { return appendMillis(dst, e.relative(list[i].Time)) })
	e.column("stack", n, func(dst []byte, i int) []byte { return appendStack(dst, list[i].Stack) })
	value, unit := 0, profile.Count
	if n > 0 && !list[0].Kind.Sampled {
		value = e.t.Profile.Main(list[0].Kind)
		unit = list[0].Kind.Values[value].Unit
	}
	if n == 0 && !allocs {
		e.raw(`"weight":null,`)
	} else {
		e.column("weight", n, func(dst []byte, i int) []byte {
			if unit == profile.Nanoseconds {
				return appendMillis(dst, list[i].Values[value])
			}
			return strconv.AppendInt(dst, list[i].Values[value], 10)
		})
	}
	if n > 0 && list[0].Kind.Name == "cpu" {
		e.column("threadCPUDelta", n, func(dst []byte, i int) []byte { return strconv.AppendInt(dst, list[i].Values[list[i].Kind.Main()], 10) })
	}
	e.raw(`"weightType":"`)
	e.raw(map[profile.Unit]string{profile.Count: "samples", profile.Bytes: "bytes", profile.Nanoseconds: "tracing-ms"}[unit])
	e.raw(`",`)
	e.length(n)
}

// relative returns a time since the recordings began.
func (e *encoder) relative(at int64) int64 { return at - e.start }

// appendStack appends the number of a stack.
func appendStack(dst []byte, s profile.StackID) []byte {
	if s == 0 {
		return append(dst, "null"...)
	}
	return strconv.AppendUint(dst, uint64(s)-1, 10)
}

// markers writes the events of a thread.
func (e *encoder) markers(list []timeline.Entry) (err error) {
	n := len(list)
	e.raw("{")
	e.column("data", n, func(dst []byte, i int) []byte {
		dst, failed := e.appendData(dst, &list[i])
		err = cmp.Or(err, failed)
		return dst
	})
	e.column("name", n, func(dst []byte, i int) []byte { return appendInt(dst, e.text(e.schemas.known[list[i].Type].title)) })
	e.column("startTime", n, func(dst []byte, i int) []byte { return appendMillis(dst, e.relative(list[i].Start)) })
	e.column("endTime", n, func(dst []byte, i int) []byte {
		if !list[i].Type.Lasts {
			return append(dst, "null"...)
		}
		return appendMillis(dst, e.relative(list[i].End))
	})
	e.column("phase", n, func(dst []byte, i int) []byte {
		if list[i].Type.Lasts {
			return append(dst, '1')
		}
		return append(dst, '0')
	})
	e.column("category", n, func(dst []byte, i int) []byte {
		return appendInt(dst, e.schemas.known[list[i].Type].category)
	})
	e.length(n)
	return err
}

// appendData appends what a marker has besides its name and its time.
func (e *encoder) appendData(dst []byte, m *timeline.Entry) ([]byte, error) {
	ev, err := e.t.Event(m)
	if err != nil {
		return append(dst, "null"...), err
	}
	known := e.schemas.known[m.Type]
	dst = append(append(dst, `{"type":`...), known.name...)
	m.Type.Values(ev, func(field int, d timeline.Datum) {
		f := &m.Type.Fields[field]
		if !isEndless(f, d) {
			dst = append(append(dst, ','), known.keys[field]...)
			dst = e.appendValue(dst, f, d)
		}
	})
	if m.Stack != 0 {
		dst = append(appendStack(append(dst, `,"cause":{"stack":`...), m.Stack), '}')
	}
	return append(dst, '}'), nil
}
