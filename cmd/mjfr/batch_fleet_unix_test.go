//go:build unix

package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/s3test"
)

// filesBelow returns hashes of the files below a folder, by their paths, without those in folders for partial results.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "_batch") {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		list[rel] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	}))
	return list
}

// TestBatchOfABucketAfterAMachineWasKilled kills a process while it waits for a server, once it has done some items, and
// starts it again. Another process does the other share at the same time.
func TestBatchOfABucketAfterAMachineWasKilled(t *testing.T) {
	longtest.Long(t, "it runs twelve processes")
	all := make(map[string][]byte)
	for i, name := range []string{"jdk17-kinds.jfr", "jdk25-kinds.jfr", "jdk25-empty.jfr", "jdk17-chunks.jfr", "jdk25-chunks.jfr", "jdk25-ticks.jfr", "jdk25-virtual.jfr", "jdk17-strings.jfr"} {
		data, err := os.ReadFile(clitest.File(name))
		require.NoError(t, err)
		all[fmt.Sprintf("service=%d/%s", i%2, name)] = data
	}
	s := s3test.Start(t, all)
	code, list, stderr := mjfrCommand(t, "batch", "list", s3test.URL+"service=1/")
	require.Equal(t, cli.ExitOK, code, stderr)
	assert.Equal(t, 4, strings.Count(list, "\n"))
	assert.Regexp(t, `(?m)^\{"uri":"s3://recordings/service=1/jdk17-chunks.jfr","size":323862,"etag":"[0-9a-f]{32}"\}$`, list)
	for _, verb := range []string{"profile --format collapsed", "export --parquet LAKE"} {
		dir := t.TempDir()
		run := func(name, shard string, killed bool) {
			out := filepath.Join(dir, name)
			args := strings.Fields(strings.ReplaceAll("batch "+verb, "LAKE", out))
			args = append(args, "--out", out+"_batch", "--key", "service", "--item-size", "1", "--jobs", "2", "--shard", shard, s3test.URL, s3test.URL+"service=1/")
			cmd, stderr := mjfrProcess(t, args...)
			temp := t.TempDir()
			cmd.Env = append(os.Environ(), "TMPDIR="+temp)
			waits := make(chan bool, 100)
			if killed {
				var requests atomic.Int64
				s.Hook(func(_ http.ResponseWriter, r *http.Request) bool {
					if requests.Add(1) < 9 || r.URL.Query().Has("list-type") {
						return false
					}
					waits <- true
					<-r.Context().Done()
					return true
				})
			}
			require.NoError(t, cmd.Start())
			if !killed {
				require.NoError(t, cmd.Wait(), stderr)
				return
			}
			<-waits
			require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
			require.Error(t, cmd.Wait())
			for path, sum := range filesBelow(t, temp) { // one that was just made has its name still
				assert.Equal(t, fmt.Sprintf("%x", sha256.Sum256(nil)), sum, "what was fetched is gone: %s", path)
			}
			s.Hook(nil)
		}
		s.Fail(3, 15)
		run("one", "0/1", false)
		s.Fail(4, 15)
		run("two", "1/2", true)
		var group sync.WaitGroup
		for _, shard := range []string{"0/2", "1/2"} {
			group.Go(func() { run("two", shard, false) })
		}
		group.Wait()
		for _, name := range []string{"one", "two"} {
			args := []string{"batch", "merge", filepath.Join(dir, name+"_batch")}
			if !strings.Contains(verb, "LAKE") {
				args = append(args, "-o", "-")
			}
			code, out, stderr := mjfrCommand(t, args...)
			require.Equal(t, cli.ExitOK, code, stderr)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name+".txt"), []byte(strings.ReplaceAll(out, dir+"/"+name, "")), 0o600))
		}
		files := filesBelow(t, dir)
		assert.Equal(t, files["one.txt"], files["two.txt"], verb)
		if strings.Contains(verb, "LAKE") {
			one, two := filesBelow(t, filepath.Join(dir, "one")), filesBelow(t, filepath.Join(dir, "two"))
			assert.Greater(t, len(one), 50)
			for path := range two {
				if strings.HasSuffix(path, ".part") {
					delete(two, path)
				}
			}
			assert.Equal(t, one, two)
		}
	}
}

// TestBatchExamplesOfThePage runs the commands of the page for Kubernetes and Slurm as these run them, and compares what is
// merged with what one machine finds.
func TestBatchExamplesOfThePage(t *testing.T) {
	longtest.Long(t, "it runs forty processes")
	shell := "/bin/sh"
	if _, err := os.Stat(shell); err != nil {
		t.Skip("there is no shell")
	}
	home := t.TempDir()
	recordings := filepath.Join(home, "recordings")
	manifest := ""
	for i, file := range batchFiles() {
		to := filepath.Join(recordings, fmt.Sprintf("service=%d", i%2), filepath.Base(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o700))
		file, err := filepath.Abs(file)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(file, to))
		manifest += to + "\n"
	}
	require.NoError(t, os.WriteFile(filepath.Join(home, "list.ndjson"), []byte(manifest), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(home, "go.mod"), nil, 0o600)) // the test binary, which mjfr is, looks for one
	page := strings.NewReplacer("/recordings", recordings, "/work", home+"/pods").Replace
	text, err := os.ReadFile("../../docs/BATCH.md")
	require.NoError(t, err)
	found := func(pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(string(text))
		require.NotNil(t, m, pattern)
		return m[1]
	}
	path := filepath.Dir(buildMjfr(t))
	sh := func(script string, env ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), shell, "-c", script)
		cmd.Dir, cmd.Env = home, append([]string{"PATH=" + path, "HOME=" + home, "TMPDIR=" + t.TempDir()}, env...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", script, out)
	}
	array := func(script, variable string) {
		t.Helper()
		script = strings.Replace(script, "--out", "--item-size 1 --out", 1) // otherwise it is one item
		var group sync.WaitGroup
		for machine := range 4 {
			group.Go(func() {
				for i := machine; i < 16; i += 4 {
					sh(script, fmt.Sprintf("%s=%d", variable, 15-i))
				}
			})
		}
		group.Wait()
	}

	array(page(found(`command: \[sh, -c, '(.*)'\]`)), "JOB_COMPLETION_INDEX")
	sh(page(found("Then, in a pod that mounts `work`: `(.*?)`")))
	sh("mjfr batch profile --out one " + recordings + " && mjfr batch merge -o one.pb.gz one")
	files := filesBelow(t, home)
	assert.Equal(t, files["one.pb.gz"], files["fleet.pb.gz"])

	script := found("(?s)## Slurm\n\n```sh\n#!/bin/sh\n(.*?)```")
	array(script, "SLURM_ARRAY_TASK_ID")
	sh(found(`--wrap '(.*)'\n`))
	sh(strings.NewReplacer(`--shard "$SLURM_ARRAY_TASK_ID/16"`, "", "$HOME/work", "$HOME/alone").Replace(script))
	sh(`mjfr batch merge -o "alone/{service}.txt" alone`)
	files = filesBelow(t, home)
	for _, name := range []string{"0.txt", "1.txt"} {
		assert.NotEmpty(t, files["alone/"+name])
		assert.Equal(t, files["alone/"+name], files["reports/"+name])
	}
}
