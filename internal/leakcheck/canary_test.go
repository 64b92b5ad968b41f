package leakcheck_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/leakcheck"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestLeaksAreFound makes sure that every value of the recording is recognised, in whatever way
// it is shown: otherwise the tests of this package would find nothing.
func TestLeaksAreFound(t *testing.T) {
	rec := opentest.Bytes(t, leakcheck.Chunk().Bytes())
	seen := 0
	var value func(v mmapjfr.Value, of string)
	value = func(v mmapjfr.Value, of string) {
		switch v.Kind() {
		case mmapjfr.KindNone, mmapjfr.KindBool:
		case mmapjfr.KindString:
			if !v.IsNull() {
				seen++
				s := v.Str()
				for _, text := range []string{s, fmt.Sprintf("%q", s), fmt.Sprintf("% x", s), fmt.Sprintf("%x", s), fmt.Sprintf("%#v", []byte(s)), fmt.Sprint([]byte(s))} {
					assert.NotEmpty(t, leakcheck.Leak("chunk 0: "+text+" and so on"), "%s: %s", of, text)
				}
			}
		case mmapjfr.KindFloat, mmapjfr.KindDouble:
			seen++
			assert.NotEmpty(t, leakcheck.Leak(fmt.Sprint(v.Float())), of)
			assert.NotEmpty(t, leakcheck.Leak(fmt.Sprintf("%f", v.Float())), of)
		case mmapjfr.KindStruct:
			if strings.Count(of, ".") < 2 { // a class and its loader have one another
				for f, inner := range v.Fields() {
					value(inner, of+"."+f.Name())
				}
			}
		case mmapjfr.KindArray:
			for e := range v.Elements() {
				value(e, of+"[]")
			}
		default:
			if n := v.Int(); n != 0 && math.Abs(float64(n)) > 1 { // of a frame
				seen++
				assert.NotEmpty(t, leakcheck.Leak(fmt.Sprint(v.Int())), "%s: %d", of, n)
			}
		}
	}
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		for f, v := range ev.Fields() {
			if name := f.Type().Name(); name == "java.lang.Thread" || name == "jdk.types.StackTrace" {
				continue // they are constants, and come below
			}
			value(v, f.Name())
		}
	}
	types, err := rec.Types()
	require.NoError(t, err)
	for _, typ := range types {
		for _, v := range engine.ChunkConstants(rec.Chunks()[0], typ) {
			for f, inner := range v.Fields() {
				if !inner.IsMissing() && inner.Kind() != mmapjfr.KindStruct {
					value(inner, typ.SimpleName()+"."+f.Name())
				}
			}
		}
	}
	assert.Greater(t, seen, 100)
}

// TestStructureIsNoLeak: what errors are made of may be told.
func TestStructureIsNoLeak(t *testing.T) {
	for _, text := range []string{
		"chunk 0, offset 0x31415926: event: corrupt: event size 3141592653001 exceeds the 3141592653 bytes left in the chunk",
		"chunk 0, offset 0xac4: event: unknown event type 3141592653000",
		"field path \"test.Kinds.utf8\": it has no field",
	} {
		assert.Empty(t, leakcheck.Leak(text))
	}
}
