//go:build linux || darwin

package stream_test

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// eachMachine runs a test with a virtual machine of each JDK that this project knows.
func eachMachine(t *testing.T, o jvmtest.Options, test func(t *testing.T, j *jvmtest.JVM)) {
	for _, major := range []int{17, 25} {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			o := o
			o.Major = major
			test(t, jvmtest.Start(t, o))
		})
	}
}

// silent is one that records nothing.
var silent = jvmtest.Options{NoRecording: true}

// tick is an event that the program of the virtual machine commits by itself.
const tick = "mmapjfr.Tick"

// heard is what the stream of a recording has delivered.
type heard struct {
	t *testing.T
	j *jvmtest.JVM
	*stream.RecordingStream

	mu       sync.Mutex
	counts   map[string]int    // events by type
	burst    int               // those of "burst"
	ticks    [][]int64         // the numbers of the others, by worker
	settings map[string]string // as jdk.ActiveSetting tells them: "jdk.CPULoad#period"
	errs     []error
	closed   int
	flushed  chan struct{} // has something after a flush
}

// hear attaches to a virtual machine, and notes what is delivered. At the end of the test
// the stream must have left nothing.
func hear(t *testing.T, j *jvmtest.JVM) *heard {
	t.Helper()
	r, err := stream.Attach(j.PID)
	require.NoError(t, err)
	h := &heard{t: t, j: j, RecordingStream: r, counts: map[string]int{}, settings: map[string]string{}, flushed: make(chan struct{}, 1)}
	names := map[int64]string{}
	h.OnMetadata(func(m stream.Metadata) error {
		for _, typ := range m.Types {
			names[typ.ID()] = strings.Clone(typ.Name())
		}
		return nil
	})
	id, name, value := mmapjfr.Path("id"), mmapjfr.Path("name"), mmapjfr.Path("value")
	number, worker := mmapjfr.Path("number"), mmapjfr.Path("worker")
	h.OnEvent(func(ev mmapjfr.Event) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		typ := ev.Type().Name()
		h.counts[strings.Clone(typ)]++
		switch typ {
		case "jdk.ActiveSetting":
			h.settings[names[ev.Int(id)]+"#"+strings.Clone(ev.Str(name))] = strings.Clone(ev.Str(value))
		case tick:
			w := int(ev.Int(worker))
			if w < 0 {
				h.burst++
				break
			}
			for len(h.ticks) <= w {
				h.ticks = append(h.ticks, nil)
			}
			h.ticks[w] = append(h.ticks[w], ev.Int(number))
		}
		return nil
	})
	h.OnFlush(func() error {
		select {
		case h.flushed <- struct{}{}:
		default:
		}
		return nil
	})
	h.OnError(func(err error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.errs = append(h.errs, err)
	})
	h.OnClose(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.closed++
	})
	t.Cleanup(func() {
		assert.NoError(t, h.Close())
		if h.AwaitTermination(time.Minute) != stream.ErrNotStarted {
			assert.Equal(t, 1, h.closed)
		}
	})
	return h
}

// start starts the stream, and waits until something has been flushed.
func (h *heard) start() {
	h.t.Helper()
	require.NoError(h.t, h.StartAsync(h.t.Context()))
	require.Eventually(h.t, func() bool {
		others, ours := recordingsOf(h.t, h.j)
		return len(others)+len(ours) > 0
	}, time.Minute, 20*time.Millisecond)
	h.until("the first flush", func() bool { return true })
}

// until waits until something is so after a flush, and makes the virtual machine flush.
func (h *heard) until(what string, so func() bool) {
	h.t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case <-h.flushed:
		case <-time.After(50 * time.Millisecond):
			h.j.Send("flush")
			continue
		case <-late:
			h.t.Fatal("this has not come: " + what)
		}
		h.mu.Lock()
		done := so()
		h.mu.Unlock()
		if done {
			return
		}
	}
}

// count waits until there are that many of a type.
func (h *heard) count(name string, n int) {
	h.t.Helper()
	h.until(name, func() bool { return h.counts[name] >= n })
}

// stop stops the stream, which must have met no errors.
func (h *heard) stop() {
	h.t.Helper()
	require.NoError(h.t, h.Stop(h.t.Context()))
	require.NoError(h.t, h.AwaitTermination(time.Minute))
	assert.Empty(h.t, h.errs)
}

// without checks that numbers follow each other, each of them once.
func without(t *testing.T, gaps [][]int64) {
	t.Helper()
	for _, numbers := range gaps {
		require.NotEmpty(t, numbers)
		for i, n := range slices.Sorted(slices.Values(numbers)) {
			require.Equal(t, slices.Min(numbers)+int64(i), n, "one was lost, or came twice")
		}
	}
}

// recordingsOf returns what a virtual machine records, by name, without what streams of this
// process have it record.
func recordingsOf(t *testing.T, j *jvmtest.JVM) (others, ours []attach.Recording) {
	t.Helper()
	vm, err := attach.Open(t.Context(), j.PID)
	require.NoError(t, err)
	list, err := vm.Recordings(t.Context())
	require.NoError(t, err)
	for _, r := range list {
		if strings.HasPrefix(r.Name, "mmapjfr stream ") {
			ours = append(ours, r)
		} else {
			others = append(others, r)
		}
	}
	return others, ours
}

// leftNothing checks that a virtual machine records nothing for us.
func leftNothing(t *testing.T, j *jvmtest.JVM) {
	t.Helper()
	_, ours := recordingsOf(t, j)
	assert.Empty(t, ours)
}

// command has a virtual machine do what jcmd would, and returns what it says.
func command(t *testing.T, j *jvmtest.JVM, line string) string {
	t.Helper()
	vm, err := attach.Open(t.Context(), j.PID)
	require.NoError(t, err)
	text, err := vm.Command(t.Context(), line)
	require.NoError(t, err)
	return text
}
