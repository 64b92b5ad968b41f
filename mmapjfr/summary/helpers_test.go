package summary_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// each runs a test for every recording of testdata.
func each(t *testing.T, do func(t *testing.T, name string, data []byte)) {
	for _, path := range longtest.Recordings(t) {
		t.Run(filepath.Base(path), func(t *testing.T) { do(t, filepath.Base(path), read(t, filepath.Base(path))) })
	}
}

func read(t *testing.T, name string) []byte {
	data, err := os.ReadFile(filepath.Join("../../testdata", name))
	require.NoError(t, err)
	return data
}

// open opens recordings that are in memory.
func open(t *testing.T, files ...[]byte) (list []*mmapjfr.Recording) {
	for _, data := range files {
		rec, err := mmapjfr.OpenBytes(data)
		require.NoError(t, err)
		list = append(list, rec)
	}
	return list
}

// collect sums recordings up.
func collect(t *testing.T, files ...[]byte) *summary.Summary {
	s, err := summary.Count(t.Context(), open(t, files...), nil)
	require.NoError(t, err)
	return s
}

// extend sums recordings up and finds out all that can be.
func extend(t *testing.T, files ...[]byte) *summary.Summary {
	s := collect(t, files...)
	require.NoError(t, s.ReadPools(t.Context(), nil))
	require.NoError(t, s.ReadTimes(t.Context(), nil))
	return s
}

func text(t *testing.T, s *summary.Summary) []byte {
	var b bytes.Buffer
	require.NoError(t, s.WriteText(&b))
	return b.Bytes()
}

// row is a type with its count, as tests want it.
type row struct {
	name   string
	events uint64
}

// rows returns the types of which there are events, without those of the format.
func rows(s *summary.Summary) (list []row) {
	for _, typ := range s.Types {
		if typ.IsEvent() && typ.Events > 0 {
			list = append(list, row{typ.Name, typ.Events})
		}
	}
	return list
}

// counts returns what there is of each name.
func counts(s *summary.Summary) map[string]index.EventCount {
	sums := make(map[string]index.EventCount)
	for _, typ := range s.Types {
		n := sums[typ.Name]
		n.Add(typ.EventCount)
		sums[typ.Name] = n
	}
	return sums
}

// split cuts a recording into one of each chunk.
func split(t *testing.T, data []byte) (files [][]byte) {
	for _, c := range open(t, data)[0].Chunks() {
		files = append(files, data[c.Offset():c.Offset()+c.Size()])
	}
	return files
}

// kind is an event type of a built chunk, with a number of events.
type kind struct {
	id     int64
	name   string
	events int
}

// built builds a chunk that has these types.
func built(kinds ...kind) *jfrtest.Builder {
	b := jfrtest.NewChunk()
	for _, k := range kinds {
		class := &jfrtest.Class{ID: k.id, Name: k.name, SuperType: jfrtest.EventSuperType, Fields: []jfrtest.Field{
			jfrtest.Of("startTime", "long"),
		}}
		b.Add(class)
		for i := range k.events {
			b.Emit(class, int64(i))
		}
	}
	return b
}

func joined(chunks ...*jfrtest.Builder) []byte {
	data, _ := jfrtest.Concat(chunks...)
	return data
}
