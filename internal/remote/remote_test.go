package remote_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/leaktest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// texts returns all events of a selection as text, and the first error.
func texts(sel *mmapjfr.Selection) (list []string, err error) {
	for ev, e := range sel.Events() {
		if e != nil {
			return list, e
		}
		list = append(list, fmt.Sprintf("%d %s %v %x", ev.Offset(), ev.Type().Name(), ev.Start(), crc32.ChecksumIEEE(engine.EventBytes(ev))))
	}
	return list, nil
}

func local(t testing.TB, data []byte) *mmapjfr.Recording {
	rec := opentest.Bytes(t, data)
	return rec
}

func opened(t testing.TB, c *remote.Client, name string) *mmapjfr.Recording {
	rec, err := c.Recording(t.Context(), name)
	require.NoError(t, err)
	t.Cleanup(func() { _ = rec.Close() })
	return rec
}

func TestReadsEveryRecordingAsItsFile(t *testing.T) {
	entries, err := os.ReadDir("../../testdata")
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".jfr") {
			continue
		}
		data := file(t, e.Name())
		s := serve(t, data)
		rec := opened(t, client(t, remote.Options{}), s.URL+"/"+e.Name())
		got, gotErr := texts(rec.Select())
		want, wantErr := texts(local(t, data).Select())
		assert.Equal(t, want, got, e.Name())
		assert.Equal(t, wantErr == nil, gotErr == nil, "%s: %v", e.Name(), gotErr)
		_, bytes := s.seen()
		assert.LessOrEqual(t, bytes, int64(len(data)+2*remote.BlockSize()), "%s: bytes are fetched once", e.Name())
	}
}

func TestFetchesOnlyWhatIsAskedFor(t *testing.T) {
	const n = 10
	data := chunks(n)
	s := serve(t, data)
	size := int64(len(data)) / n
	block := int64(remote.BlockSize())

	rec := opened(t, client(t, remote.Options{}), s.URL)
	requests, bytes := s.seen()
	assert.LessOrEqual(t, requests, n+1)
	assert.LessOrEqual(t, bytes, 64<<10+(n-1)*2*block, "headers")
	require.Len(t, rec.Chunks(), n)

	_, err := rec.Types()
	require.NoError(t, err)
	_, bytes = s.seen()
	assert.LessOrEqual(t, bytes, n*3*block, "metadata")

	got, err := texts(rec.Chunks()[3].Select())
	require.NoError(t, err)
	assert.Len(t, got, 200)
	_, bytes = s.seen()
	assert.InDelta(t, size, bytes, float64(3*block), "one chunk")

	begin := rec.Start()
	between := mmapjfr.Between(begin.Add(5*time.Minute+10*time.Second), begin.Add(6*time.Minute+10*time.Second))
	got, err = texts(rec.Select(between))
	require.NoError(t, err)
	want, err := texts(local(t, data).Select(between))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	_, bytes = s.seen()
	assert.InDelta(t, 2*size, bytes, float64(6*block), "two chunks")
	assert.Equal(t, 3, engine.RecordingChunksAfter(rec))

	_, err = texts(rec.Select())
	require.NoError(t, err)
	_, bytes = s.seen()
	assert.Less(t, bytes, int64(8)*size, "the others")
	_, err = texts(rec.Select())
	require.NoError(t, err)
	requests, _ = s.seen()
	assert.Zero(t, requests, "nothing twice")
}

// TestFetchesManyChunksInFewRequests has recordings of many chunks that are very small, small and
// large. What is read is the same with and without [mmapjfr.ReadWhole].
func TestFetchesManyChunksInFewRequests(t *testing.T) {
	for _, c := range []struct {
		name                          string
		chunks, events                int
		open, openWhole, types, reads int // requests at most
	}{
		{"very small", 600, 10, 12, 8, 0, 0},
		{"small", 40, 200, 50, 6, 8, 8},
		{"large", 3, 2200, 3, 3, 3, 6},
	} {
		data := chunksOf(c.chunks, c.events)
		want, err := texts(local(t, data).Select())
		require.NoError(t, err)
		for _, whole := range []bool{false, true} {
			s := serve(t, data)
			var opts []mmapjfr.Option
			mostToOpen, mostTypes, mostReads := c.open, c.types, c.reads
			if whole {
				opts, mostToOpen = append(opts, mmapjfr.ReadWhole()), c.openWhole
				if c.name != "large" {
					mostTypes, mostReads = 0, 0 // all is there
				}
			}
			rec, err := client(t, remote.Options{}).Recording(t.Context(), s.URL, opts...)
			require.NoError(t, err)
			defer rec.Close()
			opened, _ := s.seen()
			_, err = rec.Types()
			require.NoError(t, err)
			types, _ := s.seen()
			got, err := texts(rec.Select())
			require.NoError(t, err)
			assert.Equal(t, want, got)
			read, bytes := s.seen()
			t.Logf("%s, %v: %d, %d and %d requests", c.name, whole, opened, types, read)
			assert.LessOrEqual(t, opened, mostToOpen, "%s, %v: to open", c.name, whole)
			assert.LessOrEqual(t, types, mostTypes, "%s, %v: for types", c.name, whole)
			assert.LessOrEqual(t, read, mostReads, "%s, %v: to read", c.name, whole)
			assert.LessOrEqual(t, bytes, int64(len(data)+c.chunks*2*remote.BlockSize()), c.name)
		}
	}
}

// TestGuardsWhatIsMissing reads bytes that were not fetched: that is a fault, and never a zero.
func TestGuardsWhatIsMissing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the system guards nothing")
	}
	data := chunks(4)
	s := serve(t, data)
	rec := opened(t, client(t, remote.Options{}), s.URL)
	c := engine.ChunkIndex(rec.Chunks()[2])
	err := rec.Protect(func() error {
		var sum byte
		for _, b := range c.Memory()[64<<10:] {
			sum += b
		}
		return fmt.Errorf("read, and the sum is %d", sum)
	})
	require.ErrorIs(t, err, mmapjfr.ErrTruncated)

	rec = opened(t, client(t, remote.Options{}), s.URL)
	c = engine.ChunkIndex(rec.Chunks()[2])
	require.NoError(t, rec.Protect(func() error {
		assert.Equal(t, data[c.Offset():c.Offset()+c.Size()], c.Data())
		return nil
	}))
}

func TestRepeatsWhatFails(t *testing.T) {
	data := chunks(6)
	want, err := texts(local(t, data).Select())
	require.NoError(t, err)
	for name, fault := range map[string]func(n int, w http.ResponseWriter, r *http.Request) bool{
		"unavailable": func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n%2 == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return n%2 == 1
		},
		"throttled": func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n == 2 {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
			}
			return n == 2
		},
		"reset": func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n%3 == 1 {
				panic(http.ErrAbortHandler)
			}
			return false
		},
		"short": func(n int, w http.ResponseWriter, r *http.Request) bool {
			from, to := rangeOf(r)
			if to = min(to, len(data)); n%2 == 0 || to-from < 100 {
				return false
			}
			w.Header().Set("Content-Length", fmt.Sprint(to-from))
			partial(w, `"one"`, fmt.Sprintf("bytes %d-%d/%d", from, to-1, len(data)), data[from:from+(to-from)/2])
			return true
		},
		"less than asked for": func(n int, w http.ResponseWriter, r *http.Request) bool {
			from, to := rangeOf(r)
			if to = min(to, len(data)); n == 1 || to-from < 40_000 {
				return false
			}
			to = from + 30_000
			partial(w, `"one"`, fmt.Sprintf("bytes %d-%d/%d", from, to-1, len(data)), data[from:to])
			return true
		},
		"stalled": func(n int, w http.ResponseWriter, r *http.Request) bool {
			if n != 3 {
				return false
			}
			from, to := rangeOf(r)
			partial(w, `"one"`, fmt.Sprintf("bytes %d-%d/%d", from, min(to, len(data))-1, len(data)), data[from:from+10])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, data)
			s.setFault(fault)
			got, err := texts(opened(t, client(t, remote.Options{}), s.URL).Select())
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
}

func TestGivesUp(t *testing.T) {
	data := chunks(6)
	for _, c := range []struct {
		name, want string
		is         error
		fault      func(w http.ResponseWriter, r *http.Request)
	}{
		{"always unavailable", "503 Service Unavailable", mmapjfr.ErrUnfetched, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }},
		{"sends half of each range", "unexpected EOF (tried", mmapjfr.ErrUnfetched, func(w http.ResponseWriter, r *http.Request) {
			from, to := rangeOf(r)
			to = min(to, len(data))
			w.Header().Set("Content-Length", fmt.Sprint((to-from)/2))
			partial(w, `"one"`, fmt.Sprintf("bytes %d-%d/%d", from, to-1, len(data)), data[from:from+(to-from)/2])
		}},
		{"asks for too long", "asks to wait 1h0m0s", mmapjfr.ErrUnfetched, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(429)
		}},
		{"expired", "403 Forbidden (ExpiredToken)", os.ErrPermission, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
			fmt.Fprint(w, "<Error><Code>ExpiredToken</Code><Message>hush</Message></Error>")
		}},
		{"gone", "404 Not Found", os.ErrNotExist, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }},
		{"other bytes", "a different byte range", mmapjfr.ErrUnfetched, func(w http.ResponseWriter, r *http.Request) {
			partial(w, `"one"`, fmt.Sprintf("bytes 5-10/%d", len(data)), data[5:11])
		}},
		{"no word of which bytes", "a different byte range", mmapjfr.ErrUnfetched, func(w http.ResponseWriter, r *http.Request) {
			partial(w, `"one"`, "", data[5:11])
		}},
		{"changed", "changed while it was read", mmapjfr.ErrChanged, func(w http.ResponseWriter, r *http.Request) {
			from, to := rangeOf(r)
			to = min(to, len(data))
			partial(w, `"two"`, fmt.Sprintf("bytes %d-%d/%d", from, to-1, len(data)), data[from:to])
		}},
		{"replaced", "changed while it was read", mmapjfr.ErrChanged, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(data) }},
		{"longer", "changed while it was read", mmapjfr.ErrChanged, func(w http.ResponseWriter, r *http.Request) {
			from, to := rangeOf(r)
			partial(w, `"one"`, fmt.Sprintf("bytes %d-%d/%d", from, to-1, len(data)+10), data[from:to])
		}},
		{"failed condition", "changed while it was read", mmapjfr.ErrChanged, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(412) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, data)
			rec := opened(t, client(t, remote.Options{}), s.URL+"/app.jfr?X-Amz-Signature=hush")
			first, err := texts(rec.Chunks()[0].Select())
			require.NoError(t, err)
			s.setFault(func(_ int, w http.ResponseWriter, r *http.Request) bool { c.fault(w, r); return true })
			_, err = texts(rec.Select())
			require.ErrorIs(t, err, c.is)
			require.ErrorIs(t, err, mmapjfr.ErrUnfetched)
			require.ErrorIs(t, err, mmapjfr.ErrTruncated)
			assert.Contains(t, err.Error(), c.want)
			assert.Contains(t, err.Error(), "/app.jfr?...: cannot fetch it")
			assert.NotContains(t, err.Error(), "hush")
			assert.Equal(t, err, rec.FileErr())
			requests, _ := s.seen()
			assert.LessOrEqual(t, requests, 4*6)
			// A loop that goes on ends, and what is there can still be read.
			events, errs := 0, 0
			for _, err := range rec.Select().Events() {
				if err == nil {
					events++
				} else {
					errs++
				}
			}
			assert.LessOrEqual(t, errs, 2*6)
			assert.Equal(t, len(first), events)
			err = rec.Select().Parallel(t.Context(), func(int, mmapjfr.Event) error { return nil })
			require.ErrorIs(t, err, mmapjfr.ErrUnfetched)
			requests, _ = s.seen()
			assert.Zero(t, requests, "it does not ask again")
		})
	}
}

func TestFailsToOpen(t *testing.T) {
	data := chunks(1)
	for name, c := range map[string]struct {
		fault func(w http.ResponseWriter)
		want  string
	}{
		"nothing":  {func(w http.ResponseWriter) { w.WriteHeader(404) }, "404"},
		"empty":    {func(w http.ResponseWriter) { w.Header().Set("Content-Range", "bytes */0"); w.WriteHeader(416) }, "file is empty"},
		"not it":   {func(w http.ResponseWriter) { partial(w, "", "bytes 0-3/4", []byte("text")) }, "not a Flight Recorder file"},
		"no total": {func(w http.ResponseWriter) { partial(w, "", "bytes 0-3/*", []byte("text")) }, "a different byte range"},
		"short": {func(w http.ResponseWriter) {
			partial(w, "", fmt.Sprintf("bytes 0-%d/%d", 65535, len(data)), data[:10])
		}, "unexpected EOF"},
		"half": {func(w http.ResponseWriter) {
			partial(w, "", fmt.Sprintf("bytes 0-%d/%d", 65535, len(data)), data[:32768])
		}, "unexpected EOF (tried"},
		"endless": {func(w http.ResponseWriter) {
			partial(w, "", fmt.Sprintf("bytes 0-%d/%d", 65535, int64(1)<<62), data[:65536])
		}, "4611686018427387904 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, data)
			s.setFault(func(_ int, w http.ResponseWriter, _ *http.Request) bool { c.fault(w); return true })
			_, err := client(t, remote.Options{}).Recording(t.Context(), s.URL+"?sig=hush")
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "hush")
		})
	}
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	s.Config.ErrorLog = nil
	_, err := client(t, remote.Options{}).Recording(t.Context(), s.URL+"/a?sig=hush")
	require.ErrorContains(t, err, "cannot trust the server's certificate")
	assert.NotContains(t, err.Error(), "hush")
	plain := serve(t, data)
	_, err = client(t, remote.Options{}).Recording(t.Context(), strings.Replace(plain.URL, "http:", "https:", 1))
	require.ErrorContains(t, err, "does not speak TLS")
	for _, name := range []string{"https://", "s3://", "s3://bucket", "https://%zz?sig=hush"} {
		_, err = client(t, remote.Options{}).Recording(t.Context(), name)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "hush")
	}
}

func TestFollowsRedirects(t *testing.T) {
	data := chunks(3)
	s := serve(t, data)
	var referer sync.Map
	s.setFault(func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		referer.Store(r.Referer(), true)
		return false
	})
	to := s.URL + "/there?sig=hush"
	from := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }))
	defer from.Close()
	got, err := texts(opened(t, client(t, remote.Options{}), from.URL+"/here?sig=mine").Select())
	require.NoError(t, err)
	assert.Len(t, got, 600)
	_, told := referer.Load("")
	assert.True(t, told)
	referer.Range(func(key, _ any) bool { return assert.Empty(t, key) })

	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }))
	defer secure.Close()
	_, err = client(t, remote.Options{Transport: secure.Client().Transport}).Recording(t.Context(), secure.URL)
	require.ErrorContains(t, err, "from https to http")
	to = from.URL
	_, err = client(t, remote.Options{}).Recording(t.Context(), from.URL)
	require.ErrorContains(t, err, "redirects too often")
	for _, to = range []string{"file:///etc/passwd", "ftp://127.0.0.1/a.jfr"} {
		_, err = client(t, remote.Options{}).Recording(t.Context(), from.URL)
		require.ErrorContains(t, err, "the server redirects to something that is not", to)
	}
}

func TestStopsWithItsContext(t *testing.T) {
	s := serve(t, chunks(6))
	ctx, cancel := context.WithCancelCause(t.Context())
	rec, err := client(t, remote.Options{}).Recording(ctx, s.URL)
	require.NoError(t, err)
	defer rec.Close()
	reason := errors.New("enough")
	s.setFault(func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		cancel(reason)
		<-r.Context().Done()
		return true
	})
	_, err = texts(rec.Select())
	require.ErrorIs(t, err, reason)
}

func TestLeavesNothing(t *testing.T) {
	data := chunks(8)
	s := serve(t, data)
	dir := t.TempDir()
	transport := &http.Transport{}
	leaktest.Check(t, func() {
		c := client(t, remote.Options{TempDir: dir, Transport: transport})
		for _, read := range []bool{false, true} {
			rec, err := c.Recording(t.Context(), s.URL)
			require.NoError(t, err)
			if read {
				for range rec.Select().Events() {
					break // the next chunk is on its way
				}
			}
			require.NoError(t, rec.Close())
		}
		o, err := c.Open(t.Context(), s.URL)
		require.NoError(t, err)
		r := o.Reader()
		_, err = r.Read(make([]byte, 10))
		require.NoError(t, err)
		require.NoError(t, o.Close(), "while it is read")
		require.NoError(t, r.Close())
		transport.CloseIdleConnections()
	})
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestManyReadersShareWhatIsFetched(t *testing.T) {
	data := chunks(8)
	s := serve(t, data)
	rec := opened(t, client(t, remote.Options{}), s.URL)
	want, err := texts(local(t, data).Select())
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := texts(rec.Select())
			assert.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
	wg.Wait()
	_, bytes := s.seen()
	assert.LessOrEqual(t, bytes, int64(len(data)+8*2*remote.BlockSize()), "headers can come twice")
}

// TestReadsFromBeginningToEnd has servers that give no ranges of bytes, with and without a length,
// or that pack what they send, whatever is asked for; and one whose answer is cut.
func TestReadsFromBeginningToEnd(t *testing.T) {
	data := chunks(3)
	want, err := texts(local(t, data).Select())
	require.NoError(t, err)
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	_, err = z.Write(data)
	require.NoError(t, errors.Join(err, z.Close()))
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request){
		"no ranges": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(data)))
			_, _ = w.Write(data)
		},
		"no length": func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			_, _ = w.Write(data)
		},
		"packed by the server": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(gz.Bytes())
		},
		"kept packed": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("ETag", `"one"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(gz.Bytes()))
		},
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(data)))
			_, _ = w.Write(data[:len(data)/2])
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, data)
			s.setFault(func(_ int, w http.ResponseWriter, r *http.Request) bool { answer(w, r); return true })
			var damage []error
			set, err := input.Open(t.Context(), []string{s.URL + "/app.jfr"}, input.Options{
				Remote: client(t, remote.Options{}), TempDir: t.TempDir(), OnError: func(_ string, err error) { damage = append(damage, err) },
			})
			require.NoError(t, err)
			defer set.Close()
			got, err := texts(set.Recordings[0].Select())
			if name == "cut" {
				assert.Len(t, damage, 1)
				assert.Less(t, len(got), len(want))
				return
			}
			require.NoError(t, err)
			assert.Empty(t, damage)
			assert.Equal(t, want, got)
		})
	}
}

// TestNoticesAnotherEncoding has a server that packs what it sends of one request, and not of the
// next.
func TestNoticesAnotherEncoding(t *testing.T) {
	data := chunks(3)
	s := serve(t, data)
	rec := opened(t, client(t, remote.Options{}), s.URL)
	s.setFault(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Encoding", "gzip")
		return false
	})
	_, err := texts(rec.Select())
	require.ErrorIs(t, err, mmapjfr.ErrUnfetched)
}
