package weigh

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// begun is how long after a recording its first chunk begins at most.
const begun = int64(2 * time.Second)

// sampling is a time in which samples were taken.
type sampling struct {
	// from is when samples of it can come first, in nanoseconds since 1970: they do before the setting is written, which is at since.
	from, since int64
	// isSure is set if no sample was taken just before; otherwise another recording may have taken some.
	isSure bool
	isCut  bool // the file is a slice that begins later
}

// jvmFacts are what chunks of a JVM say of samples.
type jvmFacts struct {
	chunks []mmapjfr.Chunk
	first  mmapjfr.Chunk // the one that begins first
	end    time.Time     // of the last one
	samplingFacts
}

// jvmID is how a JVM names itself.
type jvmID struct {
	pid   int64
	start time.Time
}

func jvmOf(ev mmapjfr.Event) jvmID { return jvmID{ev.Int(pathPID), ev.Time(pathJVMStart)} }

func (f *jvmFacts) add(c mmapjfr.Chunk, own samplingFacts) {
	if len(f.chunks) == 0 || c.Start().Before(f.first.Start()) {
		f.first = c
	}
	if end := c.End(); end.After(f.end) {
		f.end = end
	}
	f.chunks = append(f.chunks, c)
	f.merge(own)
}

// has reports whether a chunk, of which is known what it says, can be one of the JVM.
func (f *jvmFacts) has(c mmapjfr.Chunk, own samplingFacts) bool {
	if f.jvm != (jvmID{}) && own.jvm != (jvmID{}) {
		return f.jvm == own.jvm
	}
	return engine.ChunkSameJVM(c, f.chunks[len(f.chunks)-1])
}

// mostUnnamed is how many JVMs a chunk is compared with that do not name themselves.
const mostUnnamed = 64

// jvmsOf groups the chunks of a recording by their JVMs: files can be joined in any order.
func jvmsOf(chunks []mmapjfr.Chunk, facts []samplingFacts) (jvms []*jvmFacts) {
	named := make(map[jvmID]*jvmFacts)
	for i, c := range chunks {
		own := facts[i]
		of := named[own.jvm]
		for n := len(jvms) - 1; of == nil && n >= max(0, len(jvms)-mostUnnamed); n-- {
			if jvms[n].has(c, own) {
				of = jvms[n]
			}
		}
		if of == nil {
			of = new(jvmFacts)
			jvms = append(jvms, of)
		}
		if of.add(c, own); of.jvm != (jvmID{}) {
			named[of.jvm] = of
		}
	}
	return jvms
}

// switchAt is a setting that says whether samples are taken.
type switchAt struct {
	at int64
	on bool
}

// samplingFacts are what settings and recordings of a chunk, or some, say of samples.
type samplingFacts struct {
	switches   []switchAt
	recordings []int64 // when they began
	hasStarts  bool    // starts of threads are recorded
	jvm        jvmID   // zero if nothing names it
}

// mostSwitches is how many settings and recordings of a chunk are kept. JVMs have a few.
const mostSwitches = 1024

// add adds an event of a setting, a recording or a JVM.
func (f *samplingFacts) add(ev mmapjfr.Event) {
	switch ev.Type().Name() {
	case jvmEvent:
		f.jvm = jvmOf(ev)
		return
	case recordingEvent:
		if at := ev.Time(pathRecordingStart); !at.IsZero() && len(f.recordings) < mostSwitches {
			f.recordings = append(f.recordings, at.UnixNano())
		}
		return
	}
	if ev.Str(PathName) != "enabled" {
		return
	}
	t, err := engine.ChunkEventType(ev.Chunk(), ev.Int(pathID))
	switch {
	case err != nil:
	case t.Name() == sampleEvent && len(f.switches) < mostSwitches:
		f.switches = append(f.switches, switchAt{ev.StartNanos(), ev.Str(pathValue) == "true"})
	case t.Name() == startEvent:
		f.hasStarts = f.hasStarts || ev.Str(pathValue) == "true"
	}
}

func (f *samplingFacts) merge(o samplingFacts) {
	f.switches, f.recordings = append(f.switches, o.switches...), append(f.recordings, o.recordings...)
	f.hasStarts = f.hasStarts || o.hasStarts
	if o.jvm != (jvmID{}) {
		f.jvm = o.jvm
	}
}

// samplings returns when the JVM began to take samples, as far as threads may have allocated before.
func (f *jvmFacts) samplings() (list []sampling) {
	start := f.first.Start().UnixNano()
	slices.SortFunc(f.switches, func(a, b switchAt) int {
		if c := cmp.Compare(a.at, b.at); c != 0 || a.on == b.on {
			return c
		}
		return map[bool]int{false: -1, true: 1}[a.on]
	})
	isCut := len(f.switches) > 0 && f.switches[0].at < start // slices keep settings
	if isCut {
		start = f.switches[0].at
	}
	isOn := len(f.switches) == 0 || f.switches[0].on
	if isOn {
		first := sampling{math.MinInt64, math.MinInt64, true, isCut}
		isOlder := func(at int64) bool { return at < start-begun }
		if slices.ContainsFunc(f.recordings, isOlder) {
			first.isSure = false
		}
		begins := slices.ContainsFunc(f.recordings, func(at int64) bool { return !isOlder(at) && at < start+begun })
		if first.isSure || begins {
			list = append(list, first)
		}
	}
	off := int64(math.MinInt64)
	for _, s := range f.switches {
		if s.on && !isOn && len(list) < mostSamplings {
			list = append(list, sampling{off, s.at, true, false})
		}
		if isOn = s.on; !isOn {
			off = s.at
		}
	}
	return list
}

// mostSamplings is how many times in which a JVM took samples are kept apart.
const mostSamplings = 64
