package main

import (
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// endless is a recording of one chunk again and again, each a minute after the one before. It lies nowhere.
type endless struct {
	chunk []byte
	n     int64
}

func newEndless(n int64) *endless {
	b := jfrtest.NewChunk()
	b.Header.DurationNanos = int64(time.Minute)
	b.Header.StartNanos = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC).UnixNano()
	typ := b.Event("test.N", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
	text := strings.Repeat("x", 60_000)
	for i := range 200 {
		b.Emit(typ, b.Header.StartTicks+int64(i), i, text)
	}
	data, _ := jfrtest.Concat(b)
	return &endless{data, n}
}

func (e *endless) size() int64 { return e.n * int64(len(e.chunk)) }

// ReadAt implements io.ReaderAt.
func (e *endless) ReadAt(p []byte, at int64) (n int, err error) {
	const start = 32 // of the header's start time
	for n < len(p) {
		number, offset := at/int64(len(e.chunk)), int(at%int64(len(e.chunk)))
		if number >= e.n {
			return n, io.EOF
		}
		k := copy(p[n:], e.chunk[offset:])
		var now [8]byte
		binary.BigEndian.PutUint64(now[:], binary.BigEndian.Uint64(e.chunk[start:])+uint64(number)*uint64(time.Minute))
		for i := max(offset, start); i < min(offset+k, start+8); i++ {
			p[n+i-offset] = now[i-start]
		}
		n, at = n+k, at+int64(k)
	}
	return n, nil
}

// TestURLsOfTwoGigabytes counts what verbs transfer of a recording of 2 GB: what they must, and no more.
func TestURLsOfTwoGigabytes(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("it does not fit the address space")
	}
	longtest.Long(t, "TestURLsTransferNoMoreThanNeeded asks the same of 2 MB")
	const (
		chunks = 168
		block  = 16 << 10 // what is fetched at least; a header can lie in two
		head   = 64 << 10 // what the first request asks for
	)
	e := newEndless(chunks)
	size, chunk := e.size(), int64(len(e.chunk))

	const (
		minute = " --from 2026-11-20T01:00:00Z --to 2026-11-20T01:00:50Z"
		most   = 2*chunks + 16 // requests
	)
	oneChunk := head + chunks*4*block + 2*chunk
	var sent, requests atomic.Int64
	require.Greater(t, size, int64(2e9))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("ETag", `"one"`)
		c := &counting{w, &sent}
		http.ServeContent(c, r, "", time.Time{}, io.NewSectionReader(e, 0, size))
	}))
	defer s.Close()
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		line     string
		bytes    int64 // at most
		requests int64
		out      string
	}{
		{"chunks --headers", head + chunks*2*block, chunks, "2026-11-20"},
		{"metadata", head + chunks*4*block, 2 * chunks, "test.N"},
		{"print --events test.N --fields n --csv" + minute, oneChunk, most, "199"},
		{"print --events test.Other*" + minute, oneChunk, most, ""},
		{"print --events test.N --from 2026-11-20T01:00:10Z --to 2026-11-20T01:00:50Z", oneChunk, most, ""},
		{"events" + minute, oneChunk, most, "test.N"},
		{"query --csv" + minute + " COUNT", oneChunk, most, "200"},
		{"summary", size + head, size/(4<<20) + 4*chunks, strconv.Itoa(200 * chunks)},
	} {
		sent.Store(0)
		requests.Store(0)
		args := append(strings.Fields(c.line), s.URL+"/app.jfr")
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "COUNT", "select count(*) from test.N")
		}
		code, out, errs := mjfrCommand(t, args...)
		assert.Equal(t, cli.ExitOK, code, errs)
		t.Logf("%s: %d requests, %d bytes of %d", c.line, requests.Load(), sent.Load(), size)
		assert.LessOrEqual(t, sent.Load(), c.bytes, c.line)
		assert.LessOrEqual(t, requests.Load(), c.requests, c.line)
		assert.Contains(t, out, c.out, c.line)
		if c.line == "summary" {
			assert.GreaterOrEqual(t, sent.Load(), size, "each byte can have an event")
		}
	}
}

type counting struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (c *counting) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}
