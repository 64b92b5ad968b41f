//go:build unix

package mmapjfr_test

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestWhatLivesOnDoesNotTouchTheRecording takes away the recording's memory and
// uses all that is said to be valid after Close. A string that is an alias would
// end the process.
func TestWhatLivesOnDoesNotTouchTheRecording(t *testing.T) {
	for _, name := range []string{"jdk25-profile.jfr", "jdk25-strings.jfr", "jdk17-kinds.jfr"} {
		t.Run(name, func(t *testing.T) {
			file, err := os.ReadFile("../testdata/" + name)
			require.NoError(t, err)
			data, err := syscall.Mmap(-1, 0, len(file), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
			require.NoError(t, err)
			defer func() { assert.NoError(t, syscall.Munmap(data)) }()
			copy(data, file)

			rec, err := mmapjfr.OpenBytes(data)
			require.NoError(t, err)
			events := all(t, rec)
			cloned := cloneTexts(events)
			require.NotEmpty(t, cloned)
			types, err := rec.Types()
			require.NoError(t, err)
			chunk := rec.Chunks()[0]
			_, zone, err := chunk.Region()
			require.NoError(t, err)
			require.NoError(t, rec.Close())
			require.NoError(t, syscall.Mprotect(data, syscall.PROT_NONE))

			assert.Equal(t, cloneTexts(all(t, openBytes(t, file))), cloned)
			assert.NotEmpty(t, zone.String())
			assert.Equal(t, uint64(0), chunk.Offset())
			for _, typ := range types {
				var buf []byte
				buf = appendType(buf, typ)
				require.NotEmpty(t, buf)
				for _, s := range typ.Settings() {
					buf = append(buf, s.Name()+s.Default()+s.Type().Name()...)
				}
				for _, f := range typ.Fields() {
					buf = append(buf, f.Label()+f.Description()...)
				}
				require.NotContains(t, string(buf), "\x00")
			}
			// Views answer as if nothing were there, without looking.
			for _, ev := range events {
				_ = ev.Type().Label()
				require.Empty(t, ev.Bytes())
				for f, v := range ev.Fields() {
					require.Zero(t, v.Int(), f.Name())
					require.Empty(t, v.Str(), f.Name())
				}
				require.True(t, ev.StackTrace().IsZero())
			}
		})
	}
}

// cloneTexts returns texts of many kinds, all of them independent of the recording.
func cloneTexts(events []mmapjfr.Event) (list []string) {
	for _, ev := range events {
		for _, v := range ev.Fields() {
			list = append(list, strings.Clone(v.Str()), v.String(), string(v.AppendStr(nil)))
		}
		for f := range ev.StackTrace().Frames() {
			list = append(list, strings.Clone(f.Method().Class().Name()), f.Value().String())
		}
		if len(list) > 20_000 {
			break
		}
	}
	return slices.Clip(list)
}
