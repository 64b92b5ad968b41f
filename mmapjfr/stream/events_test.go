package stream_test

import (
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

func TestEvents(t *testing.T) {
	s := openFile(t, written(t, concat(chunk(0, []int{2, 1}, []int{3}), chunk(1, []int{4}))))
	n := noting(s)
	var got []int
	for ev, err := range s.Events(t.Context()) {
		require.NoError(t, err)
		got = append(got, int(ev.Int(fieldN)))
		assert.Equal(t, got[len(got)-1], n.events[len(n.events)-1], "handlers come first")
	}
	assert.Equal(t, []int{1, 2, 3, 4}, got)
	assert.Equal(t, []int{1, 2, -1, 3, -1, 4, -1}, n.events)
	assert.Equal(t, 1, n.closed)
	require.NoError(t, s.AwaitTermination(0))
}

func TestEventsOfTypes(t *testing.T) {
	b := chunk(0)
	for n, name := range []string{"a.A", "a.B", "b.C"} {
		b.Emit(b.Event(name, jfrtest.Of("n", "long")), ticks(b, n), n)
	}
	path := written(t, b.Bytes())
	for _, c := range []struct {
		names []string
		want  []int
	}{
		{nil, []int{0, 1, 2}},
		{[]string{"A", "b.*"}, []int{0, 2}},
		{[]string{"None"}, nil},
	} {
		var got []int
		for ev, err := range openFile(t, path).Events(t.Context(), c.names...) {
			require.NoError(t, err)
			got = append(got, int(ev.Int(fieldN)))
		}
		assert.Equal(t, c.want, got, "%v", c.names)
	}
}

func TestBreak(t *testing.T) {
	s := openFile(t, written(t, chunk(0, []int{1, 2}, []int{3}).Bytes()))
	n := noting(s)
	for range s.Events(t.Context()) {
		break
	}
	assert.Equal(t, []int{1}, n.events)
	assert.Equal(t, 1, n.closed)
	require.NoError(t, s.AwaitTermination(0))
	require.ErrorIs(t, s.Start(t.Context()), stream.ErrStarted)
}

func TestCloseInTheLoop(t *testing.T) {
	s := openFile(t, written(t, chunk(0, []int{1, 2}).Bytes()))
	times := 0
	for _, err := range s.Events(t.Context()) {
		require.NoError(t, err)
		times++
		require.NoError(t, s.Close())
	}
	assert.Equal(t, 1, times)
}

// withErrors returns the path of a file with event 1, an event that cannot be read, and
// event 2.
func withErrors(t *testing.T) string {
	b := chunk(0)
	tick := b.Lookup("test.Tick")
	b.Emit(tick, ticks(b, 1), 1)
	b.Checkpoint(jfrtest.MaskFlush)
	b.EmitRaw(jfrtest.EventOptions{}, tick.ID, nil)
	b.Checkpoint(jfrtest.MaskFlush)
	flush(b, tick, 0, 2)
	return written(t, b.Bytes())
}

func TestErrorsInTheLoop(t *testing.T) {
	for _, handled := range []bool{false, true} {
		out := logged(t)
		s := openFile(t, withErrors(t))
		told := 0
		if handled {
			s.OnError(func(error) { told++ })
		}
		s.OnEvent(func(ev mmapjfr.Event) error {
			if ev.Int(fieldN) == 2 {
				panic("oh")
			}
			return nil
		})
		flushes := 0
		s.OnFlush(func() error {
			if flushes++; flushes == 1 {
				return errTest
			}
			return nil
		})
		var got []int
		var errs []error
		for ev, err := range s.Events(t.Context()) {
			if err != nil {
				assert.True(t, ev.IsZero())
				errs = append(errs, err)
				got = append(got, -1)
				continue
			}
			got = append(got, int(ev.Int(fieldN)))
		}
		assert.Equal(t, []int{1, -1, -1, -1, 2}, got, "each in its place")
		require.Len(t, errs, 3)
		assert.Same(t, errTest, errs[0])
		assert.ErrorIs(t, errs[1], mmapjfr.ErrCorrupt)
		assert.Equal(t, "oh", panicIn(t, errs[2]).Value)
		if handled {
			assert.Equal(t, 3, told, "handlers get them, too")
		}
		assert.Empty(t, out.String(), "the loop has them")
	}
}

// What the body of the loop panics with is its own.
func TestPanicInTheLoop(t *testing.T) {
	for _, inError := range []bool{false, true} {
		s := openFile(t, withErrors(t))
		n := noting(s)
		assert.PanicsWithValue(t, "mine", func() {
			for _, err := range s.Events(t.Context()) {
				if (err != nil) == inError {
					panic("mine")
				}
			}
		})
		assert.Equal(t, 1, n.closed, "the stream has ended")
		require.NoError(t, s.AwaitTermination(0))
		for _, err := range n.errs {
			require.NotErrorIs(t, err, errTest)
			require.ErrorIs(t, err, mmapjfr.ErrCorrupt)
		}
	}
}

func TestEventsThatCannotStart(t *testing.T) {
	r := stream.OpenReader(failing{})
	var errs []error
	for _, err := range r.Events(t.Context()) {
		errs = append(errs, err)
	}
	require.NotEmpty(t, errs)
	assert.True(t, slices.ContainsFunc(errs, func(err error) bool { return err == errTest }), "%v", errs)
}

// failing is a reader that fails.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errTest }

var _ io.Reader = failing{}
