package mmapjfr_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestBindRejects(t *testing.T) {
	type bind = func(*mmapjfr.Recording, string) error
	for _, c := range []struct {
		name string
		bind bind
		typ  string
		want []string
	}{
		{"no struct", binds[int], "test.Kinds", []string{"cannot bind test.Kinds to int: it is not a struct"}},
		{"pointer", binds[*struct{}], "test.Kinds", []string{"it is not a struct"}},
		{"no fields", binds[struct{ a int }], "test.Kinds", []string{"it has no exported fields"}},
		{"none of its fields", binds[struct{ Strange int }], "test.Kinds", []string{"test.Kinds has none of its fields; give them tags"}},
		{"no tag, and another type", binds[struct{ L string }], "test.Kinds", []string{"string cannot hold long l", "leave it out with the tag `jfr:\"-\"`"}},
		{"no such type", binds[struct {
			I int `jfr:"i"`
		}], "test.None", []string{"cannot bind test.None", `the recording has no event type "test.None"`}},
		{"bad path", binds[struct {
			I int `jfr:"i..j"`
		}], "test.Kinds", []string{"field .I", "a field name is missing at character 3"}},
		{"unknown option", binds[struct {
			I int `jfr:"i,omitempty"`
		}], "test.Kinds", []string{`tag option "omitempty" is unknown; there are optional and ticks`}},
		{"not exported", binds[struct {
			i int `jfr:"i"`
		}], "test.Kinds", []string{"field .i", "it is not exported"}},
		{"no such field", binds[struct {
			I int `jfr:"j"`
		}], "test.Kinds", []string{"chunk 0", "type test.Kinds has no field j; it has startTime"}},
		{"field that is nearly there", binds[struct {
			T time.Time `jfr:"startTme"`
		}], "test.Kinds", []string{"type test.Kinds has no field startTme; it has startTime", "; did you mean startTime?"}},
		{"int64 for a point in time", binds[struct {
			T int64 `jfr:"startTime"`
		}], "test.Kinds", []string{"int64 would hold long startTime as it is recorded", "bind a time.Time", "`jfr:\"startTime,ticks\"`"}},
		{"int for a length of time", binds[struct {
			T int `jfr:"duration,optional"`
		}], "test.Kinds", []string{"int would hold long duration", "bind a time.Duration", "`jfr:\"duration,ticks\"`"}},
		{"int32 for a length of time", binds[struct {
			T int32 `jfr:"duration"`
		}], "test.Kinds", []string{"bind a time.Duration"}},
		{"int32 for ticks", binds[struct {
			T int32 `jfr:"duration,ticks"`
		}], "test.Kinds", []string{"int32 cannot hold long duration; it takes int64 or wider"}},
		{"int8 for int", binds[struct {
			I int8 `jfr:"i"`
		}], "test.Kinds", []string{"int8 cannot hold int i; it takes int32 or wider"}},
		{"int16 for int", binds[struct {
			I int16 `jfr:"i"`
		}], "test.Kinds", []string{"int16 cannot hold int i"}},
		{"uint32 for int", binds[struct {
			I uint32 `jfr:"i"`
		}], "test.Kinds", []string{"uint32 cannot hold int i; it takes int32 or wider"}},
		{"uint64 for int", binds[struct {
			I uint64 `jfr:"i"`
		}], "test.Kinds", []string{"uint64 cannot hold int i"}},
		{"int32 for unsigned int", binds[struct {
			I int32 `jfr:"ui"`
		}], "test.Kinds", []string{"int32 cannot hold int ui; it takes uint32 or wider"}},
		{"int64 for unsigned long", binds[struct {
			I int64 `jfr:"ul"`
		}], "test.Kinds", []string{"int64 cannot hold long ul; it takes uint64 or wider"}},
		{"int for unsigned long", binds[struct {
			I int `jfr:"ul"`
		}], "test.Kinds", []string{"int cannot hold long ul"}},
		{"int32 for long", binds[struct {
			I int32 `jfr:"l"`
		}], "test.Kinds", []string{"int32 cannot hold long l; it takes int64 or wider"}},
		{"int16 for char", binds[struct {
			I int16 `jfr:"c"`
		}], "test.Kinds", []string{"int16 cannot hold char c; it takes uint16 or wider"}},
		{"uint8 for byte", binds[struct {
			I uint8 `jfr:"b"`
		}], "test.Kinds", []string{"uint8 cannot hold byte b; it takes int8 or wider"}},
		{"int8 for unsigned byte", binds[struct {
			I int8 `jfr:"ub"`
		}], "test.Kinds", []string{"int8 cannot hold byte ub; it takes uint8 or wider"}},
		{"float32 for double", binds[struct {
			F float32 `jfr:"d"`
		}], "test.Kinds", []string{"float32 cannot hold double d; it takes float64"}},
		{"int for float", binds[struct {
			F int `jfr:"f"`
		}], "test.Kinds", []string{"int cannot hold float f; it takes float32 or float64"}},
		{"float64 for int", binds[struct {
			F float64 `jfr:"i"`
		}], "test.Kinds", []string{"float64 cannot hold int i"}},
		{"int for boolean", binds[struct {
			B int `jfr:"truth"`
		}], "test.Kinds", []string{"int cannot hold boolean truth; it takes bool"}},
		{"bool for int", binds[struct {
			B bool `jfr:"i"`
		}], "test.Kinds", []string{"bool cannot hold int i"}},
		{"string for int", binds[struct {
			S string `jfr:"i"`
		}], "test.Kinds", []string{"string cannot hold int i"}},
		{"int for string", binds[struct {
			S int `jfr:"utf8"`
		}], "test.Texts", []string{"int cannot hold java.lang.String utf8; it takes string"}},
		{"bytes for string", binds[struct {
			S []byte `jfr:"utf8"`
		}], "test.Texts", []string{"[]uint8 cannot hold java.lang.String utf8; it takes string"}},
		{"string for struct", binds[struct {
			S string `jfr:"box"`
		}], "test.Shapes", []string{"string cannot hold test.Box box; it takes mmapjfr.Value or a struct"}},
		{"string for computed number", binds[struct {
			S string `jfr:"@size"`
		}], "test.Shapes", []string{"string cannot hold long @size; it takes int64 or wider"}},
		{"class for thread", binds[struct {
			S mmapjfr.Class `jfr:"eventThread"`
		}], "test.Kinds", []string{"mmapjfr.Class cannot hold java.lang.Thread eventThread; it takes mmapjfr.Thread"}},
		{"thread for int", binds[struct {
			S mmapjfr.Thread `jfr:"i"`
		}], "test.Kinds", []string{"mmapjfr.Thread cannot hold int i"}},
		{"time for duration", binds[struct {
			T time.Time `jfr:"duration"`
		}], "test.Kinds", []string{"time.Time cannot hold long duration, which has no @Timestamp"}},
		{"duration for time", binds[struct {
			T time.Duration `jfr:"startTime"`
		}], "test.Kinds", []string{"time.Duration cannot hold long startTime"}},
		{"time for long", binds[struct {
			T time.Time `jfr:"l"`
		}], "test.Kinds", []string{"time.Time cannot hold long l"}},
		{"int for array", binds[struct {
			I int `jfr:"ints"`
		}], "test.Lists", []string{"int cannot hold int[] ints; it takes []int32"}},
		{"array for array", binds[struct {
			I [3]int32 `jfr:"ints"`
		}], "test.Lists", []string{"[3]int32 cannot hold int[] ints; it takes []int32"}},
		{"narrow slice for array", binds[struct {
			I []int16 `jfr:"ints"`
		}], "test.Lists", []string{"cannot hold int[] ints"}},
		{"slice for int", binds[struct {
			I []int32 `jfr:"i"`
		}], "test.Kinds", []string{"[]int32 cannot hold int i"}},
		{"slice for element", binds[struct {
			I []int32 `jfr:"ints[0]"`
		}], "test.Lists", []string{"[]int32 cannot hold int ints"}},
		{"slice of slices", binds[struct {
			I [][]int32 `jfr:"ints"`
		}], "test.Lists", []string{"cannot hold int[] ints"}},
		{"pointer for int", binds[struct {
			I *int32 `jfr:"i"`
		}], "test.Kinds", []string{"*int32 cannot hold int i"}},
		{"any for int", binds[struct {
			I any `jfr:"i"`
		}], "test.Kinds", []string{"interface {} cannot hold int i"}},
		{"uintptr", binds[struct {
			I uintptr `jfr:"ui"`
		}], "test.Kinds", []string{"uintptr cannot hold int ui"}},
		{"named time", binds[struct {
			T namedTime `jfr:"startTime"`
		}], "test.Kinds", []string{"namedTime cannot hold long startTime"}},
		{"wrong type in spite of optional", binds[struct {
			I int8 `jfr:"i,optional"`
		}], "test.Kinds", []string{"int8 cannot hold int i"}},
		{"all that is wrong", binds[struct {
			A int8   `jfr:"i"`
			B string `jfr:"l"`
		}], "test.Kinds", []string{"int8 cannot hold int i", "string cannot hold long l"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec, _ := openBuilt(t, newSample())
			err := c.bind(rec, c.typ)
			require.Error(t, err)
			assert.ErrorContains(t, err, "cannot bind")
			for _, want := range c.want {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

type namedTime time.Time

func TestBindLooksAtAllChunks(t *testing.T) {
	drift := func(fields ...jfrtest.Field) *jfrtest.Builder {
		b := jfrtest.NewChunk()
		b.Event("test.Drift", fields...)
		return b
	}
	i, l := jfrtest.Of("f", "int"), jfrtest.Of("f", "long")
	other := jfrtest.NewChunk()
	other.Event("test.Other")
	broken := drift(l)
	broken.ForceMetadataOffset = new(int64(1 << 20))
	type wide struct {
		F int64 `jfr:"f"`
	}
	type narrow struct {
		F int32 `jfr:"f"`
	}
	type optional struct {
		F int32 `jfr:"f,optional"`
	}
	for _, c := range []struct {
		name   string
		bind   func(*mmapjfr.Recording, string) error
		chunks []*jfrtest.Builder
		want   string // "" if it fits
	}{
		{"wide enough for all", binds[wide], []*jfrtest.Builder{drift(i), drift(l)}, ""},
		{"too narrow for a later one", binds[narrow], []*jfrtest.Builder{drift(i), drift(l)}, "chunk 1: field narrow.F: int32 cannot hold long f"},
		{"missing in a later one", binds[narrow], []*jfrtest.Builder{drift(i), drift(i), drift()}, "chunk 2: field narrow.F"},
		{"optional", binds[optional], []*jfrtest.Builder{drift(i), drift(), other}, ""},
		{"nowhere but optional", binds[optional], []*jfrtest.Builder{drift()}, ""},
		{"type in a later one only", binds[narrow], []*jfrtest.Builder{other, drift(i)}, ""},
		{"type in no chunk", binds[narrow], []*jfrtest.Builder{other, other}, "has no event type"},
		{"a chunk that cannot be read", binds[narrow], []*jfrtest.Builder{drift(i), broken}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec, _ := openBuilt(t, c.chunks...)
			err := c.bind(rec, "test.Drift")
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestBindTypesOfOneName: class loaders can give one name to several types, and
// the structs must fit them all.
func TestBindTypesOfOneName(t *testing.T) {
	b := jfrtest.NewChunk()
	one := b.Event("test.Twin", jfrtest.Of("f", "int"))
	two := b.Event("test.Twin", jfrtest.Of("g", "int"), jfrtest.Of("f", "int"))
	b.Emit(one, start, 1)
	b.Emit(two, start, 9, 2)
	rec, _ := openBuilt(t, b)
	bound, err := mmapjfr.Bind[struct {
		F int32 `jfr:"f"`
	}](rec, "test.Twin")
	require.NoError(t, err)
	var got []int32
	for row, err := range bound.Events() {
		require.NoError(t, err)
		got = append(got, row.F)
	}
	assert.Equal(t, []int32{1, 2}, got)
	err = binds[struct {
		G int32 `jfr:"g"`
	}](rec, "test.Twin")
	assert.ErrorContains(t, err, "no field g")
}
