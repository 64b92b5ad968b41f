package remote_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// noCloud takes away what the environment says of clouds.
func noCloud(t *testing.T) {
	for _, name := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN",
		"AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_DOMAIN", "AZURE_STORAGE_PROTOCOL"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

func packed(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	require.NoError(t, err)
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// objects are what the buckets of these tests hold.
func objects(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"day/a.jfr": chunks(3), "day/b c+d%.jfr": file(t, "jdk25-empty.jfr"), "day/c.jfr.zst": packed(t, file(t, "jdk17-empty.jfr")),
		"day/notes.txt": []byte("no recording"), "day/deeper/d.jfr": chunks(1), "other.jfr": chunks(2),
	}
}

// names returns the names of the recordings that a name leads to.
func names(t *testing.T, c *remote.Client, name string) (list []string) {
	set, err := input.Open(t.Context(), []string{name}, input.Options{Remote: c, OnError: func(name string, err error) { t.Error(name, err) }})
	require.NoError(t, err)
	defer func() { assert.NoError(t, set.Close()) }()
	for _, rec := range set.Recordings {
		list = append(list, set.Name(rec))
		_, err := texts(rec.Select())
		assert.NoError(t, err)
	}
	return list
}

// checkBucket checks what the names of a bucket lead to.
func checkBucket(t *testing.T, c *remote.Client, bucket string) {
	below := []string{"day/a.jfr", "day/b c+d%.jfr", "day/c.jfr.zst"}
	for pattern, want := range map[string][]string{
		"other.jfr": {"other.jfr"}, "day/b c+d%.jfr": below[1:2], "day/c.jfr.zst": below[2:], "day/": below,
		"day/*.jfr": below[:2], "*/*/*.jfr": {"day/deeper/d.jfr"}, "day/[ac]*": {below[0], below[2]}, "": {"other.jfr"},
	} {
		for i := range want {
			want[i] = strings.TrimPrefix(want[i], bucket)
		}
		var full []string
		for _, key := range want {
			full = append(full, bucket+key)
		}
		assert.ElementsMatch(t, full, names(t, c, bucket+pattern), pattern)
	}
	list, many, err := c.List(t.Context(), bucket+"day/", true)
	require.NoError(t, err)
	assert.True(t, many)
	require.Len(t, list, 5)
	for _, l := range list {
		o, err := c.Open(t.Context(), l.Name)
		require.NoError(t, err)
		assert.Equal(t, remote.Listed{Name: c.Identity(l.Name), Size: o.Size(), Version: o.Version()}, l)
		assert.NotEmpty(t, l.Version)
		require.NoError(t, o.Close())
	}
	for _, missing := range []string{"no.jfr", "no/*.jfr", "day/*.txt"} {
		_, err := input.Open(t.Context(), []string{bucket + missing}, input.Options{Remote: c})
		assert.Error(t, err, missing)
	}
}

func TestReadsS3(t *testing.T) {
	noCloud(t)
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("recordings"))
	for key, data := range objects(t) {
		_, err := backend.PutObject("recordings", key, nil, bytes.NewReader(data), int64(len(data)), nil)
		require.NoError(t, err)
	}
	fake := gofakes3.New(backend).Server()
	var authorization atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorization.Store(r.Header.Get("Authorization"))
		fake.ServeHTTP(w, r)
	}))
	defer s.Close()
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush")
	checkBucket(t, client(t, remote.Options{}), "s3://recordings/")
	assert.Contains(t, authorization.Load(), "AWS4-HMAC-SHA256 Credential=key/")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	assert.Len(t, names(t, client(t, remote.Options{}), "s3://recordings/other.jfr"), 1)
	assert.Empty(t, authorization.Load(), "anonymous")
}

func TestGoesToTheRegionOfTheBucket(t *testing.T) {
	noCloud(t)
	t.Setenv("AWS_ENDPOINT_URL", "")
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush")
	var hosts []string
	data := chunks(1)
	s := serve(t, data)
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		hosts = append(hosts, r.URL.Host)
		if !strings.Contains(r.Header.Get("Authorization"), "/eu-north-1/") {
			return &http.Response{StatusCode: 301, Header: http.Header{"X-Amz-Bucket-Region": {"eu-north-1"}}, Body: http.NoBody, Request: r}, nil
		}
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host = "http", strings.TrimPrefix(s.URL, "http://")
		return http.DefaultTransport.RoundTrip(r)
	})
	rec := opened(t, client(t, remote.Options{Transport: transport}), "s3://bucket/app.jfr")
	assert.Len(t, rec.Chunks(), 1)
	assert.Equal(t, "bucket.s3.us-east-1.amazonaws.com", hosts[0])
	assert.Equal(t, "bucket.s3.eu-north-1.amazonaws.com", hosts[1])
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestReadsGoogleStorage(t *testing.T) {
	noCloud(t)
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("recordings"))
	for key, data := range objects(t) {
		_, err := backend.PutObject("recordings", key, nil, bytes.NewReader(data), int64(len(data)), nil)
		require.NoError(t, err)
	}
	s := httptest.NewServer(gofakes3.New(backend).Server()) // the interface is the same
	defer s.Close()
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(s.URL, "http://"))
	checkBucket(t, client(t, remote.Options{}), "gs://recordings/")
}

// azure serves objects as Azure does, and checks signatures.
func azure(t *testing.T, all map[string][]byte, key []byte) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if signature := remote.AzureSignature(r, "account", key); r.URL.Query().Get("sig") != "hush" && r.Header.Get("Authorization") != "SharedKey account:"+signature {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if r.URL.Query().Get("comp") != "list" {
			data, ok := all[strings.TrimPrefix(r.URL.Path, "/recordings/")]
			if !ok {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			w.Header().Set("ETag", `"0x1"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
			return
		}
		prefix, marker := r.URL.Query().Get("prefix"), r.URL.Query().Get("marker")
		next := ""
		fmt.Fprint(w, "<EnumerationResults><Blobs>")
		for name := range all { // a page has one
			flat := r.URL.Query().Get("delimiter") == "/" && strings.Contains(strings.TrimPrefix(name, prefix), "/")
			if strings.HasPrefix(name, prefix) && !flat && name > marker && (next == "" || name < next) {
				next = name
			}
		}
		if next != "" {
			fmt.Fprintf(w, "<Blob><Name>%s</Name><Properties><Content-Length>%d</Content-Length><Etag>0x1</Etag></Properties></Blob>", next, len(all[next]))
		}
		fmt.Fprintf(w, "</Blobs><NextMarker>%s</NextMarker></EnumerationResults>", next)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestReadsAzure(t *testing.T) {
	noCloud(t)
	key := []byte("a key of the account")
	s := azure(t, objects(t), key)
	t.Setenv("AZURE_STORAGE_ACCOUNT", "account")
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "BlobEndpoint="+s.URL+";AccountKey="+base64.StdEncoding.EncodeToString(key))
	checkBucket(t, client(t, remote.Options{}), "azblob://recordings/")
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "AccountName=account;BlobEndpoint="+s.URL+";SharedAccessSignature=sig=hush")
	checkBucket(t, client(t, remote.Options{}), "azblob://recordings/")
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "BlobEndpoint="+s.URL+";SharedAccessSignature=sig=wrong")
	_, err := client(t, remote.Options{}).Recording(context.Background(), "azblob://recordings/other.jfr")
	require.ErrorContains(t, err, "azblob://recordings/other.jfr: the server answers 403 Forbidden")
	assert.NotContains(t, err.Error(), "wrong")
}

// The text that is signed has a line for each part that Azure's documentation of Shared Key names.
func TestSignsWhatAzureDocuments(t *testing.T) {
	r, err := http.NewRequest(http.MethodGet, "https://account.blob.core.windows.net/box?restype=container&comp=list&prefix=a%2Fb", nil)
	require.NoError(t, err)
	r.Header.Set("X-Ms-Date", "Fri, 26 Jun 2015 23:39:12 GMT")
	r.Header.Set("X-Ms-Version", "2015-02-21")
	r.Header.Set("Range", "bytes=0-9")
	mac := hmac.New(sha256.New, []byte("key"))
	mac.Write([]byte("GET\n\n\n\n\n\n\n\n\n\n\nbytes=0-9\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n" +
		"/account/box\ncomp:list\nprefix:a/b\nrestype:container"))
	assert.Equal(t, base64.StdEncoding.EncodeToString(mac.Sum(nil)), remote.AzureSignature(r, "account", []byte("key")))
}
