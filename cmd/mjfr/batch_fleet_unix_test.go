//go:build unix

package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
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
