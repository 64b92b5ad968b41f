package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/protobuf/proto"
)

// TestMain is mjfr-fleet, too, and what begins in a container of workers.
func TestMain(m *testing.M) {
	staged := os.Getenv("FLEET_STAGED")
	switch {
	case staged != "":
		fmt.Fprintln(os.Stderr, boot(staged))
		os.Exit(1)
	case os.Getenv("FLEET_MAIN") != "" || len(os.Args) > 1 && os.Args[1] == "--worker=true":
		main()
	}
	os.Exit(m.Run())
}

// boot begins a worker as Beam's containers do: in a folder and an environment in which there is nothing else.
func boot(staged string) error {
	given := make(map[string]string)
	for _, arg := range os.Args[1:] {
		name, value, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		given[name] = strings.Trim(value, "'")
	}
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(context.Background(), given["id"]), given["provision_endpoint"])
	if err != nil {
		return err
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	dir, file := filepath.Dir(staged), staged+".json"
	if err := os.WriteFile(file, []byte(options), 0o600); err != nil {
		return err
	}
	empty := filepath.Join(dir, "empty")
	if err := os.MkdirAll(empty, 0o700); err != nil {
		return err
	}
	if err := os.Chdir(empty); err != nil {
		return err
	}
	env := append(strings.Split(os.Getenv("FLEET_ENV"), "\n"), "PIPELINE_OPTIONS_FILE="+file, "RUNNER_CAPABILITIES="+strings.Join(info.GetRunnerCapabilities(), " "))
	return syscall.Exec(staged, []string{
		staged, "--worker=true", "--id=" + given["id"], "--logging_endpoint=" + info.GetLoggingEndpoint().GetUrl(),
		"--control_endpoint=" + info.GetControlEndpoint().GetUrl(), "--semi_persist_dir=" + dir,
	}, env)
}

// fleet runs mjfr-fleet, and returns its exit code and messages.
func (g *google) fleet(args ...string) (code int, said string) {
	g.t.Helper()
	var stderr bytes.Buffer
	cmd := g.command(args...)
	cmd.Stderr = &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		require.NoError(g.t, err)
	}
	return cmd.ProcessState.ExitCode(), stderr.String()
}

func (g *google) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(g.env(), "FLEET_MAIN=1", "HOME="+g.t.TempDir())
	return cmd
}

// flags are those that every job on Dataflow has.
func (g *google) flags() []string {
	flags := []string{"--runner", "dataflow", "--project", "p", "--region", "r", "--staging_location", "gs://staging/x", "--dataflow_endpoint", g.URL + "/"}
	if runtime.GOARCH == "arm64" {
		flags = append(flags, "--machine_type", "t2a-standard-2")
	}
	return flags
}

// TestDataflowWithWorkersOfItsOwn compares what workers write that have the staged program alone with what this process
// writes.
func TestDataflowWithWorkersOfItsOwn(t *testing.T) {
	g := startGoogle(t, runOnPrism)
	for key, name := range map[string]string{
		"shop/6/a.jfr": "jdk17-profile.jfr", "shop/6/b.jfr": "jdk17-chunks.jfr", "shop/7/a.jfr": "jdk25-profile.jfr", "cart/7/a.jfr": "jdk25-kinds.jfr",
	} {
		data, err := os.ReadFile("../../../testdata/" + name)
		require.NoError(t, err)
		g.put("recordings/day/"+key, data)
	}
	g.put("recordings/day/cart/7/none.jfr", []byte("no recording"))
	g.put("recordings/list", []byte("gs://recordings/day/shop/6/a.jfr\ngs://recordings/day/shop/7/a.jfr\n"))
	for i, ask := range [][]string{
		{"profile", "--key", "service,version", "--labels", "{service}/{version}/*.jfr", "--diff", "version", "--item-size", "1", "--parts", "1", "--fanout", "2", "gs://recordings/day/*/*/*"},
		{"query", "--csv", "select @class, count(*), sum(@weight) from ObjectAllocationSample group by @class", "--manifest", "gs://recordings/list"},
	} {
		here, there := fmt.Sprintf("results/here%d/", i), fmt.Sprintf("results/there%d/", i)
		code, said := g.fleet(append(ask, "-o", "gs://"+here)...)
		require.Equal(t, 1-i, code, said) // the first has damage
		code, said = g.fleet(append(append(ask, g.flags()...), "-o", "gs://"+there)...)
		require.Equal(t, 1-i, code, said)
		assert.Contains(t, said, fmt.Sprintf("job job-%d is done", i+1))
		names := g.names("results", strings.TrimPrefix(here, "results/"))
		require.Greater(t, len(names), 2)
		require.Len(t, g.names("results", strings.TrimPrefix(there, "results/")), len(names))
		for _, name := range names {
			other := strings.Replace(name, "here", "there", 1)
			assert.True(t, bytes.Equal(g.get("results/"+name), g.get("results/"+other)), other)
		}
	}
	code, said := g.fleet(append([]string{"view", "gc-pauses", "--manifest", "gs://recordings/none", "-o", "gs://results/none"}, g.flags()...)...)
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "mjfr-fleet: job job-3 has failed: gs://recordings/none: ", "the reason of a worker")
	p, worker := g.staged(g.jobs[0])
	self, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	assert.True(t, bytes.Equal(self, worker))
	checkStaged(t, p)
}

// checkStaged looks at what Dataflow needs of a pipeline: containers, the program by its address, and a coder of restrictions.
func checkStaged(t *testing.T, p *pipepb.Pipeline) {
	t.Helper()
	require.Len(t, p.Components.Environments, 1)
	for _, e := range p.Components.Environments {
		assert.Equal(t, "beam:env:docker:v1", e.Urn)
		image := &pipepb.DockerPayload{}
		require.NoError(t, proto.Unmarshal(e.Payload, image))
		assert.Contains(t, image.ContainerImage, "beam_go_sdk:2.")
		require.Len(t, e.Dependencies, 1)
		assert.Equal(t, "beam:artifact:type:url:v1", e.Dependencies[0].TypeUrn)
	}
	splittable := 0
	for _, of := range p.Components.Transforms {
		if of.GetSpec().GetUrn() != "beam:transform:pardo:v1" {
			continue
		}
		payload := &pipepb.ParDoPayload{}
		require.NoError(t, proto.Unmarshal(of.Spec.Payload, payload))
		if payload.RestrictionCoderId != "" {
			splittable++
			assert.Contains(t, p.Components.Coders, payload.RestrictionCoderId)
		}
	}
	assert.Equal(t, 1, splittable)
}

// program writes what has the header of a program for workers, which nothing runs.
func program(t *testing.T) string {
	t.Helper()
	header := make([]byte, 64)
	copy(header, "\x7fELF\x02\x01\x01")
	header[16], header[18], header[20], header[52] = 2, map[string]byte{"arm64": 183}[runtime.GOARCH], 1, 64
	if header[18] == 0 {
		header[18] = 62
	}
	name := filepath.Join(t.TempDir(), "worker")
	require.NoError(t, os.WriteFile(name, header, 0o700))
	return name
}

// TestEndsOfDataflowJobs has the exit codes and messages.
func TestEndsOfDataflowJobs(t *testing.T) {
	state, message := "", ""
	g := startGoogle(t, func(context.Context, *google, *df.Job) (string, string) { return state, message })
	ask := append([]string{"profile", "-o", "gs://results/x", "gs://recordings/a.jfr", "--worker_binary", program(t)}, g.flags()...)
	for _, c := range []struct {
		state, message string
		more           []string
		code           int
		said           string
	}{
		{"JOB_STATE_FAILED", "process bundle failed:\nDoFn[UID:4, PID:e2, Name: x.listFn] failed:\ngs://recordings/a.jfr: gone", nil, 1, "mjfr-fleet: job job-1 has failed: gs://recordings/a.jfr: gone\n"},
		{"JOB_STATE_FAILED", "", nil, 1, "mjfr-fleet: job job-2 has failed\n"},
		{"JOB_STATE_CANCELLED", "", []string{"--job_name", "one"}, 1, "mjfr-fleet: job job-3 has been cancelled, and has no results\n"},
		{"", "", []string{"--job_name", "one"}, 1, "a job with the name one is running already: job-3\n"},
		{"", "", []string{"--execute_async"}, 0, "mjfr-fleet: job job-4 has been submitted: https://console.cloud.google.com/dataflow/jobs/r/job-4?project=p\n"},
		{"", "", []string{"--dry_run"}, 0, "WORKER_IP_UNSPECIFIED"},
		{"", "", []string{"--template_location", "gs://staging/template"}, 0, "the template of the job is in gs://staging/template"},
		{"JOB_STATE_DONE", "", []string{"--use_public_ips=false", "--job_labels", `{"team":"x"}`}, 1, "job-5 is done"},
	} {
		state, message = c.state, c.message
		g.put("results/x/results.ndjson", []byte(`{"key":null,"objects":7,"files":[]}`+"\n")) // of an earlier job
		g.put("results/x/damage.ndjson", nil)
		code, said := g.fleet(append(ask, c.more...)...)
		assert.Equal(t, c.code, code, said)
		assert.Contains(t, said, c.said)
		assert.NotContains(t, said, "7 recordings")
	}
	require.Len(t, g.jobs, 5)
	assert.Equal(t, map[string]string{"team": "x"}, g.jobs[4].Labels)
	assert.Equal(t, "WORKER_IP_PRIVATE", g.jobs[4].Environment.WorkerPools[0].IpConfiguration)
	assert.NotEmpty(t, g.get("staging/template"))
}

// TestADataflowJobOutlivesItsProgram interrupts the program that waits.
func TestADataflowJobOutlivesItsProgram(t *testing.T) {
	over := make(chan bool)
	g := startGoogle(t, func(context.Context, *google, *df.Job) (string, string) {
		<-over
		return "JOB_STATE_DONE", ""
	})
	defer close(over)
	cmd := g.command(append([]string{"profile", "-o", "gs://results/x", "gs://recordings/a.jfr", "--worker_binary", program(t)}, g.flags()...)...)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said, buffer, interrupted := "", make([]byte, 1000), false
	for {
		n, err := stderr.Read(buffer)
		said += string(buffer[:n])
		if strings.Contains(said, "is running\n") && !interrupted {
			interrupted = true
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
		}
		if err != nil {
			break
		}
	}
	_ = cmd.Wait() // the code says how
	assert.Equal(t, 130, cmd.ProcessState.ExitCode(), said)
	assert.Contains(t, said, "interrupted, but the job goes on; gcloud dataflow jobs cancel job-1 --project p --region r stops it")
}

// TestServersThatAreMissing are reported at once, and leave the report of an earlier job.
func TestServersThatAreMissing(t *testing.T) {
	g := startGoogle(t, nil)
	g.put("results/x/results.ndjson", []byte("{}\n"))
	closed := httptest.NewServer(nil)
	closed.Close()
	code, said := g.fleet("profile", "-o", "gs://results/x", "gs://b/a.jfr", "--runner", "flink", "--environment_type", "LOOPBACK", "--endpoint", closed.Listener.Addr().String())
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "no job server of Beam answers at --endpoint")
	assert.NotEmpty(t, g.get("results/x/results.ndjson"))
}

// TestWhatDataflowCannotDo is refused before anything is sent.
func TestWhatDataflowCannotDo(t *testing.T) {
	g := startGoogle(t, nil)
	for text, args := range map[string][]string{
		"cannot see out:":               {"profile", "-o", "out", "gs://b/a.jfr"},
		"cannot see a.jfr:":             {"profile", "-o", "gs://b/out", "a.jfr"},
		"cannot see list:":              {"profile", "-o", "gs://b/out", "--manifest", "list"},
		"which those of Dataflow have":  {"export", "-o", "gs://b/out", "--parquet", "out", "gs://b/a.jfr"},
		"--staging_location must be":    {"profile", "-o", "gs://b/out", "gs://b/a.jfr", "--staging_location", "/tmp/x"},
		"--temp_location must be":       {"profile", "-o", "gs://b/out", "gs://b/a.jfr", "--temp_location", "gs://"},
		"--environment_type PROCESS is": {"profile", "-o", "gs://b/out", "gs://b/a.jfr", "--environment_type", "PROCESS"},
		"--region is missing":           {"profile", "-o", "gs://b/out", "gs://b/a.jfr", "--region", ""},
		"is not a program of Linux":     {"profile", "-o", "gs://b/out", "gs://b/a.jfr", "--worker_binary", "main.go"},
		"no such file":                  {"profile", "-o", "gs://b/out", "gs://b/a.jfr", "--worker_binary", "none"},
		"--runner takes":                {"profile", "-o", "gs://b/out", "gs://b/a.jfr", "--runner", "x"},
		"another file for each worker":  {"profile", "-o", "out", "/a.jfr", "--runner", "universal"},
	} {
		code, said := g.fleet(append([]string{args[0]}, append(g.flags(), args[1:]...)...)...)
		assert.Equal(t, 2, code, said)
		assert.Contains(t, said, text)
	}
	assert.Empty(t, g.objects)
	assert.Empty(t, g.jobs)
}
