package stream_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// The output of a reader is what is in the file, but for constants that a virtual
// machine has written after the flush that needs them.
func TestReadersAndFiles(t *testing.T) {
	for _, path := range recordings(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, ordered := range []bool{true, false} {
				open := openFile(t, path)
				require.NoError(t, open.SetOrdered(ordered))
				require.NoError(t, open.SetFollow(false))
				want := segments(t, open)
				for _, r := range []io.Reader{bytes.NewReader(data), iotest.HalfReader(bytes.NewReader(data))} {
					s := stream.OpenReader(r)
					require.NoError(t, s.SetOrdered(ordered))
					got := segments(t, s)
					require.Equal(t, places(want), places(got))
					all := linesIn(want)
					for i, l := range linesIn(got) {
						if l != all[i] {
							assert.Contains(t, l.text, `"jdk.ClassLoaderStatistics"`)
						}
					}
					for _, err := range errsIn(got) {
						assert.ErrorIs(t, err, mmapjfr.ErrUnfinished)
					}
				}
			}
		})
	}
}

// places returns where the events lie.
func places(segments []segment) (offsets []uint64) {
	for _, l := range linesIn(segments) {
		offsets = append(offsets, l.offset)
	}
	return offsets
}

// Events are delivered when they have been flushed, not when more comes.
func TestReaderDeliversAtOnce(t *testing.T) {
	b := chunk(0, []int{1}, []int{2}, []int{3})
	data, layout := b.Build()
	r, w := io.Pipe()
	s := stream.OpenReader(r)
	n := noting(s)
	flushed := make(chan int)
	s.OnFlush(func() error { flushed <- len(n.events); return nil })
	require.NoError(t, s.StartAsync(t.Context()))
	done := int64(0)
	for i, c := range layout.Checkpoints {
		_, err := w.Write(data[done:c.End()])
		require.NoError(t, err)
		done = c.End()
		assert.Equal(t, 2*(i+1), <-flushed)
	}
	require.NoError(t, w.Close())
	require.NoError(t, s.AwaitTermination(0))
	assert.Equal(t, []int{1, -1, 2, -1, 3, -1}, n.events)
	assert.Empty(t, n.errs)
}

// A failure is reported, once, after what came before it, and the stream ends.
func TestReadersThatFail(t *testing.T) {
	data := concat(chunk(0, []int{1}), chunk(1, []int{2}))
	_, layouts := jfrtest.Concat(chunk(0, []int{1}), chunk(1, []int{2}))
	for name, c := range map[string]struct {
		good int64
		want []int
	}{
		"at once":        {0, nil},
		"in a header":    {10, nil},
		"in a frame":     {layouts[0].Events[0].Offset + 1, nil},
		"between chunks": {layouts[0].Chunk.End(), []int{1, -1}},
		"in the second":  {layouts[1].Checkpoints[0].Offset + 3, []int{1, -1, 2, -1}},
		"after the last": {int64(len(data)), []int{1, -1, 2, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, cause := range []error{errTest, io.ErrClosedPipe, fmt.Errorf("odd: %w", io.ErrUnexpectedEOF)} {
				r := io.MultiReader(bytes.NewReader(data[:c.good]), iotest.ErrReader(cause))
				s := stream.OpenReader(r)
				n := noting(s)
				require.NoError(t, s.Start(t.Context()))
				assert.Equal(t, c.want, n.events)
				assert.Equal(t, 1, n.closed)
				require.NotEmpty(t, n.errs)
				assert.LessOrEqual(t, len(n.errs), 2)
				if cause == errTest {
					assert.Len(t, n.errs, 1)
					assert.ErrorIs(t, n.errs[0], errTest)
				}
			}
		})
	}
}

// A stream that is closed while its reader has nothing ends at once, and its goroutine when
// the reader returns.
func TestCloseWhileAReaderBlocks(t *testing.T) {
	r, w := io.Pipe()
	s := stream.OpenReader(r)
	n := noting(s)
	require.NoError(t, s.StartAsync(t.Context()))
	_, err := w.Write([]byte("FLR")) // it is reading now
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, s.AwaitTermination(0))
	assert.Equal(t, 1, n.closed)
	assert.Empty(t, n.errs)
	require.NoError(t, r.Close())
}

func TestReaderThatIsNoRecording(t *testing.T) {
	s := stream.OpenReader(bytes.NewReader(bytes.Repeat([]byte("no recording "), 1000)))
	n := noting(s)
	require.NoError(t, s.Start(t.Context()))
	require.Len(t, n.errs, 1)
	assert.ErrorIs(t, n.errs[0], mmapjfr.ErrNotRecording)
	s = stream.OpenReader(bytes.NewReader(nil))
	assert.Empty(t, delivered(t, s), "an empty one is none of an error")
}
