// Package s3test is a server of S3 for tests. It keeps objects in memory, counts what is asked of
// it, and can fail as servers and networks do: the same requests fail in each run of a test.
package s3test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
)

// Bucket is the name of the bucket.
const Bucket = "recordings"

// URL is that of the bucket; keys follow it.
const URL = "s3://" + Bucket + "/"

// Server is a server with one bucket.
type Server struct {
	*httptest.Server
	backend *s3mem.Backend
	handler http.Handler

	mu       sync.Mutex
	requests int
	bytes    int64
	hook     func(w http.ResponseWriter, r *http.Request) bool
	seed     uint64
	faulty   int // percent of requests that fail at first
	failed   map[string]int
	kinds    map[string]int
}

// Start starts a server with these objects, and sets the variables of the environment by which
// clients find it.
func Start(t testing.TB, objects map[string][]byte) *Server {
	s := &Server{backend: s3mem.New()}
	s.handler = gofakes3.New(s.backend).Server()
	require.NoError(t, s.backend.CreateBucket(Bucket))
	for key, data := range objects {
		s.Put(t, key, data)
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	if t, ok := t.(*testing.T); ok {
		for name, value := range Environment(s) {
			t.Setenv(name, value)
		}
	}
	return s
}

// Environment returns the variables that lead to the server, and away from all that the machine
// knows of clouds.
func Environment(s *Server) map[string]string {
	return map[string]string{
		"AWS_ENDPOINT_URL": s.URL, "AWS_ENDPOINT_URL_S3": "", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "hush", "AWS_SESSION_TOKEN": "",
		"AWS_PROFILE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_SHARED_CREDENTIALS_FILE": "/none", "AWS_EC2_METADATA_DISABLED": "true",
	}
}

// Put adds an object, or replaces it.
func (s *Server) Put(t testing.TB, key string, data []byte) {
	_, err := s.backend.PutObject(Bucket, key, nil, bytes.NewReader(data), int64(len(data)), nil)
	require.NoError(t, err)
}

// Hook sets a function that sees requests first, and reports whether it has answered. Nil is none.
func (s *Server) Hook(hook func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook = hook
}

// Fail makes a share of the requests, in percent, fail one to three times, by a seed. Requests that
// the server has seen count as new ones.
func (s *Server) Fail(seed uint64, percent int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed, s.faulty, s.failed, s.kinds = seed, percent, make(map[string]int), make(map[string]int)
}

// Failures returns how many requests have failed since Fail was called, by what happened.
func (s *Server) Failures() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kinds
}

// Seen returns how many requests there were since it was called last, and how many bytes went out.
func (s *Server) Seen() (requests int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, bytes = s.requests, s.bytes
	s.requests, s.bytes = 0, 0
	return requests, bytes
}

// faults are what happens to requests.
var faults = []string{"throttled", "error", "reset", "cut", "slow"}

// fault returns what happens to a request; "" is nothing. A range counts by its end, which stays
// when the rest of it is asked for again.
func (s *Server) fault(r *http.Request) string {
	asked := r.Header.Get("Range")
	key := fmt.Sprint(s.seed, r.URL.Path, r.URL.RawQuery, asked[strings.LastIndexByte(asked, '-')+1:])
	h := fnv(key)
	random := rand.New(rand.NewPCG(h, s.seed))
	if random.IntN(100) >= s.faulty || s.failed[key] > random.IntN(3) {
		return ""
	}
	kind := faults[(int(h>>8)+s.failed[key])%len(faults)]
	s.failed[key]++
	s.kinds[kind]++
	return kind
}

// fnv returns a hash of a text that is the same in each run.
func fnv(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h ^ h>>29
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	hook, fault := s.hook, ""
	if s.faulty > 0 {
		fault = s.fault(r)
	}
	s.mu.Unlock()
	if hook != nil && hook(w, r) {
		return
	}
	c := &Counted{w, func(n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bytes += int64(n)
	}}
	switch fault {
	case "throttled":
		refuse(w, http.StatusServiceUnavailable, "SlowDown")
	case "error":
		refuse(w, http.StatusInternalServerError, "InternalError")
	case "reset":
		panic(http.ErrAbortHandler)
	case "cut", "slow":
		answer := httptest.NewRecorder()
		s.handler.ServeHTTP(answer, r)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		body := answer.Body.Bytes()
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.WriteHeader(answer.Code)
		_, _ = c.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		if fault == "cut" {
			panic(http.ErrAbortHandler)
		}
		time.Sleep(time.Millisecond)
		_, _ = c.Write(body[len(body)/2:])
	default:
		s.handler.ServeHTTP(c, r)
	}
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>Please try again.</Message></Error>", code)
}

// Counted calls Sent with the number of bytes of each write, before it is done.
type Counted struct {
	http.ResponseWriter
	Sent func(n int)
}

func (c *Counted) Write(p []byte) (int, error) {
	c.Sent(len(p))
	return c.ResponseWriter.Write(p)
}
