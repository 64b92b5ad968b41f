package input_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/leaktest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// TestLeavesNothingOpen opens recordings packed in every way, whole and damaged, alone and
// after others, into memory and into files, and has it end early. What is mapped, open or on
// the disk is given back, at Close or at once.
func TestLeavesNothingOpen(t *testing.T) {
	raw := recording(t, "jdk25-empty.jfr")
	dir := t.TempDir()
	files := map[string]bool{ // whether it can be opened
		write(t, dir, "plain", raw):                       true,
		write(t, dir, "cut", raw[:1000]):                  true,
		write(t, dir, "short", raw[:50]):                  false,
		write(t, dir, "empty", nil):                       false,
		write(t, dir, "text", []byte("not a thing")):      false,
		write(t, dir, "packed text", gzipped(t, raw[8:])): false,
		filepath.Join(dir, "missing"):                     false,
	}
	for _, w := range ways {
		data := w.pack(t, raw)
		files[write(t, dir, w.name, data)] = true
		files[write(t, dir, w.name+" twice", gzipped(t, data))] = true
		files[write(t, dir, w.name+" cut", data[:8])] = false
		half := bytes.Clone(data)
		copy(half[len(half)/2:], make([]byte, 64))
		write(t, dir, w.name+" damaged", half)
	}
	for _, place := range places {
		t.Run(place.name, func(t *testing.T) {
			o, _ := options(t)
			place.set(t, &o)
			o.OnError = func(string, error) {}
			first := filepath.Join(dir, "gzip")
			leaktest.Check(t, func() {
				for file, good := range files {
					for _, names := range [][]string{{file}, {first, file}} {
						set, err := input.Open(context.Background(), names, o)
						require.Equal(t, good || len(names) > 1, err == nil, "%s: %v", file, err)
						if err == nil {
							assert.NoError(t, set.Close())
						}
					}
				}
				for _, w := range ways {
					if set, err := input.Open(context.Background(), []string{filepath.Join(dir, w.name+" damaged")}, o); err == nil {
						assert.NoError(t, set.Close())
					}
				}
				// All of the folder at once, where what cannot be read is passed over.
				set, err := input.Open(context.Background(), []string{dir}, o)
				require.NoError(t, err)
				assert.Greater(t, len(set.Recordings), len(ways))
				assert.NoError(t, set.Close())

				for _, stop := range []int64{0, 1, 5000} {
					ctx, cancel := context.WithCancel(context.Background())
					o := o
					o.Progress = func(_ string, done, _ int64) {
						if done >= stop {
							cancel()
						}
					}
					_, err := input.Open(ctx, []string{first, filepath.Join(dir, "zip")}, o)
					assert.ErrorIs(t, err, context.Canceled)
				}
				wrong := errors.New("wrong")
				o.Stdin = io.MultiReader(bytes.NewReader(raw[:20]), iotest.ErrReader(wrong))
				told := error(nil)
				o.OnError = func(_ string, err error) { told = err }
				set, err = input.Open(context.Background(), []string{first, "-"}, o)
				require.NoError(t, err)
				assert.NoError(t, set.Close())
				assert.ErrorIs(t, told, wrong)
				o.Stdin = bytes.NewReader(raw)
				o.Open = []mmapjfr.Option{mmapjfr.Workers(-1)}
				_, err = input.Open(context.Background(), []string{"-"}, o)
				assert.Error(t, err)
			})
			noFiles(t, o.TempDir)
		})
	}
}
