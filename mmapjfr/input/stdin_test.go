package input_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/input"
)

const stdin = "standard input"

func TestReadsStandardInput(t *testing.T) {
	raw := recording(t, "jdk25-kinds.jfr")
	for name, data := range map[string][]byte{
		stdin:                 raw,
		stdin + " ":           gzipped(t, raw),
		stdin + "/in/app.jfr": ways[4].pack(t, raw),
	} {
		for _, place := range places {
			t.Run(name+" to "+place.name, func(t *testing.T) {
				o, told := options(t)
				place.set(t, &o)
				o.Stdin = iotest.HalfReader(bytes.NewReader(data))
				var last, total int64
				o.Progress = func(_ string, d, n int64) { last, total = d, n }
				set := open(t, o, "-", "-")
				holds(t, set, member{string(bytes.TrimSpace([]byte(name))), raw})
				assert.Empty(t, set.Path(set.Recordings[0]))
				assert.Empty(t, *told)
				assert.Equal(t, int64(len(data)), last)
				assert.Equal(t, last, total)
			})
		}
	}
}

// Standard input that is a file need not be copied, where it can be opened again.
func TestReadsStandardInputThatIsAFile(t *testing.T) {
	raw := recording(t, "jdk25-kinds.jfr")
	for _, data := range [][]byte{raw, gzipped(t, raw)} {
		o, _ := options(t)
		path := write(t, t.TempDir(), "x", data)
		f, err := os.Open(path)
		require.NoError(t, err)
		o.Stdin = f
		set := open(t, o, "-")
		holds(t, set, member{stdin, raw})
		assert.Empty(t, set.Path(set.Recordings[0]))
		if _, err := os.Stat("/proc/self/fd"); err == nil {
			o.Stdin, err = os.Open(path)
			require.NoError(t, err)
			assert.Len(t, open(t, o, "-", path).Recordings, 1, "it is the same file")
		}
		require.NoError(t, f.Close())
	}
}

// Somebody else may have read the beginning.
func TestReadsTheRestOfStandardInput(t *testing.T) {
	raw := recording(t, "jdk25-kinds.jfr")
	o, _ := options(t)
	f, err := os.Open(write(t, t.TempDir(), "x", append([]byte("a line\n"), raw...)))
	require.NoError(t, err)
	defer f.Close()
	_, err = f.Seek(7, io.SeekStart)
	require.NoError(t, err)
	o.Stdin = f
	holds(t, open(t, o, "-"), member{stdin, raw})
}

func TestRefusesStandardInput(t *testing.T) {
	for want, r := range map[string]io.Reader{
		"the file is empty; if the program still runs, jcmd PID JFR.dump writes its recording":  bytes.NewReader(nil),
		"it is not a Flight Recorder file, but text; check that it is the .jfr file itself":     bytes.NewReader([]byte("text")),
		"it could not be read to its end: out of order":                                         iotest.ErrReader(errors.New("out of order")),
		"truncated: the file has 4 bytes, a chunk header 68; copy it again, its end is missing": bytes.NewReader([]byte("FLR\x00")),
	} {
		o, _ := options(t)
		o.Stdin = r
		_, err := input.Open(context.Background(), []string{"-"}, o)
		assert.EqualError(t, err, stdin+": "+want)
	}
}

func TestKeepsWhatCameOfStandardInput(t *testing.T) {
	raw := recording(t, "jdk25-kinds.jfr")
	o, told := options(t)
	o.Stdin = io.MultiReader(bytes.NewReader(raw[:100_000]), iotest.ErrReader(errors.New("out of order")))
	holds(t, open(t, o, "-"), member{stdin, raw[:100_000]})
	require.Len(t, *told, 1)
	assert.Equal(t, note{stdin, (*told)[0].err}, (*told)[0])
	assert.EqualError(t, (*told)[0].err, "it could not be read to its end: out of order")
}

// silent is a pipe that nobody writes to any more; it calls when somebody waits.
type silent struct {
	data io.Reader
	call func()
	done <-chan struct{}
}

func (s silent) Read(p []byte) (int, error) {
	if n, err := s.data.Read(p); err == nil {
		return n, nil
	}
	s.call()
	<-s.done
	return 0, io.EOF
}

func TestStopsWaitingForStandardInput(t *testing.T) {
	raw := recording(t, "jdk25-kinds.jfr")
	for name, data := range map[string][]byte{"at once": nil, "within": raw[:70_000], "within gzip": gzipped(t, raw)[:30_000]} {
		for _, place := range places {
			t.Run(name+" to "+place.name, func(t *testing.T) {
				o, told := options(t)
				place.set(t, &o)
				ctx, cancel := context.WithCancel(context.Background())
				ended := make(chan struct{})
				defer close(ended)
				o.Stdin = silent{bytes.NewReader(data), cancel, ended}
				_, err := input.Open(ctx, []string{"-"}, o)
				assert.ErrorIs(t, err, context.Canceled)
				assert.Empty(t, *told)
			})
		}
	}
}
