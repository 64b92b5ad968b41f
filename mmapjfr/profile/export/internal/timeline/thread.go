package timeline

import (
	"cmp"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Thread is a thread of a timeline.
type Thread struct {
	// Name and ID are those that [profile.Labels] have.
	Name string
	ID   int64
	// OS is the number in the operating system; 0 if it is not known, as of virtual threads.
	OS      int64
	Virtual bool
	// Marks is how many marks the thread has.
	Marks int
}

type threadKey struct {
	name string
	id   int64
}

// Title returns the name of the thread for people.
func (t *Thread) Title() string {
	switch {
	case t.Name != "":
		return t.Name
	case t.Virtual:
		return "virtual thread"
	}
	return "thread"
}

// thread returns the number of a thread of the chunk that Walk reads.
func (t *Timeline) thread(v mmapjfr.Thread) int32 {
	if v.IsZero() {
		return 0
	}
	key := v.Key()
	if n, ok := t.seen[key]; ok && key != 0 {
		return n
	}
	id := v.JavaThreadID()
	if id <= 0 {
		id = v.OSThreadID()
	}
	n := t.named(v.Name(), id)
	thread := &t.Threads[n]
	if thread.Virtual = thread.Virtual || v.IsVirtual(); !thread.Virtual && thread.OS == 0 {
		thread.OS = v.OSThreadID()
	}
	t.seen[key] = n
	return n
}

// named returns the number of a thread.
func (t *Timeline) named(name string, id int64) int32 {
	if name == "" && id == 0 {
		return 0
	}
	key := threadKey{name, id}
	n, ok := t.threads[key]
	if !ok {
		n = int32(len(t.Threads))
		t.threads[key] = n
		t.Threads = append(t.Threads, Thread{Name: name, ID: id})
	}
	return n
}

// Labeled returns the number of the thread of samples.
func (t *Timeline) Labeled(l profile.Labels) int32 { return t.named(l.Thread, l.ThreadID) }

// Samples returns the samples of the profile, those of a kind together, of these those of a thread, and
// of these the earliest first. Those without a time have that at which the recordings began. A sample
// takes 48 bytes.
func (t *Timeline) Samples() []profile.Sample {
	p := t.Profile
	threads := make(map[profile.LabelsID]int32)
	for s := range p.Samples() {
		if _, ok := threads[s.Labels]; !ok {
			threads[s.Labels] = t.Labeled(p.Labels(s.Labels))
		}
	}
	order := make(map[string]int)
	for i, k := range p.Kinds() {
		order[k.Name] = i
	}
	start, _ := t.Span()
	list := slices.Collect(p.Samples())
	for i := range list {
		list[i].Time = min(max(cmp.Or(list[i].Time, start), 0), maxTime)
	}
	slices.SortStableFunc(list, func(a, b profile.Sample) int {
		return cmp.Or(order[a.Kind.Name]-order[b.Kind.Name], cmp.Compare(threads[a.Labels], threads[b.Labels]), cmp.Compare(a.Time, b.Time))
	})
	return list
}
