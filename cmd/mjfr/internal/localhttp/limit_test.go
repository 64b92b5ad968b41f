package localhttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
)

// TestTooManyAtOnce: two requests run, three wait, and the next one is refused.
func TestTooManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most, answered, ended atomic.Int32
		end := make(chan struct{})
		h := localhttp.Limit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			select {
			case <-end:
				answered.Add(1)
			case <-r.Context().Done():
			}
		}), 2, 3)
		var all sync.WaitGroup
		ask := func() context.CancelFunc {
			ctx, cancel := context.WithCancel(t.Context())
			all.Go(func() {
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody))
				ended.Add(1)
			})
			synctest.Wait()
			return cancel
		}
		refused := func() {
			t.Helper()
			w := try(h, http.MethodGet, "/", nil)
			assert.Equal(t, http.StatusServiceUnavailable, w.Code)
			assert.Equal(t, "1", w.Header().Get("Retry-After"))
		}
		cancels := make([]context.CancelFunc, 5)
		for i := range cancels {
			cancels[i] = ask()
		}
		assert.EqualValues(t, 2, running.Load())
		refused()
		for n, i := range []int{4, 0} { // one that waits, one that runs
			cancels[i]()
			synctest.Wait()
			assert.EqualValues(t, n+1, ended.Load())
			assert.EqualValues(t, 2, running.Load())
			defer ask()()
			refused()
		}
		close(end)
		all.Wait()
		assert.EqualValues(t, 5, answered.Load())
		assert.EqualValues(t, 2, most.Load())
		for _, cancel := range cancels {
			cancel()
		}
		for range 100 {
			require.Equal(t, http.StatusOK, try(h, http.MethodGet, "/", nil).Code)
		}
	})
}

// TestSlowReaders do not keep others waiting: the answers to theirs are made.
func TestSlowReaders(t *testing.T) {
	read := make(chan struct{})
	slow := make(chan struct{})
	h := localhttp.Limit(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			localhttp.GiveBack(r)
			slow <- struct{}{}
			<-read
		}
	}), 1, 2)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { try(h, http.MethodGet, "/slow", nil) })
		<-slow
	}
	assert.Equal(t, http.StatusOK, try(h, http.MethodGet, "/", nil).Code)
	close(read)
	all.Wait()
}

// TestPanicsFreeTheirPlace: the server recovers them.
func TestPanicsFreeTheirPlace(t *testing.T) {
	h := localhttp.Limit(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic(http.ErrAbortHandler)
		}
	}), 1, 0)
	for range 3 {
		assert.Panics(t, func() { try(h, http.MethodGet, "/panic", nil) })
		assert.Equal(t, http.StatusOK, try(h, http.MethodGet, "/", nil).Code)
	}
}

// TestTenThousandRequests pass all checks, some at the same time.
func TestTenThousandRequests(t *testing.T) {
	session := localhttp.NewSession("s3cret-of-letters")
	var answered atomic.Int32
	h := listen(t, localhttp.Limit(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { answered.Add(1) }), 2, 6),
		localhttp.Options{Session: session}).Handler()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1250 {
				assert.Equal(t, http.StatusOK, try(h, http.MethodGet, "http://localhost/", map[string]string{"Authorization": "Bearer s3cret-of-letters"}).Code)
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, 10_000, answered.Load())
}
