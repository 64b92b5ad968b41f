package mmapjfr_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// FuzzLiveReader reads arbitrary bytes as a stream, and as a file. Nothing may panic or have no
// end; where neither finds a fault they have the same events.
func FuzzLiveReader(f *testing.F) {
	for _, build := range []func() *jfrtest.Builder{tiny, littleFlushes} {
		f.Add(build().Bytes())
		f.Add(build().Uncompressed().Bytes())
		f.Add(open(build().Bytes()))
		f.Add(append(open(build().Bytes()), build().Uncompressed().Bytes()...))
	}
	f.Add([]byte("FLR\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		piped, faults := placesPiped(t, bytes.NewReader(data), len(data))
		kept, keptFaults := placesPiped(t, iotest.OneByteReader(bytes.NewReader(data)), len(data), engine.KeepEvents())
		require.Equal(t, piped, kept)
		require.Equal(t, faults, keptFaults)
		rec, err := mmapjfr.OpenBytes(data)
		if err != nil {
			return
		}
		var mapped []place
		for ev, err := range rec.Events() {
			if err != nil {
				return
			}
			mapped = append(mapped, place{ev.Offset(), ev.Type().ID()})
		}
		if faults == 0 {
			require.Equal(t, mapped, piped)
		}
	})
}

// place is where an event lies, and of what type it is.
type place struct {
	offset uint64
	typ    int64
}

// placesPiped returns the events that come out of r, which has that many bytes, and how many
// errors there are.
func placesPiped(t *testing.T, r io.Reader, size int, opts ...mmapjfr.Option) (places []place, faults int) {
	lr := readLive(t, r, opts...)
	for turns := 0; ; turns++ {
		require.LessOrEqual(t, turns, size+2, "it has no end")
		live, span, err := engine.ChunkStreamNext(lr)
		if live != nil {
			faults += len(eventsIn(live, span, func(ev mmapjfr.Event) {
				places = append(places, place{ev.Offset(), ev.Type().ID()})
				_ = ev.Value().Text()
			}))
			if engine.GrowingChunkChunk(live).ConstantsErr() != nil {
				faults++
			}
			_, _ = engine.GrowingChunkNewestTypes(live)
		}
		if errors.Is(err, io.EOF) {
			return places, faults
		}
		if err != nil {
			var at *mmapjfr.FormatError
			require.ErrorAs(t, err, &at)
			faults++
		}
	}
}
