//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// writing are all verbs that write of recordings, and what they can write, but for sql, whose tables are private by
// themselves. FILES stands for the recordings, OUT for a new folder that everybody may read.
var writing = []string{
	"slice --from 100ms FILES OUT/a.jfr", "compact FILES OUT/a.jfr", "merge FILES OUT/a.jfr", "convert FILES OUT/a.jfr",
	"scrub --exclude-events GC* FILES OUT/a.jfr", "redact --key-file OUT/key FILES OUT/a.jfr", "repair FILES OUT/a.jfr",
	"disassemble --every 300ms --output OUT FILES", "profile -o OUT/a.html FILES", "profile -t alloc -o OUT/a.pb.gz FILES",
	"profile --diff OPEN -o OUT/a.collapsed FILES", "report -o OUT/a.html FILES",
	"export --parquet OUT/a FILES", "export --csv OUT/a --events GC* FILES", "export --ndjson OUT/a FILES",
	"batch view --out OUT/work hot-methods FILES", "batch export --parquet OUT/a FILES",
	"batch query --out OUT/work select|count(*)|from|jdk.* FILES",
	"batch view --out OUT/work --key pod --labels in{pod} hot-methods FILES",
}

// packed returns a recording packed in each way.
func packed(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	with := func(name string, pack func(w io.Writer) io.WriteCloser) {
		var b bytes.Buffer
		w := pack(&b)
		_, err := w.Write(data)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		all[name] = b.Bytes()
	}
	with("in.jfr.gz", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	with("in.jfr.lz4", func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) })
	with("in.jfr.zst", func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		require.NoError(t, err)
		return z
	})
	with("in.jfr.xz", func(w io.Writer) io.WriteCloser {
		z, err := xz.NewWriter(w)
		require.NoError(t, err)
		return z
	})
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("in.jfr")
	require.NoError(t, err)
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	all["in.zip"] = b.Bytes()
	return all
}

// TestNobodyReadsWhatIsMadeOfAPrivateRecording writes by every verb that writes, of every kind of input that its user
// alone may read, or whose mode is not known.
func TestNobodyReadsWhatIsMadeOfAPrivateRecording(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, err)
	files := packed(t, data)
	files["in.jfr"], files["other.jfr"] = data, data
	served := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(served, "in.jfr"), data, 0o600))
	url := serveFiles(t, served).URL + "/in.jfr"
	kinds := []string{"in.jfr", "in.jfr.gz", "in.jfr.lz4", "in.jfr.zst", "in.jfr.xz", "in.zip", "link.jfr", "pipe", "-", url, "", "open.jfr in.jfr"}
	n := 0
	for i, line := range writing {
		for j, kind := range kinds {
			isBatch, one := strings.HasPrefix(line, "batch"), strings.HasPrefix(line, "disassemble") || strings.HasPrefix(line, "scrub")
			switch {
			case !longtest.Every(i+j, 19) && !(j == 0 && i%2 == 0),
				isBatch && kind == "-", one && strings.Contains(kind, " "):
				continue
			}
			n += writesPrivately(t, line, kind, files)
		}
	}
	assert.Greater(t, n, 15, "files that were looked at")
	after := filepath.Join(t.TempDir(), "after")
	require.NoError(t, os.WriteFile(after, nil, 0o666))
	info, err := os.Stat(after)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode().Perm()&0o040, "what the process writes later")
}

// writesPrivately runs a line of writing, and returns how many files and folders it has written.
func writesPrivately(t *testing.T, line, kind string, files map[string][]byte) (n int) {
	t.Helper()
	dir := t.TempDir()
	before := map[string]bool{"open.jfr": true, "link.jfr": true, "pipe": true, "out": true}
	for name, data := range files {
		before[name] = true
		if kind == "" && name != "in.jfr" && name != "other.jfr" {
			continue // one recording and a copy
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "open.jfr"), files["in.jfr"], 0o600))
	require.NoError(t, os.Chmod(filepath.Join(dir, "open.jfr"), 0o644))
	require.NoError(t, os.Symlink("in.jfr", filepath.Join(dir, "link.jfr")))
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	if kind == "pipe" {
		go os.WriteFile(pipe, files["in.jfr"], 0o600)
	}
	out := filepath.Join(dir, "out")
	require.NoError(t, os.Mkdir(out, 0o777))
	require.NoError(t, os.Chmod(out, 0o755))
	var args []string
	for _, word := range strings.Fields(line) {
		word = strings.NewReplacer("|", " ", "OUT", out, "OPEN", filepath.Join(dir, "open.jfr")).Replace(word)
		switch {
		case word != "FILES":
			args = append(args, word)
		case kind == "-" || strings.Contains(kind, "://"):
			args = append(args, kind)
		default:
			for name := range strings.SplitSeq(kind, " ") {
				args = append(args, filepath.Join(dir, name))
			}
		}
	}
	var told, said bytes.Buffer
	a := &cli.App{Root: newMjfr, Stdin: bytes.NewReader(files["in.jfr"]), Stdout: &said, Stderr: &told}
	require.Equal(t, cli.ExitOK, a.Run(t.Context(), args), "%s of %q: %s", line, kind, told.String())
	work := filepath.Join(out, "work")
	if _, err := os.Stat(work); err == nil {
		merged := "merged.txt"
		if strings.Contains(line, "--key pod") {
			merged = "{pod}.txt"
		}
		code, _, errs := mjfrCommand(t, "batch", "merge", "-o", filepath.Join(out, merged), work)
		require.Equal(t, cli.ExitOK, code, errs)
	}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		if name, _ := filepath.Rel(dir, path); before[name] || path == dir {
			return nil
		}
		n++
		info, err := e.Info()
		require.NoError(t, err)
		assert.Zero(t, info.Mode().Perm()&0o077, "%s of %q: %s: %v", line, kind, e.Name(), info.Mode())
		return nil
	}))
	assert.NotZero(t, n, "%s of %q", line, kind)
	return n
}
