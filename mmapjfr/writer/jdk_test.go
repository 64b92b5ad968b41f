package writer_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/metadata"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

// sameAsJDK fails the test where the JDK's jfr prints a recording otherwise than we do. That we read
// what was written, other tests show.
func sameAsJDK(t *testing.T, data []byte, formats ...print.Format) {
	t.Helper()
	rec := opentest.Bytes(t, data)
	recs := []*mmapjfr.Recording{rec}
	var out bytes.Buffer
	same := func(question ...string) {
		t.Helper()
		said.Same(t, []byte(said.Now(t, data, question...)), out.Bytes())
		out.Reset()
	}
	if len(formats) == 0 {
		formats = []print.Format{print.JSON, print.Exact}
	}
	for _, format := range formats {
		require.NoError(t, print.Write(t.Context(), &out, recs, print.Options{Format: format, StackDepth: 64}))
		same("print", map[print.Format]string{print.JSON: "--json", print.Exact: "--exact"}[format], "--stack-depth", "64")
	}
	s, err := summary.Count(t.Context(), recs, nil)
	require.NoError(t, err)
	require.NoError(t, s.WriteText(&out))
	same("summary")
	var c metadata.Catalog
	require.NoError(t, c.Add(rec))
	require.NoError(t, c.WriteSource(&out, metadata.Options{}))
	same("metadata")
}

func TestJDKReadsAllKinds(t *testing.T) {
	longtest.JVM(t)
	for name, opts := range map[string][]writer.Option{"one chunk": nil, "many chunks": {writer.ChunkSize(4096)}} {
		t.Run(name, func(t *testing.T) {
			w, out := newWriter(t, opts...)
			require.NoError(t, w.Define(kindTypes()...))
			typ := define(t, w, "test.Kinds", kindFields...)
			for range 5 {
				v, _ := kindValues(w.Now())
				require.NoError(t, typ.Write(v...))
			}
			require.NoError(t, w.Close())
			sameAsJDK(t, out.Bytes(), print.JSON) // it prints arrays in no other way
		})
	}
}

func TestJDKReadsRandomTypes(t *testing.T) {
	longtest.JVM(t)
	for seed := range uint64(longtest.Cases(4, 50)) {
		w, out := newWriter(t, writer.ChunkSize(16<<10))
		writeRandom(t, &random{Rand: rand.New(rand.NewPCG(seed, 17)), plain: true}, w)
		sameAsJDK(t, out.Bytes(), print.JSON)
	}
}

func TestJDKReadsRecordersAndStacks(t *testing.T) {
	longtest.JVM(t)
	type sample struct {
		Thread writer.Thread `jfr:"sampledThread"`
		Stack  writer.Stack  `jfr:"stackTrace"`
		State  string        `jfr:"state" type:"jdk.types.ThreadState"`
	}
	w, out := newWriter(t, writer.ChunkSize(16<<10))
	requests, err := writer.NewRecorder[request](w, writer.EventInfo{Name: "app.Request", StackTrace: true, Spans: true})
	require.NoError(t, err)
	samples, err := writer.NewRecorder[sample](w, writer.EventInfo{Name: "jdk.ExecutionSample", Instant: true, NoThread: true})
	require.NoError(t, err)
	for i := range 200 {
		ctx, begun := requests.Begin(t.Context())
		require.NoError(t, samples.Record(ctx, sample{writer.Thread{Name: "a", ID: 1}, callers(), "STATE_RUNNABLE"}))
		require.NoError(t, begun.End(sampleRequest()))
		if i%40 == 0 {
			require.NoError(t, w.Flush())
		}
	}
	require.NoError(t, w.Close())
	sameAsJDK(t, out.Bytes())
}

func TestJDKReadsEmptyRecordings(t *testing.T) {
	longtest.JVM(t)
	w, out := newWriter(t)
	require.NoError(t, w.Close())
	sameAsJDK(t, out.Bytes())
	path := filepath.Join(t.TempDir(), "empty.jfr")
	w, err := writer.Create(path, writer.Clock(newClock().Now))
	require.NoError(t, err)
	typ := define(t, w, "test.Event")
	require.NoError(t, typ.Write(writer.Time(w.Now())))
	require.NoError(t, w.Flush())
	require.NoError(t, w.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	sameAsJDK(t, data)
}
