package stream_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// fuzzed is a recording that program makes, wrong in some places if faulty, with edits.
func fuzzed(faulty bool, program, edits []byte) []byte {
	program, edits = program[:min(len(program), 1024)], edits[:min(len(edits), 128)]
	data := jfrtest.Generate(program)
	if faulty {
		data = jfrtest.GenerateFaulty(program)
	}
	return jfrtest.Edit(data, edits)
}

func addFuzzed(f *testing.F) {
	for i, program := range jfrtest.Programs(16, 2) {
		f.Add(i%2 == 1, program, []byte(nil))
		f.Add(i%2 == 1, program, program[:len(program)/8])
	}
}

// offsetsTold runs a stream to its end and returns where the events are that it delivers, and
// how often it reports an error.
func offsetsTold(t *testing.T, s *stream.Stream) (list []uint64, errs []error) {
	s.OnEvent(func(ev mmapjfr.Event) error {
		list = append(list, ev.Offset())
		_ = ev.Value().Text()
		return nil
	})
	s.OnError(func(err error) { errs = append(errs, err) })
	closed := 0
	s.OnClose(func() { closed++ })
	if err := s.Start(context.Background()); err != nil {
		errs = append(errs, err)
	}
	if closed != 1 {
		t.Fatalf("closed %d times", closed)
	}
	return list, errs
}

// FuzzReader streams recordings out of a pipe: it must end, and deliver all that is in one
// that is right.
func FuzzReader(f *testing.F) {
	addFuzzed(f)
	f.Fuzz(func(t *testing.T, faulty bool, program, edits []byte) {
		data := fuzzed(faulty, program, edits)
		got, errs := offsetsTold(t, stream.OpenReader(bytes.NewReader(data)))
		for _, err := range errs {
			if err.Error() == "" {
				t.Fatal("an error that says nothing")
			}
		}
		if faulty || len(edits) > 0 {
			if len(got) > len(data) {
				t.Fatalf("%d events in %d bytes", len(got), len(data))
			}
			return
		}
		want, err := jfrtest.Decode(data)
		require.NoError(t, err)
		n := 0
		for _, c := range want.Chunks {
			for i := range c.Events {
				if c.Classes[c.Events[i].TypeID] != nil {
					n++
				}
			}
		}
		if len(got) != n {
			t.Fatalf("%d events, want %d; %v", len(got), n, errs)
		}
	})
}

// FuzzRepository follows chunks that a virtual machine may have written before it ended, and
// one more that it did write: that must come, whatever is before it.
func FuzzRepository(f *testing.F) {
	addFuzzed(f)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	base, err := os.MkdirTemp("/dev/shm", "mmapjfr")
	if err != nil {
		base = f.TempDir()
	}
	f.Cleanup(func() { _ = os.RemoveAll(base) })
	j := &jvm{f, filepath.Join(base, "2026_01_01_00_00_00_99999999")}
	if err := os.Mkdir(j.dir, 0o700); err != nil {
		f.Fatal(err)
	}
	last := chunk(5, []int{1})
	last.Header.Flags |= jfrtest.FlagFinal
	final := last.Bytes()
	f.Fuzz(func(t *testing.T, faulty bool, program, edits []byte) {
		data := fuzzed(faulty, program, edits)
		if len(data) >= jfrtest.HeaderSize {
			data[jfrtest.HeaderSize-1] &^= jfrtest.FlagFinal // otherwise no chunk could follow it
		}
		for number, data := range [][]byte{data, final} {
			require.NoError(t, os.WriteFile(j.path(number), data, 0o600))
		}
		s, err := stream.OpenRepository(j.dir)
		require.NoError(t, err)
		require.NoError(t, s.SetStartTime(begin.Add(-1<<62)))
		got, errs := offsetsTold(t, s)
		for _, err := range errs {
			if errors.Is(err, stream.ErrChunkRemoved) {
				t.Fatal(err)
			}
		}
		if len(got) == 0 {
			t.Fatalf("no event, and %v", errs)
		}
	})
}
