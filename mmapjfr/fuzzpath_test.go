package mmapjfr_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/internal/dumpall"
)

// pathNames are names of fields, as they are in made recordings and in real ones. Paths
// are kept without end, so there must not be too many.
var pathNames = []string{
	"a", "b", "c", "name", "string", "duration", "eventThread", "stackTrace", "frames", "method", "type", "lineNumber",
	"javaName", "group", "parent", "classLoader", "startTime", "p", "s", "ps", "w", "sampledThread", "none", "x.y",
}

// FuzzPath follows paths into recordings, at once and step by step: both must lead to the
// same. A path is names, and positions in arrays after every name whose byte is odd.
func FuzzPath(f *testing.F) {
	for i, in := range fuzzInputs() {
		f.Add(in.which, in.program, in.edits, []byte{byte(2 * i)}, "a")
		f.Add(in.which, in.program, in.edits, []byte{14, 17, 18, 20}, "stackTrace.frames[0].")
	}
	var one, two dumpall.Dumper
	f.Fuzz(func(t *testing.T, which uint8, program, edits, steps []byte, text string) {
		if len(text) <= 4 {
			if p, err := mmapjfr.ParsePath(text); err == nil && p.String() != text {
				t.Fatalf("path %q calls itself %q", text, p)
			}
		}
		var names []string
		for _, b := range steps[:min(len(steps), 3)] {
			name := pathNames[int(b/2)%len(pathNames)]
			if b%2 != 0 {
				name += "[" + strconv.Itoa(int(b/64)) + "]"
			}
			names = append(names, name)
		}
		if len(names) == 0 {
			return
		}
		path, err := mmapjfr.ParsePath(strings.Join(names, "."))
		require.NoError(t, err)
		rec, err := mmapjfr.OpenBytes(fuzzed(which, program, edits))
		if err != nil {
			return
		}
		for ev, err := range rec.Events() {
			if err != nil {
				continue
			}
			got, want := ev.Get(path), stepByStep(ev.Value(), names)
			one.Reset()
			one.Value(got, 0)
			two.Reset()
			two.Value(want, 0)
			if !want.IsAbsent() && !got.IsAbsent() {
				sameTold(t, path.String(), two.Bytes(), one.Bytes())
			}
			if _, _, err := ev.Type().Resolve(path); (err != nil) != got.IsAbsent() && err != nil {
				t.Fatalf("%s leads nowhere: %v; but to %s", path, err, got)
			}
			_, _, _, _ = ev.Int(path), ev.Str(path), ev.Has(path), ev.Time(path)
		}
	})
}

// stepByStep follows one name after the other.
func stepByStep(v mmapjfr.Value, names []string) mmapjfr.Value {
	for _, name := range names {
		name, index, array := strings.Cut(name, "[")
		v = v.Get(mmapjfr.Path(name))
		if array {
			i, _ := strconv.Atoi(strings.TrimSuffix(index, "]"))
			v = v.Index(i)
		}
	}
	return v
}
