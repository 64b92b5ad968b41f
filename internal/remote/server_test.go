package remote_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/internal/s3test"
)

// server serves bytes under every path, and counts what it is asked for.
type server struct {
	*httptest.Server
	data []byte
	etag string

	mu       sync.Mutex
	noRanges bool
	requests []string // the ranges
	bytes    int64
	// fault, if not nil, answers some requests itself. n counts them from 1.
	fault func(n int, w http.ResponseWriter, r *http.Request) bool
}

func serve(t testing.TB, data []byte) *server {
	s := &server{data: data, etag: `"one"`}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Server.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	asked := r.Header.Get("Range")
	s.requests = append(s.requests, asked)
	n, fault, noRanges, etag, data := len(s.requests), s.fault, s.noRanges, s.etag, s.data
	s.mu.Unlock()
	if r.Method != http.MethodGet {
		w.WriteHeader(http.StatusForbidden) // as for a presigned URL
		return
	}
	if fault != nil && fault(n, w, r) {
		return
	}
	if etag != "" {
		w.Header().Set("ETag", etag)
	}
	out := &s3test.Counted{ResponseWriter: w, Sent: func(n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bytes += int64(n)
	}}
	if noRanges {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = out.Write(data)
		return
	}
	http.ServeContent(out, r, "", time.Time{}, bytes.NewReader(data))
}

// seen returns how many requests there were since it was called last, and how many bytes went out.
func (s *server) seen() (requests int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, bytes = len(s.requests), s.bytes
	s.requests, s.bytes = nil, 0
	return requests, bytes
}

func (s *server) setFault(fault func(n int, w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.fault = nil, fault
}

// rangeOf returns the range that a request asks for.
func rangeOf(r *http.Request) (from, to int) {
	_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to)
	return from, to + 1
}

// partial answers with a range as it says, and with these bytes.
func partial(w http.ResponseWriter, etag, contentRange string, data []byte) {
	w.Header().Set("ETag", etag)
	w.Header().Set("Content-Range", contentRange)
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write(data)
}

func file(t testing.TB, name string) []byte {
	data, err := os.ReadFile("../../testdata/" + name)
	require.NoError(t, err)
	return data
}

// chunks makes a recording of chunks of some 400 KB, which are not fetched ahead with headers. Each
// begins a minute after the one before, and lasts a minute.
func chunks(n int) []byte { return chunksOf(n, 200) }

// chunksOf makes a recording of chunks of a number of events of 2 KB each.
func chunksOf(n, events int) []byte {
	var list []*jfrtest.Builder
	for i := range n {
		b := jfrtest.NewChunk()
		b.Header.StartNanos += int64(time.Duration(i) * time.Minute)
		b.Header.DurationNanos = int64(time.Minute)
		typ := b.Event("test.N", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
		text := strings.Repeat("x", 2000)
		for j := range events {
			b.Emit(typ, b.Header.StartTicks+int64(j), j, text)
		}
		list = append(list, b)
	}
	data, _ := jfrtest.Concat(list...)
	return data
}

// client returns a client that waits only shortly.
func client(t testing.TB, o remote.Options) *remote.Client {
	if o.TempDir == "" {
		o.TempDir = t.TempDir()
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if o.Transport == nil {
		o.Transport = transport
	}
	t.Cleanup(transport.CloseIdleConnections)
	c := remote.New(o)
	remote.SetRetrying(c, 4, time.Millisecond, time.Second)
	return c
}
