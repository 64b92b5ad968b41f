package stream_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

var loadFor = flag.Duration("load", 6*time.Second, "how long JVMs are under load that streams are compared on")

// every is how many events there are for one whose fields are compared.
const every = 11

// compared is what a stream delivered.
type compared struct {
	t       *testing.T
	counts  map[string]uint64
	sample  map[string]int
	printer *print.Printer
	flushes int
	errs    []error
}

// collect makes a stream deliver to what it returns.
func collect(t *testing.T, s *stream.Stream) *compared {
	p, err := print.NewPrinter(print.Options{Format: print.JSON, StackDepth: 9999, Zone: time.UTC})
	require.NoError(t, err)
	d := &compared{t: t, counts: map[string]uint64{}, sample: map[string]int{}, printer: p}
	s.OnEvent(d.event)
	s.OnFlush(func() error { d.flushes++; return nil })
	s.OnError(func(err error) { d.errs = append(d.errs, err) })
	return d
}

func (d *compared) event(ev mmapjfr.Event) error {
	d.counts[ev.Type().Name()]++
	if jvmtest.Sampled(ev, every) {
		d.sample[string(oracle.Canonical(nil, d.printer.Append(nil, ev)))]++
	}
	return nil
}

// underLoad drives a JVM through rotations, for as long as tests are to take and six times
// at least.
func underLoad(j *jvmtest.JVM) {
	for n, end := 0, time.Now().Add(*loadFor); n < 6 || time.Now().Before(end); n++ {
		j.Send("burst 2000")
		j.Send("rotate")
		time.Sleep(time.Second)
	}
}

func loaded(major int) jvmtest.Options {
	return jvmtest.Options{Major: major, Threads: 3, Rate: 5000, Busy: true, MaxChunkSize: 1 << 20}
}

// TestEqualsTheJDKs compares what is delivered of a JVM under load, while it writes and is
// then killed, with what the JDK's own stream delivers beside it.
func TestEqualsTheJDKs(t *testing.T) {
	for _, major := range []int{17, 25} {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			jvmtest.Need(t, jdk.JudgeMajor)
			j := jvmtest.Start(t, loaded(major))
			s, err := stream.OpenRepository(j.Repository)
			require.NoError(t, err)
			require.NoError(t, s.SetStartTime(time.Unix(0, 0)))
			got := collect(t, s)
			require.NoError(t, s.StartAsync(context.Background()))
			theirs := jvmtest.StartConsumer(t, j.Repository, jvmtest.ConsumeOptions{Epoch: true, Every: every, Idle: time.Minute})
			underLoad(j)
			j.Send("flush")
			j.Kill()
			require.NoError(t, s.AwaitTermination(2*time.Minute))
			n := uint64(0)
			for _, count := range got.counts {
				n += count
			}
			want := theirs.StopAt(n)

			require.Len(t, got.errs, 1, "%v", got.errs)
			assert.ErrorIs(t, got.errs[0], stream.ErrKilled)
			assert.Greater(t, want.Events(), uint64(10_000))
			assert.Equal(t, want.Counts, got.counts)
			sameSample(t, withoutText(want.Sample), withoutText(got.sample))
			assert.Empty(t, want.Failures)
			t.Logf("%d events, %d of them compared, %d flushes", want.Events(), len(got.sample), got.flushes)
		})
	}
}

// TestEqualsTheRecording compares what is delivered of a JVM under load, until it exits, with
// the recording that it leaves.
func TestEqualsTheRecording(t *testing.T) {
	for _, major := range []int{17, 25} {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			o := loaded(major)
			o.Dump = filepath.Join(t.TempDir(), "all.jfr")
			j := jvmtest.Start(t, o)
			s, err := stream.OpenRepository(j.Repository)
			require.NoError(t, err)
			require.NoError(t, s.SetStartTime(time.Unix(0, 0)))
			got := collect(t, s)
			require.NoError(t, s.StartAsync(context.Background()))
			underLoad(j)
			j.Exit()
			require.NoError(t, s.AwaitTermination(time.Minute))
			require.Empty(t, got.errs)

			rec := opentest.File(t, o.Dump)
			want := &compared{t: t, counts: map[string]uint64{}, sample: map[string]int{}, printer: got.printer}
			for ev, err := range rec.Events() {
				require.NoError(t, err)
				require.NoError(t, want.event(ev))
			}
			assert.Greater(t, len(rec.Chunks()), 2)
			assert.Equal(t, want.counts, got.counts)
			sameSample(t, want.sample, got.sample)
			assert.Equal(t, j.Committed()["mmapjfr.Tick"], got.counts["mmapjfr.Tick"])
			t.Logf("%d chunks, %d of the events compared, %d flushes", len(rec.Chunks()), len(got.sample), got.flushes)
		})
	}
}

// sameSample compares events. Of very many, one now and then is flushed before its stack
// trace, which comes with the next flush: a handler that reads later has it.
func sameSample(t *testing.T, want, got map[string]int) {
	t.Helper()
	events := 0
	wantLate, gotLate := map[string]int{}, map[string]int{}
	for text, n := range want {
		events += n
		if more := n - got[text]; more > 0 {
			wantLate[withoutStack(t, text)] += more
		}
	}
	for text, n := range got {
		if more := n - want[text]; more > 0 {
			gotLate[withoutStack(t, text)] += more
		}
	}
	assert.Empty(t, oracle.DiffTexts(wantLate, gotLate, 3))
	assert.LessOrEqual(t, len(gotLate), 1+events/10_000, "without their stack traces")
}

// withoutStack leaves out the stack trace of an event.
func withoutStack(t *testing.T, text string) string {
	t.Helper()
	var event struct {
		Type   string                     `json:"type"`
		Values map[string]json.RawMessage `json:"values"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &event))
	delete(event.Values, "stackTrace")
	short, err := json.Marshal(event)
	require.NoError(t, err)
	return string(short)
}

var textField = regexp.MustCompile(`"text":("(\\.|[^"\\])*"|null)`)

// withoutText leaves out a field for which the JDK's stream has null now and then, where the
// recording has a string.
func withoutText(texts map[string]int) map[string]int {
	out := map[string]int{}
	for text, n := range texts {
		out[textField.ReplaceAllString(text, "")] += n
	}
	return out
}
