package columns_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

// objects returns the lines of a table as objects.
func objects(t testing.TB, data []byte) (list []map[string]any) {
	t.Helper()
	for s := bufio.NewReader(bytes.NewReader(data)); ; {
		line, err := s.ReadBytes('\n')
		if err != nil {
			return list
		}
		var row map[string]any
		require.NoError(t, json.Unmarshal(line, &row))
		list = append(list, row)
	}
}

// TestEventsLeadToTheirRecording counts the events of each recording in tables of several, by their key.
func TestEventsLeadToTheirRecording(t *testing.T) {
	var recs []*mmapjfr.Recording
	for _, name := range []string{"jdk17-kinds", "jdk25-kinds", "jdk25-profile", "jdk25-chunks", "jdk17-chunks"} {
		recs = append(recs, open(t, "../../testdata/"+name+".jfr"))
	}
	o := columns.Options{Name: func(rec *mmapjfr.Recording) string { return "in/" + filepath.Base(rec.Path()) }, Labels: []string{"host", "zone"},
		LabelValues: func(rec *mmapjfr.Recording) []string {
			if rec == recs[0] {
				return []string{"", "a"}
			}
			return []string{"host of " + filepath.Base(rec.Path()), "b"}
		}}
	files := export(t, columns.NDJSON, o, recs...)
	ids, pids := make(map[string]*mmapjfr.Recording), 0
	for i, row := range objects(t, files["_recording"]) {
		id := row["recording_id"].(string)
		assert.Regexp(t, "^[0-9a-f]{16}$", id)
		for _, rec := range recs {
			if row["source"] == "in/"+filepath.Base(rec.Path()) {
				ids[id] = rec
				assert.Equal(t, columns.RecordingID(rec), id)
			}
		}
		if row["jvm_pid"] != nil {
			pids++
			assert.NotNil(t, row["jvm_start_time"], i)
		}
		if row["label_zone"] == "b" {
			assert.Equal(t, row["label_host"], row["host"])
		}
	}
	require.Len(t, ids, len(recs))
	assert.Equal(t, 1, pids, "the others lack events about the JVM")
	tables := 0
	for name, data := range files {
		if strings.HasPrefix(name, "_") {
			continue
		}
		tables++
		got := make(map[*mmapjfr.Recording]int)
		for _, row := range objects(t, data) {
			got[ids[row["recording_id"].(string)]]++
		}
		want := make(map[*mmapjfr.Recording]int)
		for _, rec := range recs {
			for _, err := range rec.Select(mmapjfr.TypesFunc(func(typ mmapjfr.Type) bool { return columns.TableName(typ) == name })).Events() {
				require.NoError(t, err)
				want[rec]++
			}
		}
		assert.Equal(t, want, got, name)
	}
	assert.Greater(t, tables, 100)
}

// TestRecordingIDIsThatOfTheContent copies a recording, cuts it, and exports it in parts.
func TestRecordingIDIsThatOfTheContent(t *testing.T) {
	const path = "../../testdata/jdk25-chunks.jfr"
	rec := open(t, path)
	id := columns.RecordingID(rec)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	other := filepath.Join(t.TempDir(), "other name.jfr")
	require.NoError(t, os.WriteFile(other, data, 0o600))
	assert.Equal(t, id, columns.RecordingID(open(t, other)))
	part, err := mmapjfr.OpenBytes(data[:rec.Chunks()[0].Size()])
	require.NoError(t, err)
	assert.NotEqual(t, id, columns.RecordingID(part))
	require.Greater(t, len(rec.Chunks()), 1)
	for n, c := range rec.Chunks() {
		only := mmapjfr.ChunkRange{From: c.Offset(), To: c.Offset() + 1}
		files := export(t, columns.NDJSON, columns.Options{Ranges: func(*mmapjfr.Recording) mmapjfr.ChunkRange { return only }}, rec)
		assert.Equal(t, n == 0, files["_recording"] != nil)
		for _, row := range objects(t, files["jdk.ActiveSetting"]) {
			assert.Equal(t, id, row["recording_id"])
		}
	}
}

// TestSeveralJVMs joins recordings of two JVMs in one file, of which no single JVM is then said, and counts copies once.
func TestSeveralJVMs(t *testing.T) {
	var both []byte
	for _, name := range []string{"jdk17-profile", "jdk25-profile", "jdk17-profile"} {
		data, err := os.ReadFile("../../testdata/" + name + ".jfr")
		require.NoError(t, err)
		both = append(both, data...)
	}
	rec, err := mmapjfr.OpenBytes(both)
	require.NoError(t, err)
	one := open(t, "../../testdata/jdk25-profile.jfr")
	rows := objects(t, export(t, columns.NDJSON, columns.Options{}.OnlyRecordings(), rec, one, open(t, one.Path()))["_recording"])
	require.Len(t, rows, 2)
	assert.Equal(t, []any{2.0, nil, nil, nil, nil}, []any{rows[0]["jvms"], rows[0]["jvm_pid"], rows[0]["jvm_start_time"], rows[0]["jvm_version"], rows[0]["host"]})
	assert.Equal(t, 1.0, rows[1]["jvms"])
	assert.NotNil(t, rows[1]["jvm_pid"])
}

// jvmInformation is what tests say of a JVM.
type jvmInformation struct {
	Name  string    `jfr:"jvmName"`
	Start time.Time `jfr:"jvmStartTime" unit:"ms"`
	PID   int64     `jfr:"pid"`
}

// TestChunksBesideTheirJVM has a chunk that names no JVM, with another clock: beside a JVM, as async-profiler writes it, and after.
func TestChunksBesideTheirJVM(t *testing.T) {
	begin := time.Date(2026, 11, 25, 21, 0, 0, 0, time.UTC)
	written := func(begin time.Time, process int64) []byte {
		var out bytes.Buffer
		now := begin
		w, err := writer.New(&out, writer.Clock(func() time.Time { now = now.Add(time.Minute); return now }))
		require.NoError(t, err)
		info, err := writer.NewRecorder[jvmInformation](w, writer.EventInfo{Name: "jdk.JVMInformation", Instant: true, NoThread: true})
		require.NoError(t, err)
		if process != 0 {
			require.NoError(t, info.Record(t.Context(), jvmInformation{"test", begin, process}))
		}
		require.NoError(t, w.Close())
		return out.Bytes()
	}
	for name, c := range map[string]struct {
		chunks [][]byte
		jvms   float64
		pid    any
	}{
		"beside it":         {[][]byte{written(begin, 4711), written(begin.Add(time.Minute), 0)}, 1, 4711.0},
		"before it":         {[][]byte{written(begin.Add(time.Minute), 0), written(begin, 4711)}, 1, 4711.0},
		"later":             {[][]byte{written(begin, 4711), written(begin.Add(time.Hour), 0)}, 2, nil},
		"beside two of two": {[][]byte{written(begin, 4711), written(begin, 4712), written(begin.Add(time.Minute), 0)}, 3, nil},
		"beside no JVM":     {[][]byte{written(begin, 0), written(begin.Add(time.Minute), 0)}, 2, nil},
	} {
		rec, err := mmapjfr.OpenBytes(bytes.Join(c.chunks, nil))
		require.NoError(t, err)
		require.False(t, engine.ChunkSameJVM(rec.Chunks()[0], rec.Chunks()[len(rec.Chunks())-1]), "so the test is one")
		row := objects(t, export(t, columns.NDJSON, columns.Options{}.OnlyRecordings(), rec)["_recording"])[0]
		assert.Equal(t, []any{c.jvms, c.pid}, []any{row["jvms"], row["jvm_pid"]}, name)
	}
}

// TestFieldCalledRecordingID keeps the values of such a field.
func TestFieldCalledRecordingID(t *testing.T) {
	b := jfrtest.NewChunk()
	typ := b.Event("test.Own", jfrtest.Of("recording_id", "int"))
	b.Emit(typ, int64(0), 7)
	data, _ := b.Build()
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	row := objects(t, export(t, columns.NDJSON, columns.Options{}, rec)["test.Own"])[0]
	assert.Equal(t, 7.0, row["recording_id_"])
	assert.Equal(t, columns.RecordingID(rec), row["recording_id"])
}

// TestHostOfTheEnvironment finds the name of the host where no label has it.
func TestHostOfTheEnvironment(t *testing.T) {
	b := jfrtest.NewChunk()
	typ := b.Event("jdk.InitialEnvironmentVariable", jfrtest.Of("key", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
	b.Emit(typ, int64(0), "PATH", "/bin")
	b.Emit(typ, int64(1), "HOST", "second choice")
	b.Emit(typ, int64(2), "HOSTNAME", "shop-7")
	data, _ := b.Build()
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	assert.Equal(t, "shop-7", objects(t, export(t, columns.NDJSON, columns.Options{}, rec)["_recording"])[0]["host"])
}
