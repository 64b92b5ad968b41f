package main

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/protox"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/stretchr/testify/require"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/protobuf/proto"
)

// google plays Cloud Storage with both of its interfaces, the metadata of a machine, and Dataflow, whose jobs prism does with
// workers that have what has been staged, and nothing more.
type google struct {
	*httptest.Server
	t *testing.T
	// do is what becomes of a job; it returns its last state and a message.
	do func(ctx context.Context, g *google, j *df.Job) (state, message string)

	mu      sync.Mutex
	objects map[string][]byte // by bucket/name
	uploads map[string][]byte
	jobs    []*df.Job
	said    map[string]string
	running sync.WaitGroup
}

func startGoogle(t *testing.T, do func(context.Context, *google, *df.Job) (string, string)) *google {
	g := &google{t: t, do: do, objects: make(map[string][]byte), uploads: make(map[string][]byte), said: make(map[string]string)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /computeMetadata/v1/", g.metadata)
	mux.HandleFunc("GET /storage/v1/b/{bucket}", func(w http.ResponseWriter, r *http.Request) { reply(w, map[string]any{"name": r.PathValue("bucket")}) })
	mux.HandleFunc("GET /storage/v1/b/{bucket}/o", g.list)
	mux.HandleFunc("DELETE /storage/v1/b/{bucket}/o/{name}", g.remove)
	mux.HandleFunc("POST /upload/storage/v1/b/{bucket}/o", g.upload)
	mux.HandleFunc("GET /v1b3/projects/p/locations/r/jobs", g.listJobs)
	mux.HandleFunc("POST /v1b3/projects/p/locations/r/jobs", g.create)
	mux.HandleFunc("GET /v1b3/projects/p/locations/r/jobs/{id}", g.job)
	mux.HandleFunc("GET /v1b3/projects/p/locations/r/jobs/{id}/messages", g.messages)
	mux.HandleFunc("GET /{bucket}/{name...}", g.object)
	g.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		g.running.Wait()
		g.Close()
	})
	return g
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client says so
}

// env is all that a machine of Google has in its environment.
func (g *google) env() []string {
	return []string{"STORAGE_EMULATOR_HOST=" + g.Listener.Addr().String(), "GCE_METADATA_HOST=" + g.Listener.Addr().String(), "TMPDIR=" + g.t.TempDir()}
}

func (g *google) metadata(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Metadata-Flavor", "Google")
	switch rest := strings.TrimPrefix(r.URL.Path, "/computeMetadata/v1/"); {
	case strings.HasSuffix(rest, "/token"):
		reply(w, map[string]any{"access_token": "fake", "expires_in": 3600, "token_type": "Bearer"})
	case rest == "universe/universe-domain":
		fmt.Fprint(w, "googleapis.com")
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// names returns the names of a bucket's objects that begin with a prefix.
func (g *google) names(bucket, prefix string) (names []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(g.objects)) {
		if name, ok := strings.CutPrefix(key, bucket+"/"); ok && strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names
}

func (g *google) get(key string) []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.objects[key]
}

func (g *google) put(key string, data []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.objects[key] = data
}

func (g *google) list(w http.ResponseWriter, r *http.Request) {
	items := []map[string]any{}
	for _, name := range g.names(r.PathValue("bucket"), r.URL.Query().Get("prefix")) {
		items = append(items, map[string]any{"name": name, "bucket": r.PathValue("bucket")})
	}
	reply(w, map[string]any{"items": items})
}

func (g *google) remove(_ http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.objects, r.PathValue("bucket")+"/"+r.PathValue("name"))
}

// upload takes a small object as a whole, and begins with a large one.
func (g *google) upload(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("to") {
		g.part(w, r)
		return
	}
	bucket := r.PathValue("bucket")
	var metadata struct{ Name string }
	if r.URL.Query().Get("uploadType") == "resumable" {
		if err := json.NewDecoder(r.Body).Decode(&metadata); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Location", g.URL+r.URL.Path+"?to="+url.QueryEscape(metadata.Name))
		return
	}
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	parts := multipart.NewReader(r.Body, parameters["boundary"])
	var data []byte
	if part, e := parts.NextPart(); err == nil && e == nil {
		err = json.NewDecoder(part).Decode(&metadata)
	}
	if part, e := parts.NextPart(); err == nil && e == nil {
		data, err = io.ReadAll(part)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	g.put(bucket+"/"+metadata.Name, data)
	reply(w, stored(bucket, metadata.Name, data))
}

func stored(bucket, name string, data []byte) map[string]any {
	sum := md5.Sum(data)
	return map[string]any{"bucket": bucket, "name": name, "size": fmt.Sprint(len(data)), "md5Hash": base64.StdEncoding.EncodeToString(sum[:])}
}

// part takes the next part of a large object.
func (g *google) part(w http.ResponseWriter, r *http.Request) {
	data, _ := io.ReadAll(r.Body) // the length says if it is short
	bucket, name := r.PathValue("bucket"), r.URL.Query().Get("to")
	g.mu.Lock()
	all := append(g.uploads[name], data...)
	g.uploads[name] = all
	g.mu.Unlock()
	if strings.HasSuffix(r.Header.Get("Content-Range"), "/*") {
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", len(all)-1))
		w.Header().Set("X-Http-Status-Code-Override", "308")
		return
	}
	g.put(bucket+"/"+name, all)
	reply(w, stored(bucket, name, all))
}

// object is the interface that is like that of S3.
func (g *google) object(w http.ResponseWriter, r *http.Request) {
	type content struct {
		Key, ETag string
		Size      int
	}
	bucket, name := r.PathValue("bucket"), r.PathValue("name")
	if name == "" {
		var answer struct {
			XMLName  xml.Name `xml:"ListBucketResult"`
			Contents []content
		}
		for _, name := range g.names(bucket, r.URL.Query().Get("prefix")) {
			answer.Contents = append(answer.Contents, content{name, `"1"`, len(g.get(bucket + "/" + name))})
		}
		_ = xml.NewEncoder(w).Encode(answer) // the client says so
		return
	}
	data := g.get(bucket + "/" + name)
	if data == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("ETag", `"1"`)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(data)))
}

func (g *google) create(w http.ResponseWriter, r *http.Request) {
	j := &df.Job{}
	if err := json.NewDecoder(r.Body).Decode(j); err != nil || r.Header.Get("Authorization") != "Bearer fake" {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	j.Id, j.CurrentState = fmt.Sprintf("job-%d", len(g.jobs)+1), "JOB_STATE_RUNNING"
	g.jobs = append(g.jobs, j)
	g.running.Go(func() {
		state, message := g.do(context.WithoutCancel(g.t.Context()), g, j)
		g.mu.Lock()
		defer g.mu.Unlock()
		j.CurrentState, g.said[j.Id] = state, message
	})
	reply(w, j)
}

func (g *google) listJobs(w http.ResponseWriter, _ *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	reply(w, &df.ListJobsResponse{Jobs: g.jobs})
}

func (g *google) find(id string) *df.Job {
	i := slices.IndexFunc(g.jobs, func(j *df.Job) bool { return j.Id == id })
	return g.jobs[i]
}

func (g *google) job(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	reply(w, g.find(r.PathValue("id")))
}

func (g *google) messages(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	answer := &df.ListJobMessagesResponse{}
	if text := g.said[r.PathValue("id")]; text != "" {
		answer.JobMessages = []*df.JobMessage{{Id: "1", MessageImportance: "JOB_MESSAGE_ERROR", MessageText: text, Time: "2026-11-26T10:00:00Z"}}
	}
	reply(w, answer)
}

// staged returns the pipeline that a job names, and the program for its workers.
func (g *google) staged(j *df.Job) (p *pipepb.Pipeline, worker []byte) {
	var options struct {
		Options struct{ PipelineURL, PipelineProtoHash string }
	}
	require.NoError(g.t, json.Unmarshal(j.Environment.SdkPipelineOptions, &options))
	data := g.get(strings.TrimPrefix(options.Options.PipelineURL, "gs://"))
	require.Equal(g.t, options.Options.PipelineProtoHash, hash(data))
	p = &pipepb.Pipeline{}
	require.NoError(g.t, proto.Unmarshal(data, p))
	of := j.Environment.WorkerPools[0].Packages[0]
	worker = g.get(strings.TrimPrefix(of.Location, "gs://"))
	require.Equal(g.t, of.Sha256, hash(worker))
	return p, worker
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// runOnPrism does a job as Dataflow does: workers are processes that begin with the staged program.
func runOnPrism(ctx context.Context, g *google, j *df.Job) (state, message string) {
	p, worker := g.staged(j)
	dir := g.t.TempDir()
	file := filepath.Join(dir, "worker")
	require.NoError(g.t, os.WriteFile(file, worker, 0o700))
	self, err := os.Executable()
	require.NoError(g.t, err)
	env := map[string]string{"FLEET_STAGED": file, "FLEET_ENV": strings.Join(g.env(), "\n")}
	for _, e := range p.Components.Environments {
		e.Urn, e.Payload = "beam:env:process:v1", protox.MustEncode(&pipepb.ProcessPayload{Command: self, Env: env})
	}
	client, err := prism.CreateJobServer(ctx, prism.Options{})
	require.NoError(g.t, err)
	id, _, token, err := runnerlib.Prepare(ctx, client, p, &runnerlib.JobOptions{Name: j.Name})
	require.NoError(g.t, err)
	if id, err = runnerlib.Submit(ctx, client, id, token); err == nil {
		err = runnerlib.WaitForCompletion(ctx, client, id)
	}
	if err != nil {
		return "JOB_STATE_FAILED", err.Error()
	}
	return "JOB_STATE_DONE", ""
}
