package perfetto

import (
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/proto"
)

// samples writes the samples of all kinds. Those of a kind are a sequence: Perfetto takes each for
// those of one profiler.
func (t *tracer) samples() {
	var s *sequence
	var kind *profile.Kind
	main := 0
	var tasks map[int32]uint64
	for _, sample := range t.t.Samples() {
		if kind == nil || kind.Name != sample.Kind.Name {
			kind = sample.Kind
			main = t.t.Profile.Main(kind)
			s = t.newSequence(sampleDefaults(kind, main))
			tasks = make(map[int32]uint64)
		}
		thread := t.t.Labeled(t.t.Profile.Labels(sample.Labels))
		task, ok := tasks[thread]
		if !ok {
			t.track(thread)
			task = uint64(len(tasks) + 1)
			tasks[thread] = task
			t.task(s, thread, task)
		}
		b := proto.Number(t.content[:0], stackTask, task)
		if sample.Stack != 0 {
			b = proto.Number(b, stackCallstack, s.stack(sample.Stack))
		}
		b = proto.Number(b, stackWeight, uint64(max(sample.Values[main], 0)))
		for i, n := range sample.Values {
			if i != main {
				b = proto.Number(b, stackFollowers, uint64(max(n, 0)))
			}
		}
		t.content = b
		s.write(sample.Time, packetStackSample, b)
	}
}

// task interns the thread of samples. A virtual one is an async context: no thread of the operating
// system is known.
func (t *tracer) task(s *sequence, thread int32, n uint64) {
	b := proto.Number(proto.Number(nil, iid, n), taskPID, uint64(t.pid()))
	switch info := &t.t.Threads[thread]; {
	case info.Virtual:
		async := proto.Text(proto.Text(proto.Number(nil, iid, n), asyncName, title(info)), asyncKind, "virtual thread")
		s.interned = proto.Message(s.interned, internedAsync, async)
		b = proto.Number(b, taskAsync, n)
	case thread != 0:
		b = proto.Number(b, taskTID, uint64(t.tracks[thread].tid))
	}
	s.interned = proto.Message(s.interned, internedTasks, b)
}

// sampleDefaults returns what all samples of a kind have in common: what they weigh.
func sampleDefaults(k *profile.Kind, main int) []byte {
	b := proto.Text(nil, sampleSource, "jfr."+k.Name)
	b = proto.Message(b, samplePrimary, descriptor(k, main))
	for i := range k.Values {
		if i != main {
			b = proto.Message(b, sampleFollowers, descriptor(k, i))
		}
	}
	return b
}

// descriptor describes a value of a kind.
func descriptor(k *profile.Kind, value int) []byte {
	units := map[profile.Unit]uint64{profile.Nanoseconds: sampleNanoseconds, profile.Bytes: sampleBytes, profile.Count: sampleCountsUnit}
	b := proto.Text(nil, descriptorName, k.Values[value].Name)
	b = proto.Number(b, descriptorUnit, units[k.Values[value].Unit])
	return proto.Text(b, descriptorText, k.Title)
}
