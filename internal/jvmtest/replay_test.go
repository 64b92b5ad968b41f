package jvmtest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// eachScenario runs a test on every recorded scenario.
func eachScenario(t *testing.T, test func(t *testing.T, r *jvmtest.Replay)) {
	for _, name := range jvmtest.Scenarios(t) {
		t.Run(name, func(t *testing.T) { test(t, jvmtest.NewReplay(t, name)) })
	}
}

// TestReplayIsAsRecorded compares each file, before it is removed or at the end, with
// what was recorded, and what this module's reader finds in it with what jfr found.
func TestReplayIsAsRecorded(t *testing.T) {
	eachScenario(t, func(t *testing.T, r *jvmtest.Replay) {
		want := map[string]jvmtest.ExpectedFile{}
		for _, f := range r.Expected.Files {
			want[f.Name] = f
		}
		check := func(name string) {
			path := filepath.Join(r.Dir, filepath.FromSlash(name))
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			f, ok := want[name]
			require.True(t, ok, name)
			delete(want, name)
			sum := sha256.Sum256(data)
			assert.Len(t, data, int(f.Size))
			assert.Equal(t, f.SHA256, hex.EncodeToString(sum[:]))
			assert.Equal(t, f.Finished, data[stateAt] == stateFinished)
			assert.Equal(t, f.Flushed, validEnd(data))
			rec := opentest.Bytes(t, data)
			got := map[string]uint64{}
			for ev, err := range rec.Events() {
				if !f.Finished && errors.Is(err, mmapjfr.ErrUnfinished) {
					continue
				}
				require.NoError(t, err)
				got[ev.Type().Name()]++
			}
			assert.Equal(t, f.Events, got, name)
		}
		for {
			for _, c := range r.Upcoming() {
				if c.Kind == jvmtest.RemoveFile {
					assert.True(t, want[c.Name].Removed)
					check(c.Name)
				}
			}
			err := r.Step()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
		}
		require.NoError(t, filepath.WalkDir(r.Dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(r.Dir, path)
			name = filepath.ToSlash(name)
			assert.False(t, want[name].Removed)
			check(name)
			return err
		}))
		assert.Empty(t, want, "files that never were there")
	})
}

// TestScenarios checks that the scenarios hold what their notes and the README say.
func TestScenarios(t *testing.T) {
	assert.Len(t, jvmtest.Scenarios(t), 2*len(liveScenarios))
	eachScenario(t, func(t *testing.T, r *jvmtest.Replay) {
		files := r.Expected.Files
		last := files[len(files)-1]
		events, removed := map[string]uint64{}, 0 // events of all files by type
		folders := map[string]bool{}
		for _, f := range files {
			for name, n := range f.Events {
				events[name] += n
			}
			if f.Removed {
				removed++
			}
			folders[filepath.Dir(filepath.FromSlash(f.Name))] = true
		}
		made, gone := 0, false
		cleaned := false // a file was removed while the JVM still wrote to another
		for r.Upcoming() != nil {
			for _, c := range r.Upcoming() {
				switch c.Kind {
				case jvmtest.MakeFile:
					made++
				case jvmtest.RemoveFile:
					gone = true
				case jvmtest.WriteHeader:
					cleaned = cleaned || gone
				}
			}
			require.NoError(t, r.Step())
		}
		assert.Equal(t, len(files), made)
		left, err := os.ReadDir(r.Dir)
		require.NoError(t, err)
		version, name, _ := strings.Cut(filepath.Base(t.Name()), "-")
		assert.True(t, strings.HasPrefix(r.JDK, strings.TrimPrefix(version, "jdk")+"."))
		switch name {
		case "quiet":
			// The fifth comes at the exit, where the JVM ends the recording that the
			// last rotation began.
			assert.Len(t, files, 5)
			assert.Equal(t, 5, removed)
			assert.False(t, cleaned)
			assert.Empty(t, left)
		case "heavy":
			assert.GreaterOrEqual(t, len(files), 3)
			assert.True(t, cleaned, "no chunk is removed while the JVM runs")
			assert.Greater(t, events["mmapjfr.Tick"], uint64(50_000))
			assert.Empty(t, left)
		case "killed":
			assert.Len(t, files, 2)
			assert.Zero(t, removed)
			assert.False(t, last.Finished)
			assert.Greater(t, last.Size, last.Flushed)
			assert.Greater(t, last.Flushed, int64(jvmtest.HeaderSize))
		case "two":
			assert.Len(t, folders, 2)
			assert.GreaterOrEqual(t, len(files), 4)
			assert.True(t, cleaned, "the first JVM does not end before the second")
			assert.EqualValues(t, 10, events["second.Only"])
			assert.Empty(t, left)
		case "types":
			assert.Len(t, files, 3)
			assert.EqualValues(t, 20, events["late.First"])
			assert.EqualValues(t, 20, events["late.Second"])
			assert.EqualValues(t, 10, events["late.Third"])
		case "unflushed":
			assert.Len(t, files, 1)
			assert.EqualValues(t, jvmtest.HeaderSize, last.Flushed)
			assert.Greater(t, last.Size, last.Flushed)
			assert.NotEmpty(t, last.Refused)
		default:
			t.Error("a scenario that the README does not tell of")
		}
	})
}

func TestScenarioRoundTrip(t *testing.T) {
	want := &jvmtest.Scenario{JDK: "25.0.3", States: []jvmtest.State{
		{At: 0, Changes: []jvmtest.Change{{Kind: jvmtest.MakeFolder, Name: "a"}, {Kind: jvmtest.MakeFile, Name: "a/b.jfr"}}},
		{At: 1500, Changes: []jvmtest.Change{
			{Kind: jvmtest.WriteData, Name: "a/b.jfr", Offset: 68, Bytes: []byte("x\nstate 1\n")},
			{Kind: jvmtest.WriteHeader, Name: "a/b.jfr", Bytes: make([]byte, jvmtest.HeaderSize)},
		}},
		{At: 1700, Changes: []jvmtest.Change{{Kind: jvmtest.RemoveFile, Name: "a/b.jfr"}, {Kind: jvmtest.RemoveFolder, Name: "a"}}},
	}}
	var text bytes.Buffer
	require.NoError(t, want.Write(&text))
	got, err := jvmtest.ReadScenario(&text)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}
