package jfrtest_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// totals counts what `jfr summary` counts.
func totals(rec *jfrtest.Recording) map[string]counted {
	lines := map[string]counted{}
	count := func(name string, size int64) {
		c := lines[name]
		lines[name] = counted{c.events + 1, c.bytes + size}
	}
	for _, c := range rec.Chunks {
		for _, m := range c.Metadata {
			count("jdk.Metadata", m.Size)
		}
		for _, cp := range c.Checkpoints {
			count("jdk.Checkpoint", cp.Size)
		}
		for _, e := range c.Events {
			count(e.TypeName, e.Size)
		}
	}
	return lines
}

func TestReferenceCountsAsTheJDK(t *testing.T) {
	// One JVM each: the tool takes an id for the same type in all chunks.
	for _, name := range []string{
		"jdk17-kinds", "jdk17-profile", "jdk17-chunks", "jdk25-kinds", "jdk25-profile", "jdk25-flushed",
	} {
		t.Run(name, func(t *testing.T) {
			data := testdata(t, name)
			assertSame(t, summary(t, data), totals(decode(t, data)))
		})
	}
}

// assertSame is assert.Equal for big maps: it names what differs and nothing else.
func assertSame[V any](t *testing.T, want, got map[string]V) {
	t.Helper()
	for name, v := range want {
		assert.Equal(t, v, got[name], "%.300s", name)
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			assert.Fail(t, "too many", "%.300s", name)
		}
	}
}

func testdata(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name+".jfr"))
	require.NoError(t, err)
	return data
}

func TestReferenceReadsForeignRecordings(t *testing.T) {
	files := longtest.Others(t)
	if len(files) == 0 {
		t.Skip("no recordings of other producers here")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f, err := os.Open(file)
			require.NoError(t, err)
			defer f.Close()
			z, err := gzip.NewReader(f)
			require.NoError(t, err)
			data, err := io.ReadAll(z)
			require.NoError(t, err)
			rec, err := jfrtest.Decode(data)
			if strings.Contains(file, "u40") {
				require.ErrorIs(t, err, jfrtest.ErrBad)
				return
			}
			require.NoError(t, err)
			for _, c := range rec.Chunks {
				for _, e := range c.Events {
					assert.NotEmpty(t, e.TypeName)
					assert.Zero(t, e.Rest, e.TypeName)
				}
			}
		})
	}
}

func TestReferenceReadsTheWireSample(t *testing.T) {
	// The first event of a recording of the JDK 11.
	event := []byte("\xa2\x80\x80\x00\xc2\x16\x96\x8d\xb4\x83\x89\x25\x00\x32\x00\xc2\x16" +
		"\x04\x09threshold\x04\x040 ns")
	b := jfrtest.NewChunk()
	ty := b.Event("jdk.ActiveSetting",
		jfrtest.Duration(), jfrtest.EventThread(), jfrtest.StackTrace(),
		jfrtest.Of("id", "long"), jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
	ty.ID = 2882
	b.Insert(event)
	e := decode(t, b.Bytes()).Chunks[0].Events[0]
	assert.Equal(t, int64(34), e.Size)
	assert.Equal(t, int64(2882), e.TypeID)
	assert.Equal(t, int64(2882), e.Field("id"))
	assert.Equal(t, int64(0x32), e.Field("eventThread").(jfrtest.Constant).Key)
	assert.Equal(t, "threshold", e.Field("name"))
	assert.Equal(t, "0 ns", e.Field("value"))

	// And made by the builder, with the width that the JVM gave it.
	b = jfrtest.NewChunk()
	b.SizeWidth, b.StringEncoding = 4, 4
	ty.ID = 2882
	b.Add(ty)
	b.Emit(ty, e.Field("startTime"), 0, 0x32, 0, 2882, "threshold", "0 ns")
	data, layout := b.Build()
	assert.Equal(t, event, layout.Events[0].Of(data))
}

func TestReferenceDescribesClassesAsTheyWereDescribed(t *testing.T) {
	forms(t, func(t *testing.T, s *sample) {
		s.Region = jfrtest.Region{Locale: "de_CH", GMTOffset: 3_600_000, DST: -1}
		c := decode(t, s.Bytes()).Chunks[0]
		assert.Equal(t, s.Region, c.Region)
		require.Len(t, c.Classes, len(s.Classes()))
		for _, want := range s.Classes() {
			got := c.Classes[want.ID]
			require.NotNil(t, got)
			assert.Equal(t, want.Name, got.Name)
			assert.Equal(t, want.SuperType, got.SuperType)
			assert.Equal(t, want.SimpleType, got.SimpleType)
			require.Len(t, got.Fields, len(want.Fields))
			for i, f := range want.Fields {
				assert.Equal(t, f.Name, got.Fields[i].Name)
				assert.Equal(t, f.Class, got.Fields[i].Class)
				assert.Equal(t, f.ConstantPool, got.Fields[i].ConstantPool)
				assert.Equal(t, f.Dimension, got.Fields[i].Dimension)
				assert.Len(t, got.Fields[i].Annotations, len(f.Annotations))
			}
		}
		kinds := c.Classes[s.kinds.ID]
		assert.Equal(t, "jdk.jfr.Category", kinds.Annotations[1].Class)
		assert.Equal(t, s.kinds.Annotations[1].Values, kinds.Annotations[1].Values)
		assert.Equal(t, "threshold", kinds.Settings[0].Name)
		assert.Equal(t, "20 ms", kinds.Settings[0].Default)
		assert.Equal(t, "jdk.settings.Threshold", kinds.Settings[0].Class)
		assert.Equal(t, "jdk.jfr.Label", kinds.Settings[0].Annotations[0].Class)
	})
}

func TestReferenceJoinsTheTypesOfAllMetadataEvents(t *testing.T) {
	b := jfrtest.NewChunk()
	old := b.Event("test.Old", jfrtest.Of("i", "int"))
	b.Emit(old, start, 1)
	b.Metadata(&jfrtest.Metadata{ID: 1})
	added := *old
	added.Name, added.ID = "test.New", old.ID+1
	renamed := *old
	renamed.Name = "test.Renamed"
	b.Metadata(&jfrtest.Metadata{ID: 2, Classes: append(b.Classes()[:len(b.Classes())-1:len(b.Classes())-1], &added)})
	named := b.Metadata(&jfrtest.Metadata{ID: 3, Classes: []*jfrtest.Class{b.Lookup("int"), b.Lookup("long"), b.Lookup("jdk.jfr.Label"), b.Lookup("jdk.jfr.Timestamp"), b.Lookup(jfrtest.StringClass), b.Lookup("jdk.jfr.ContentType"), &renamed}})
	b.EmitRaw(jfrtest.EventOptions{}, 0, []byte("not metadata at all"))
	b.Emit(&added, start, 2)
	c := decode(t, b.Bytes()).Chunks[0]
	require.Len(t, c.Metadata, 4)
	assert.Equal(t, named.ID, c.Metadata[2].ID)
	require.NoError(t, c.Metadata[2].Bad)
	require.ErrorIs(t, c.Metadata[3].Bad, jfrtest.ErrBad)
	assert.Equal(t, "test.Renamed", c.Events[0].TypeName)
	assert.Equal(t, "test.New", c.Events[1].TypeName)
	assert.Equal(t, int32(2), c.Events[1].Field("i"))
}

func TestReferenceRejects(t *testing.T) {
	for name, spoil := range map[string]func(b *jfrtest.Builder, ty *jfrtest.Class){
		"an event of no size": func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.EmitWith(jfrtest.EventOptions{Size: new(int64(0))}, ty, 0, 0)
		},
		"an event that leaves the chunk": func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.EmitWith(jfrtest.EventOptions{Size: new(int64(1 << 20))}, ty, 0, 0)
		},
		"a field that leaves its event": func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.EmitWith(jfrtest.EventOptions{}, ty, 0, jfrtest.Raw{0x80})
		},
		"a loop of checkpoints": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			one, two := b.Checkpoint(0), b.Checkpoint(0)
			one.Prev, two.Prev = two, one
		},
		"a chain that leaves the chunk": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Checkpoint(0).Delta = new(int64(-1 << 62))
		},
		"a checkpoint of another type": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Checkpoint(0).TypeID = new(int64(5))
		},
		"a checkpoint longer than its pools": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Checkpoint(0).Trailing = []byte{0}
		},
		"more pools than bytes": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Checkpoint(0).PoolCount = new(int64(1<<31 - 1))
		},
		"more constants than bytes": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Checkpoint(0).Pool("jdk.types.Symbol").Count = new(int64(1<<31 - 1))
		},
		"a pool of an unknown class": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Checkpoint(0).PoolID(999).Count = new(int64(1))
		},
		"a class inside of itself": func(b *jfrtest.Builder, ty *jfrtest.Class) {
			loop := b.Class("Loop")
			loop.Fields = []jfrtest.Field{jfrtest.Of("self", "Loop")}
			ty.Fields[1].Class = "Loop"
			b.Emit(ty, 0, jfrtest.Raw{})
		},
		"an unknown encoding": func(b *jfrtest.Builder, ty *jfrtest.Class) {
			ty.Fields[1].Class = jfrtest.StringClass
			b.Emit(ty, 0, jfrtest.Encoding(6))
		},
		"more strings than bytes": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Metadata(&jfrtest.Metadata{StringCount: new(int64(1<<31 - 1))})
		},
		"an element with too many children": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			root := b.Tree(b.Classes())
			root.ChildCount = new(int64(1<<31 - 1))
			b.Metadata(&jfrtest.Metadata{Root: root})
		},
		"a class without a number": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			root := &jfrtest.Element{Name: "root"}
			root.Child("metadata").Child("class").Attr("id", "seven")
			b.Metadata(&jfrtest.Metadata{Root: root})
		},
		"a version of the future": func(b *jfrtest.Builder, _ *jfrtest.Class) { b.Header.Major = 3 },
		"a chunk that leaves the file": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.ForceSize = new(int64(1 << 40))
		},
		"a chunk without metadata": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.ForceMetadataOffset = new(int64(0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := jfrtest.NewChunk()
			spoil(b, b.Event("test.Event", jfrtest.Of("i", "int")))
			_, err := jfrtest.Decode(b.Bytes())
			require.ErrorIs(t, err, jfrtest.ErrBad)
		})
	}
}

func TestReferenceAcceptsWhatTheJDKTripsOver(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Constants().Pool("jdk.types.Symbol")
	b.Constants().PoolID(12345)
	b.Constant("jdk.types.Symbol", 1, "a")
	b.Constants().Pool("jdk.types.Symbol").Add(2, "b")
	b.EmitRaw(jfrtest.EventOptions{}, 4242, []byte{1, 2})
	c := decode(t, b.Bytes()).Chunks[0]
	assert.Equal(t, "", c.Events[0].TypeName)
	assert.Equal(t, int64(2), c.Events[0].Rest)
	assert.Len(t, c.Pools[b.Lookup("jdk.types.Symbol").ID], 2)
	require.Len(t, c.Checkpoints[0].Pools, 3)
}

func TestReferenceSurvivesEveryPrefixAndFlippedBits(t *testing.T) {
	forms(t, func(t *testing.T, s *sample) {
		data := s.Bytes()
		for n := 0; n < len(data); n += longtest.Cases(5, 1) {
			_, err := jfrtest.Decode(data[:n])
			require.ErrorIs(t, err, jfrtest.ErrBad, n)
		}
		flip := func(i, bit int) {
			data[i] ^= 1 << bit
			if _, err := jfrtest.Decode(data); err != nil {
				require.ErrorIs(t, err, jfrtest.ErrBad)
			}
			data[i] ^= 1 << bit
		}
		for i := range data {
			if i < jfrtest.HeaderSize {
				for bit := range 8 {
					flip(i, bit)
				}
			} else if i%longtest.Cases(15, 3) == 0 {
				flip(i, i/3%8)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(newSample().Bytes())
	f.Add(newSample().Uncompressed().Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := jfrtest.Decode(data)
		if err != nil {
			require.ErrorIs(t, err, jfrtest.ErrBad)
		}
		for _, c := range rec.Chunks {
			for i := range c.Events {
				for _, v := range c.Events[i].Fields {
					c.Path(v.Value)
				}
			}
		}
	})
}
