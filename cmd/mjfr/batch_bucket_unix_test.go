//go:build unix

package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/s3test"
)

var (
	fleetSize = flag.Int("fleet", 0, "the number of recordings of the fleet, at least")
	fleetMade = flag.String("fleet.made", "", "the folder with recordings that jfrbench gen has made for the fleet")
)

// fleetQuestions are the arguments of mjfr batch, without inputs, separated by |.
var fleetQuestions = []string{
	"profile|--format|collapsed",
	"export|--parquet|LAKE",
	"query|--csv|select @thread, count(*), p99(duration), max(startTime), first(@class), last(duration) from jdk.* group by @thread",
	"profile|-t|alloc|--format|heatmap",
	"query|--csv|select stackTrace.topFrame as m, count(*), list(eventThread), rate() from jdk.ExecutionSample, CPUTimeSample group by m order by m",
	"query|--csv|from * during GarbageCollection as g select g.gcId, count(*), top_k(@type, 3), stdev(duration) group by g.gcId",
	"query|--csv|select sum(@weight.alloc), set(objectClass) from ObjectAllocationSample",
	"view|--csv|hot-methods",
	"view|--csv|gc-pauses",
	"view|--csv|contention-by-site",
}

// bucketFleet is a bucket with the recordings of a fleet, and a folder for what mjfr batch makes of it.
type bucketFleet struct {
	*s3test.Server
	t     *testing.T
	bytes int64
	dir   string
}

func newBucketFleet(t *testing.T) *bucketFleet {
	n := max(longtest.Cases(45, 200), *fleetSize)
	names := []string{clitest.File("jdk25-kinds.jfr"), clitest.File("jdk17-kinds.jfr"), clitest.File("jdk25-cputime.jfr")}
	if *fleetMade != "" {
		names, _ = filepath.Glob(filepath.Join(*fleetMade, "*.jfr"))
		require.NotEmpty(t, names)
	}
	var made [][]byte
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		made = append(made, data)
	}
	f := &bucketFleet{Server: s3test.Start(t, nil), t: t, dir: t.TempDir()}
	s3test.Corpus(t, n, made, func(key string, data []byte) {
		f.Put(t, key, data)
		f.bytes += int64(len(data))
	})
	t.Logf("%d objects, %d bytes", n, f.bytes)
	return f
}

// run does a share of the work as a process, and kills it as soon as an item is done, if it is to be killed.
func (f *bucketFleet) run(question, name, shard string, killed bool) {
	t := f.t
	args := strings.Split("batch|"+strings.ReplaceAll(question, "LAKE", filepath.Join(f.dir, name)), "|")
	out := filepath.Join(f.dir, name+"_batch")
	args = append(args, "--out", out, "--shard", shard, "--item-size", fmt.Sprint(max(1, f.bytes/15>>20)), s3test.URL, s3test.URL+"service=shop/")
	cmd, stderr := mjfrProcess(t, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	jobs, stopped := "8", atomic.Bool{} // most of the time items wait
	if killed {
		jobs = "1"
		f.Hook(func(_ http.ResponseWriter, r *http.Request) bool {
			if done, _ := filepath.Glob(filepath.Join(out, "*.partial")); len(done) == 0 {
				return false
			}
			if !stopped.Swap(true) {
				_ = cmd.Process.Signal(syscall.SIGKILL)
			}
			<-r.Context().Done()
			return true
		})
		defer f.Hook(nil)
	}
	cmd.Args = slices.Insert(cmd.Args, 3, "--jobs", jobs)
	require.NoError(t, cmd.Start())
	err := cmd.Wait()
	if killed {
		require.Error(t, err, "it was killed")
		require.True(t, stopped.Load(), "in the middle of its work: %s", stderr)
		return
	}
	require.NoError(t, err, stderr)
}

// merged returns what mjfr batch merge writes, and its list of what could not be read.
func (f *bucketFleet) merged(question, name string) (out, errs string) {
	args := []string{"batch", "merge", filepath.Join(f.dir, name+"_batch")}
	if !strings.HasPrefix(question, "export") {
		args = append(args, "-o", "-")
	}
	code, out, errs := mjfrCommand(f.t, args...)
	assert.Equal(f.t, cli.ExitData, code, errs)
	return strings.ReplaceAll(out, filepath.Join(f.dir, name), ""), errs
}

// TestBatchOfAFleetInABucket asks all questions of a bucket with recordings of many kinds, whose server fails in many ways.
// The answer of one process is, byte for byte, that of three in another order, of which one is killed in the middle and
// started again, and with recordings that are named twice. Parts of the bucket are named twice each time. With -fleet 10000 and
// -fleet.made it has the recordings that jfrbench gen makes.
func TestBatchOfAFleetInABucket(t *testing.T) {
	longtest.Slow(t, "it runs dozens of processes")
	f := newBucketFleet(t)
	faulty := 5
	if *fleetSize > 1000 {
		faulty = 1 // a client waits a while before it asks again
	}
	for i, question := range fleetQuestions {
		if !longtest.Every(i, 5) {
			continue
		}
		begun := time.Now()
		f.Fail(uint64(2*i), faulty)
		f.run(question, "one", "0/1", false)
		f.Fail(uint64(2*i+1), faulty)
		f.run(question, "more", "2/3", false)
		f.run(question, "more", "0/3", true)
		f.run(question, "more", "1/3", false)
		f.run(question, "more", "0/3", false)
		assert.NotEmpty(t, f.Failures())
		want, wantErrs := f.merged(question, "one")
		got, gotErrs := f.merged(question, "more")
		assert.True(t, want == got, "%s:\n%.2000s\n---\n%.2000s", question, want, got)
		assert.Equal(t, wantErrs, gotErrs, question)
		assert.Contains(t, wantErrs, "it is not a Flight Recorder file, but text")
		if strings.HasPrefix(question, "export") {
			one, more := filesBelow(t, filepath.Join(f.dir, "one")), filesBelow(t, filepath.Join(f.dir, "more"))
			assert.Greater(t, len(one), 100)
			for path := range more {
				if strings.HasSuffix(path, ".part") { // of the one that was killed
					delete(more, path)
				}
			}
			assert.Equal(t, one, more)
		} else {
			assert.Greater(t, len(want), 20, "%s: %s", question, wantErrs)
		}
		t.Logf("%s: %d bytes, %s", question, len(want), time.Since(begun))
		left, err := filepath.Glob(filepath.Join(f.dir, "*"))
		require.NoError(t, err)
		for _, path := range left {
			require.NoError(t, os.RemoveAll(path))
		}
	}
}
