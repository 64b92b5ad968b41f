package verify_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// mutated returns a recording with one or two attributes of its metadata changed, removed or exchanged.
func mutated(rng *rand.Rand) []byte {
	b, ty := plain()
	b.Class("test.Note", jfrtest.Of("n", "int"), jfrtest.Of("list", jfrtest.StringClass).Array()).SuperType = "java.lang.annotation.Annotation"
	note := jfrtest.Annotation{Class: "test.Note", Values: []jfrtest.Attribute{{Name: "n", Value: "7"}, {Name: "list-0", Value: "a"}}}
	ty.Annotate(note)
	ty.Fields[3] = ty.Fields[3].With(note)
	root := b.Tree(b.Classes())
	var all []*jfrtest.Element
	var visit func(e *jfrtest.Element)
	visit = func(e *jfrtest.Element) {
		all = append(all, e)
		for _, c := range e.Children {
			visit(c)
		}
	}
	visit(root)
	texts := []string{"", "x", "-1", "0", "1", "2", "long", "int", "test.Note", "java.lang.String", "jdk.jfr.Event", "99999999999999999999", "a b", "true", "class", "test.1"}
	for range 1 + rng.IntN(2) {
		e := all[rng.IntN(len(all))]
		switch n := len(e.Attributes); {
		case rng.IntN(8) == 0 && len(e.Children) > 0:
			i := rng.IntN(len(e.Children))
			e.Children = append(e.Children[:i:i], e.Children[i+1:]...)
		case n == 0:
		case rng.IntN(4) == 0:
			i := rng.IntN(n)
			e.Attributes = append(e.Attributes[:i:i], e.Attributes[i+1:]...)
		case rng.IntN(3) == 0:
			e.Attributes[rng.IntN(n)].Name = []string{"name", "id", "class", "superType", "dimension", "constantPool", "simpleType", "n"}[rng.IntN(8)]
		case rng.IntN(2) == 0:
			e.Attributes[rng.IntN(n)].Value = strconv.Itoa(rng.IntN(60))
		default:
			e.Attributes[rng.IntN(n)].Value = texts[rng.IntN(len(texts))]
		}
	}
	b.Metadata(&jfrtest.Metadata{Root: root})
	return b.Bytes()
}

// TestJDKRefusesNoneThatIsSound changes metadata by chance: where JDK 25 refuses a recording, verify finds an error.
func TestJDKRefusesNoneThatIsSound(t *testing.T) {
	longtest.Long(t, "it starts two JVMs for each recording")
	home := longtest.JDK25(t)
	refusals := 0
	for seed := range uint64(longtest.Cases(10, 60)) {
		data := mutated(rand.New(rand.NewPCG(seed, 7)))
		rec, err := mmapjfr.OpenBytes(data)
		if err != nil {
			continue
		}
		report, err := verify.Check(t.Context(), rec)
		require.NoError(t, err)
		rec.Close()
		path := filepath.Join(t.TempDir(), "a.jfr")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		for _, question := range []string{"print", "summary"} {
			_, refusal, err := oracle.Verbatim(t.Context(), home, path, question)
			require.NoError(t, err)
			if refusal != "" {
				refusals++
			}
			if refusal != "" && report.OK(verify.Error) {
				t.Errorf("seed %d: jfr %s says %s", seed, question, refusal)
			}
		}
	}
	require.Positive(t, refusals)
	t.Logf("%d refusals", refusals)
}

// TestSimpleTypesInPlace has types by numbers that chance draws: the order in which the JDK reads them decides
// whether it reads a simple type in place.
func TestSimpleTypesInPlace(t *testing.T) {
	longtest.Long(t, "it starts a JVM for each recording")
	home := longtest.JDK25(t)
	known := [2]int{}
	for seed := range uint64(longtest.Cases(6, 24)) {
		rng := rand.New(rand.NewPCG(seed, 8))
		b, _ := plain()
		ids := rng.Perm(120 << (seed % 3 * 4))
		for i := range 1 + rng.IntN(120) {
			b.Add(&jfrtest.Class{ID: 20_000 + int64(ids[i]), Name: fmt.Sprint("test.Type", i), Fields: []jfrtest.Field{jfrtest.Of("x", "int")}})
		}
		b.Add(&jfrtest.Class{ID: 4000 + rng.Int64N(999), Name: "test.Simple", SimpleType: true, Fields: []jfrtest.Field{jfrtest.Of("value", "int")}})
		b.Add(&jfrtest.Class{ID: 9000 + rng.Int64N(999), Name: "test.Outer", Fields: []jfrtest.Field{jfrtest.Of("in", "test.Simple")}})
		b.Add(&jfrtest.Class{ID: 10_000 + rng.Int64N(999), Name: "test.Struct", Fields: []jfrtest.Field{jfrtest.Of("in", "test.Outer"), jfrtest.Of("list", "test.Simple").Array()}})
		data := b.Bytes()
		path := filepath.Join(t.TempDir(), "a.jfr")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		_, refusal, err := oracle.Verbatim(t.Context(), home, path, "print")
		require.NoError(t, err)
		_, refused := kindsOf(check(t, data, 1))[verify.RefusedMetadata]
		require.Equal(t, refusal != "", refused, "seed %d: %s", seed, refusal)
		if refused {
			known[1]++
		} else {
			known[0]++
		}
	}
	require.NotZero(t, known[0])
	require.NotZero(t, known[1])
}
