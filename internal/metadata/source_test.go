package metadata_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/metadata"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
)

var open = opentest.File

// catalog returns what the recordings of testdata with these names describe.
func catalog(t *testing.T, names ...string) *metadata.Catalog {
	t.Helper()
	var all metadata.Catalog
	for _, name := range names {
		require.NoError(t, all.Add(open(t, name)))
	}
	return &all
}

func source(t *testing.T, c *metadata.Catalog, o metadata.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, c.WriteSource(&out, o))
	return out.Bytes()
}

// What the JDK is asked about testdata. Where the numbers are shown all else is, too.
var questions = []struct {
	recording string
	question  []string
	options   metadata.Options
}{
	{"jdk17-empty", []string{"metadata"}, metadata.Options{}},
	{"jdk17-profile", []string{"metadata"}, metadata.Options{}},
	{"jdk25-profile", []string{"metadata"}, metadata.Options{}},
	{"jdk25-chunks", []string{"metadata"}, metadata.Options{}},
	{"jdk17-chunks", []string{"metadata", "--ids"}, metadata.Options{IDs: true}},
	{"jdk17-flushed", []string{"metadata", "--ids"}, metadata.Options{IDs: true}},
	{"jdk17-strings", []string{"metadata", "--ids"}, metadata.Options{IDs: true}},
	{"jdk25-chunks", []string{"metadata", "--ids"}, metadata.Options{IDs: true}},
	{"jdk25-live-3", []string{"metadata", "--ids"}, metadata.Options{IDs: true}},
	{"jdk25-profile", []string{"metadata", "--ids"}, metadata.Options{IDs: true}},
	{"jdk25-virtual", []string{"metadata", "--ids"}, metadata.Options{IDs: true}},
	// The numbers of these two runs do not collide.
	{"concat-jdk25-jdk25", []string{"metadata", "--ids"}, metadata.Options{IDs: true}},
	// All event types but the one whose annotations hold arrays of numbers.
	{"jdk25-kinds", []string{"metadata", "--ids", "--events", "jdk.*,gen.KindEvents*,gen.D*,gen.T*,gen.Ü*"},
		metadata.Options{IDs: true, Filters: []mmapjfr.Filter{mmapjfr.Types("jdk.*", "gen.KindEvents*", "gen.D*", "gen.T*", "gen.Ü*")}}},
	{"jdk17-kinds", []string{"metadata", "--events", "gen.KindEvents*,gen.D*,Trace,gen.Übung.名前"},
		only(mmapjfr.Types("gen.KindEvents*", "gen.D*", "Trace", "gen.Übung.名前"))},
	{"jdk25-profile", []string{"metadata", "--events", "CPULoad,GC?eap*,jdk.ThreadSt*"},
		only(mmapjfr.Types("CPULoad", "GC?eap*", "jdk.ThreadSt*"))},
	{"jdk25-profile", []string{"metadata", "--categories", "GC,Operating*"},
		only(mmapjfr.Categories("GC", "Operating*"))},
	{"jdk25-profile", []string{"metadata", "--categories", "JVM", "--events", "*Configuration"},
		only(mmapjfr.Categories("JVM"), mmapjfr.Types("*Configuration"))},
	{"jdk25-strings", []string{"metadata", "--categories", "Uncategorized"}, only(mmapjfr.Categories("Uncategorized"))},
	{"jdk25-profile", []string{"metadata", "--events", "cpuload,Label,*.Thread"}, only(mmapjfr.Types("cpuload", "Label", "*.Thread"))},
}

// only are options that filter types.
func only(filters ...mmapjfr.Filter) metadata.Options { return metadata.Options{Filters: filters} }

func TestSourceIsThatOfTheJDK(t *testing.T) {
	for _, q := range questions {
		t.Run(q.recording+" "+strings.Join(q.question[1:], " "), func(t *testing.T) {
			want := said.Of(t, q.recording+".jfr", q.question...)
			require.Empty(t, want.Refusal)
			got := source(t, catalog(t, q.recording), q.options)
			said.Same(t, want.Out, got)
		})
	}
}

func TestSourceOfVersion1IsThatOfTheJDK(t *testing.T) {
	for _, question := range []string{"metadata --ids", "metadata --events CPULoad,com.oracle.jdk.GC*"} {
		data := jfrtest.Version1(said.Recording(t, "jdk17-profile.jfr"))
		rec := opentest.Bytes(t, data)
		var c metadata.Catalog
		require.NoError(t, c.Add(rec))
		options := metadata.Options{IDs: true}
		if strings.Contains(question, "--events") {
			options = only(mmapjfr.Types("CPULoad", "com.oracle.jdk.GC*"))
		}
		want := said.OfBytes(t, "jdk17-profile-v1.jfr", data, strings.Fields(question)...)
		require.Empty(t, want.Refusal)
		assert.Contains(t, string(want.Out), `@Name("com.oracle.jdk.CPULoad")`)
		said.Same(t, want.Out, source(t, &c, options))
	}
}

// The JDK cannot print arrays of numbers in annotations.
func TestSourceOfAllKindsOfAnnotationValues(t *testing.T) {
	got := source(t, catalog(t, "jdk25-kinds"), only(mmapjfr.Types("*Some_Name*")))
	const want = `@Everything(i=-2147483648, b=-128, s=-32768, c=<, f=1.4E-45, l=-9223372036854775808, d=NaN, z=true, ` +
		`text=""quotes" & <tags>
é 日 😀", ints={1, -1}, none={}, texts={"one", "", "three"})
class Some_Name$1 extends jdk.jfr.Event {
`
	assert.Contains(t, string(got), want)
	assert.Contains(t, string(got), `d=NaN, z=false, text="field", ints={1, -1}, none={}, texts={})`)
	all := source(t, catalog(t, "jdk25-kinds"), metadata.Options{})
	assert.Contains(t, string(all), string(got), "and it stands between the others")
}

// What the JDK cannot show, or shows wrongly, as one would expect it.
func TestSourceOfUnfinishedChunks(t *testing.T) {
	got := source(t, catalog(t, "jdk25-live-1"), metadata.Options{})
	assert.Contains(t, string(got), "class CPULoad extends jdk.jfr.Event {\n")
	assert.Equal(t, 1, bytes.Count(got, []byte(`@Name("jdk.CPULoad")`)))
}

// Of joined recordings all forms of a type are shown, and what is the same once.
func TestSourceOfJoinedRecordings(t *testing.T) {
	joined := source(t, catalog(t, "concat-jdk17-jdk25"), metadata.Options{})
	count := func(text string) int { return bytes.Count(joined, []byte(text)) }
	assert.Equal(t, 1, count("class boolean {"))
	assert.Equal(t, 1, count(`@Name("jdk.CPULoad")`), "both describe it alike")
	assert.Equal(t, 2, count(`@Name("java.lang.Thread")`), "one of them has a field virtual")
	assert.Equal(t, 1, count(`boolean virtual;`))
	assert.Equal(t, 1, count(`@Name("jdk.GCLocker")`), "only JDK 17 has it")
	assert.Equal(t, 1, count(`@Name("jdk.SwapSpace")`), "only JDK 25 has it")
	for _, half := range []string{"jdk17-empty", "jdk25-empty"} {
		for _, typ := range catalog(t, half).Types(metadata.Options{}) {
			assert.Positive(t, count("class "+typ.Name[strings.LastIndexByte(typ.Name, '.')+1:]+" "), typ.Name)
		}
	}

	two := source(t, catalog(t, "jdk17-empty", "jdk25-empty", "jdk17-empty"), metadata.Options{})
	assert.Equal(t, 2, bytes.Count(two, []byte(`@Name("java.lang.Thread")`)))
	numbered := source(t, catalog(t, "jdk17-empty", "jdk25-empty"), metadata.Options{IDs: true})
	assert.Equal(t, 2, bytes.Count(numbered, []byte(`@Name("jdk.CPULoad")`)), "its numbers differ")
}

// Types of one name in one chunk are all shown, and not more of them for more chunks.
func TestSourceOfTypesOfOneName(t *testing.T) {
	for _, names := range [][]string{{"jdk25-profile"}, {"jdk25-profile", "jdk25-profile"}} {
		got := source(t, catalog(t, names...), metadata.Options{})
		assert.Equal(t, 4, bytes.Count(got, []byte(`@Name("gen.Loaders$Loaded")`)))
	}
}

func TestSourceToldByAWriterThatFails(t *testing.T) {
	err := catalog(t, "jdk25-empty").WriteSource(failing{}, metadata.Options{})
	assert.ErrorIs(t, err, os.ErrClosed)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

// What a chunk describes that the JDK never wrote.
func TestSourceOfOddTypes(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Note", jfrtest.Of("value", jfrtest.StringClass), jfrtest.Of("absent", "int"))
	b.Class("test.User", jfrtest.Of("b", "int"), jfrtest.Of("texts", "jdk.types.Symbol").Array()).Annotate(
		jfrtest.Annotation{Class: "test.Note", Values: []jfrtest.Attribute{{Name: "value", Value: "it"}}},
		jfrtest.Annotation{ClassID: 9999})
	b.Class("NoPackage")
	rec := opentest.Bytes(t, b.Bytes())
	var all metadata.Catalog
	require.NoError(t, all.Add(rec))
	got := string(source(t, &all, metadata.Options{}))
	assert.Contains(t, got, "@Name(\"test.User\")\n@Note(value=\"it\", absent=null)\n@\nclass User {\n  int b;\n\n  String[] texts;\n}\n\n")
	assert.True(t, strings.HasPrefix(got, "class NoPackage {\n}\n\nclass boolean {\n}\n\n"), "packages come last")
}

func TestAddTellsOfDamage(t *testing.T) {
	one, two := jfrtest.NewChunk(), jfrtest.NewChunk()
	one.Class("test.One")
	two.Class("test.Two")
	data, _ := jfrtest.Concat(one, two)
	_, layout := one.Build()
	copy(layout.Metadata[0].Of(data)[20:], bytes.Repeat([]byte{0xff}, 100))
	rec := opentest.Bytes(t, data)
	var all metadata.Catalog
	require.ErrorIs(t, all.Add(rec), mmapjfr.ErrCorrupt)
	got := string(source(t, &all, metadata.Options{}))
	assert.Contains(t, got, "test.Two")
	assert.NotContains(t, got, "test.One")
}
