package index_test

import (
	"os"
	"runtime/debug"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// atPageEnd returns a copy of the bytes after which nothing may be read.
func atPageEnd(t testing.TB, data []byte) []byte {
	t.Helper()
	page := os.Getpagesize()
	room := (len(data) + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, room+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(memory)) })
	require.NoError(t, syscall.Mprotect(memory[room:], syscall.PROT_NONE))
	b := memory[room-len(data) : room : room]
	copy(b, data)
	return b
}

// Where eight bytes are read at once there are as many.
func TestNothingIsReadBehindARecording(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		b.MetadataFirst, b.ConstantsFirst = true, true
		k := newKinds(b, 2)
		k.some(200)
		near := b.Event("test.End", jfrtest.EventThread())
		for _, n := range []int{2, 0, 6}[:longtest.Cases(1, 3)] {
			b := *b
			for range n {
				b.Emit(near, 1, 2)
			}
			for range 12 - n {
				b.Emit(k.short)
			}
			b.Emit(near, -1, -2)
			whole := b.Bytes()
			// Whole, and cut off in its last events.
			for less := range 30 {
				x := newIndex(t, atPageEnd(t, whole[:len(whole)-less]))
				c := x.Chunks()[0]
				frames, end := naiveFrames(c)
				checkEvents(t, c, frames, end)
				all, _, _ := walk(c)
				require.Len(t, all, len(frames))
				for _, workers := range []int{1, 2} {
					require.Equal(t, naiveCensus(frames, end).Counts, censusOf(x.CountEvents(t.Context(), workers, nil))[0].Counts)
				}
			}
		}
	})
}
