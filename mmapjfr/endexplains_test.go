package mmapjfr_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestMissingEndExplainsNoBadMetadata reads a chunk that was never finished in all ways:
// metadata that is there and cannot be read is damage.
func TestMissingEndExplainsNoBadMetadata(t *testing.T) {
	killed, err := os.ReadFile("../testdata/jdk25-killed.jfr")
	require.NoError(t, err)
	ways := map[string]func(rec *mmapjfr.Recording) error{
		"Events": func(rec *mmapjfr.Recording) error {
			_, errs := walk(t, rec.Select())
			return errors.Join(errs...)
		},
		"Cursor": func(rec *mmapjfr.Recording) (all error) {
			c := rec.Select().Cursor()
			for more := true; more; {
				for c.Next() {
				}
				all, more = errors.Join(all, c.Err()), c.Err() != nil
			}
			return all
		},
		"Parallel": func(rec *mmapjfr.Recording) error {
			return rec.Select().Parallel(t.Context(), func(int, mmapjfr.Event) error { return nil })
		},
	}
	for name, read := range ways {
		t.Run(name, func(t *testing.T) {
			sound := read(openBytes(t, killed))
			assert.ErrorIs(t, sound, mmapjfr.ErrUnfinished)
			assert.NotErrorIs(t, sound, mmapjfr.ErrCorrupt)

			bad := bytes.Clone(killed)
			copy(bad[9331:], bytes.Repeat([]byte{0xff}, 8))
			told := read(openBytes(t, bad))
			assert.ErrorIs(t, told, mmapjfr.ErrUnfinished)
			assert.ErrorIs(t, told, mmapjfr.ErrCorrupt)
			assert.ErrorContains(t, told, "metadata event")

			told = read(openBytes(t, killed[:9000])) // a copy without the metadata that the header names
			assert.ErrorIs(t, told, mmapjfr.ErrUnfinished)
			assert.ErrorIs(t, told, mmapjfr.ErrCorrupt)
		})
	}
}
