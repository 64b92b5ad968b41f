// Package remote opens recordings on servers and in buckets: https://, http://, s3://bucket/key,
// gs://bucket/key and azblob://container/blob.
//
// A [Client] is an [Opener]: package mmapjfr/input opens URLs by it.
//
// # What is transferred
//
// Opening a recording fetches the chunk headers; the bytes of a chunk are fetched before they are
// read (see [mmapjfr.OpenSource]). They go to a sparse temporary file, which is mapped and gone
// when the recording is closed. Where the system allows it, reading bytes that were not fetched
// faults. Packed recordings, and servers without byte ranges, are read from beginning to end. All
// requests are GET, so presigned URLs work.
//
// Failed requests are repeated a few times, after growing pauses or the time that the server asks
// for. If the object changes meanwhile, reading ends with an error that matches
// [mmapjfr.ErrChanged].
//
// # Names
//
// For s3, gs and azblob, names with *, ? or [ are patterns as in [path.Match], and a name that ends
// in / stands for the recordings directly below it.
//
// # Credentials
//
// They come from the usual places. For s3: AWS_ACCESS_KEY_ID and so on, the file of AWS_PROFILE, a
// role of the container or machine; AWS_REGION, AWS_ENDPOINT_URL_S3. For gs: the application
// default credentials; STORAGE_EMULATOR_HOST. For azblob: AZURE_STORAGE_ACCOUNT with
// AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or AZURE_STORAGE_CONNECTION_STRING. Without any,
// requests are anonymous. Messages never show credentials or the query of a URL.
package remote

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"strings"
	"time"
)

// Options say how objects are fetched. The zero Options are good.
type Options struct {
	// CacheLimit is how many bytes of the recordings that are open may be on the disk: also of
	// those that package input unpacks, or reads to their end since a server gives no ranges. 0 is
	// 4 GiB.
	CacheLimit int64
	// TempDir is where files lie until their recording is closed; empty is os.TempDir.
	TempDir string
	// Transport, if not nil, does the requests.
	Transport http.RoundTripper
	// Pause is how long a client waits before it repeats a request for the first time; later pauses
	// are longer. 0 is 200 ms.
	Pause time.Duration
}

const (
	defaultLimit = 4 << 30
	// partSize is how many bytes a request asks for at most, and inFlight how many such requests
	// run at a time.
	partSize = 4 << 20
	inFlight = 6
	// smallPart is how many bytes take less time than the request itself, such as headers of
	// chunks, and smallInFlight how many of those run besides.
	smallPart     = 512 << 10
	smallInFlight = 32
	// headSize is how many bytes the first request of an object asks for.
	headSize = 64 << 10
)

// Client opens objects. Any number of goroutines may use it.
type Client struct {
	http  *http.Client
	room  room
	temp  string        // the folder for files
	slots chan struct{} // one for each request of a part that runs
	small chan struct{} // one for each request of a small part
	s3    *s3Service
	gs    *gsService
	azure *azureService
	retry retrying
}

// New returns a client. It asks nobody for anything yet.
func New(o Options) *Client {
	transport := o.Transport
	if transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = inFlight + smallInFlight
		t.DisableCompression = true
		transport = t
	}
	retry := defaultRetrying
	retry.first = cmp.Or(o.Pause, retry.first)
	return &Client{
		http:  &http.Client{Transport: transport, CheckRedirect: checkRedirect},
		room:  room{limit: cmp.Or(o.CacheLimit, defaultLimit)},
		temp:  cmp.Or(o.TempDir, os.TempDir()),
		slots: make(chan struct{}, inFlight), small: make(chan struct{}, smallInFlight),
		s3: newS3(), gs: &gsService{}, azure: &azureService{},
		retry: retry,
	}
}

// Takes reports whether a name is that of an object, by its scheme.
func (c *Client) Takes(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	switch strings.ToLower(scheme) {
	case "http", "https", "s3", "gs", "azblob":
		return ok
	}
	return false
}

// Show returns the name as messages have it: without a password and without the query of a URL.
func (c *Client) Show(name string) string { return show(name) }

// Identity returns the name without secrets, and without what differs from signature to signature
// of one object. The rest of the query of a URL is hashed.
func (c *Client) Identity(name string) string { return publicIdentity(name) }

// Open makes the first request of an object. The context is that of all its requests.
func (c *Client) Open(ctx context.Context, name string) (Object, error) {
	at, err := c.locate(ctx, name)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, at)
}
