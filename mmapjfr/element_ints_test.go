package mmapjfr_test

import (
	"encoding/binary"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestAppendElementInts compares with the elements one by one, for all arrays of structs of all
// constants of the recordings.
func TestAppendElementInts(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.jfr")
	require.NoError(t, err)
	elements := 0
	for _, file := range files {
		rec, err := mmapjfr.Open(file)
		require.NoError(t, err)
		for _, c := range rec.Chunks() {
			types, _ := c.Types()
			for _, typ := range types {
				for _, v := range engine.ChunkConstants(c, typ) {
					for f, array := range v.Fields() {
						if !f.IsArray() {
							continue
						}
						elements += compareElements(t, f, array)
					}
				}
			}
		}
		require.NoError(t, rec.Close())
	}
	assert.Greater(t, elements, 10_000)
	assert.Equal(t, []int64{1}, engine.ValueAppendElementInts(mmapjfr.Value{}, []int64{1}, mmapjfr.Path("x")))
}

func compareElements(t *testing.T, f mmapjfr.Field, array mmapjfr.Value) (n int) {
	var paths []*mmapjfr.FieldPath
	for _, field := range f.Type().Fields() {
		paths = append(paths, mmapjfr.Path(field.Name()))
	}
	paths = append(paths, mmapjfr.Path("nothing"), mmapjfr.Path("method.name"))
	var want []int64
	for e := range array.Elements() {
		n++
		for _, p := range paths[:len(paths)-2] {
			if v := e.Get(p); v.Kind() == mmapjfr.KindInt || v.Kind() == mmapjfr.KindLong || v.Kind() == mmapjfr.KindBool || v.Kind() == mmapjfr.KindByte {
				want = append(want, v.Int())
			} else {
				want = append(want, engine.ValueKey(v))
			}
		}
		want = append(want, 0, 0)
	}
	if engine.TypeIsPrimitive(f.Type()) || f.IsConstant() {
		want = nil
	}
	require.Equal(t, want, engine.ValueAppendElementInts(array, nil, paths...), "%v", f)
	b, elements, integers := engine.ValueVarintElements(array)
	if integers == 0 {
		return n
	}
	require.Equal(t, n, elements)
	for range n * integers {
		_, size := binary.Uvarint(b)
		require.Positive(t, size)
		b = b[size:]
	}
	return n
}
