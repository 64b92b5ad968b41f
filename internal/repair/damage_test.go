package repair_test

import (
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	harm "github.com/mmapjfr/jfr/internal/corrupt"
	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// damaged returns the recordings of testdata/damaged by their names.
func damaged(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "damaged", "*.jfr.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := make(map[string][]byte)
	for _, path := range files {
		f, err := os.Open(path)
		require.NoError(t, err)
		z, err := gzip.NewReader(f)
		require.NoError(t, err)
		data, err := io.ReadAll(z)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		all[strings.TrimSuffix(filepath.Base(path), ".jfr.gz")] = data
	}
	return all
}

// readable returns how many events can be read of a damaged recording as it is.
func readable(t *testing.T, data []byte) (n uint64) {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data)
	if err != nil {
		return 0
	}
	defer rec.Close()
	for _, err := range rec.Events() {
		if err == nil {
			n++
		}
	}
	return n
}

// requireNothingWrong repairs a recording, and requires that there is nothing to be said against
// the result, and that it has as many events as the report says. It returns it; nil if
// there was nothing to keep.
func requireNothingWrong(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	whole, report := repaired(t, data)
	if whole == nil {
		return nil
	}
	rec, err := mmapjfr.OpenBytes(whole)
	require.NoError(t, err, name)
	defer rec.Close()
	found, err := verify.Check(t.Context(), rec)
	require.NoError(t, err, name)
	for _, f := range found.Findings {
		wrong := f.Kind.Severity() >= verify.Error || f.Kind.String() == "checkpoint-rest" // which the JDK refuses
		require.False(t, wrong, "%s: %s %s at %#x: %s", name, f.Kind, f.Type, f.Offset, f.Text)
	}
	require.Equal(t, report.Events(), found.Events, name)
	n := uint64(0)
	for _, err := range rec.Events() {
		require.NoError(t, err, name)
		n++
	}
	require.Equal(t, report.Events(), n, name)
	return whole
}

// TestRepairsDamagedStructure repairs recordings whose metadata describes types that
// contain themselves, that nothing describes, or that are no event types though events
// have them: no event that can be read is lost.
func TestRepairsDamagedStructure(t *testing.T) {
	for name, data := range damaged(t) {
		t.Run(name, func(t *testing.T) {
			whole := requireNothingWrong(t, name, data)
			assert.GreaterOrEqual(t, readable(t, whole), readable(t, data))
		})
	}
}

// kindsOfDamage are the kinds of damage that are repaired.
func kindsOfDamage(a *harm.Atlas) []harm.Set {
	return []harm.Set{a.Mixed(), a.Renumbered(), a.Numbers(), a.Random(), a.Bits(), a.Removed(), a.Doubled(), a.Swapped(), a.Zeroes()}
}

// real are recordings of the JDK that are damaged.
func real(t *testing.T, names ...string) (list []*harm.Atlas) {
	t.Helper()
	for _, name := range names {
		a, err := harm.NewAtlas(name, sample(t, name))
		require.NoError(t, err)
		list = append(list, a)
	}
	return list
}

// TestRepairedIsSound repairs what damage of all kinds leaves: verify finds nothing wrong
// with the result.
func TestRepairedIsSound(t *testing.T) {
	n, list := 5, harm.Small(t)
	if longtest.Enabled() {
		n, list = max(150, *damagedCases), append(list, real(t, "jdk17-empty", "jdk25-empty")...)
	}
	for _, a := range list {
		for _, s := range kindsOfDamage(a) {
			t.Run(a.Name+"/"+s.Kind, func(t *testing.T) {
				for i := range s.Spread(n) {
					c := s.At(i)
					requireNothingWrong(t, c.Name, c.Data)
				}
			})
		}
	}
}

var jdkCases = flag.Int("repairs", 4, "about how many recordings with each kind of damage the JDK is asked")

// TestJDKReadsWhatIsRepaired repairs what damage leaves, and has all commands of the JDK's
// jfr go through the result.
func TestJDKReadsWhatIsRepaired(t *testing.T) {
	home, dir := jdk25(t), t.TempDir()
	longtest.Long(t, "it asks about hundreds of recordings")
	write := func(name string, data []byte) {
		if whole := requireNothingWrong(t, name, data); whole != nil {
			require.NoError(t, os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".jfr"), whole, 0o600))
		}
	}
	for name, data := range damaged(t) {
		write(name, data)
	}
	for _, a := range real(t, "jdk17-empty", "jdk25-empty", "jdk17-oldobjects", "jdk25-oldobjects") {
		for _, s := range kindsOfDamage(a) {
			n := *jdkCases
			if s.Kind == "mixed" {
				n *= 10 // what is left of the others is soon alike
			}
			for i := range s.Spread(n) {
				write(fmt.Sprint(a.Name, " ", s.Kind, " ", i), s.At(i).Data)
			}
		}
	}
	out, err := jdk.Command(t.Context(), home, "java", "--add-opens", "jdk.jfr/jdk.jfr.internal.tool=ALL-UNNAMED",
		filepath.Join("testdata", "Reads.java"), dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Empty(t, string(out))
}
