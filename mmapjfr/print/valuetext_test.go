package print_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// printedLines counts the lines that jfr print has for the simple fields of events, with the
// type before them, and for frames.
func printedLines(out string) map[string]int {
	lines := make(map[string]int)
	typ := ""
	stack := false
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		field, isField := strings.CutPrefix(line, "  ")
		frame, isFrame := strings.CutPrefix(line, "    ")
		switch {
		case strings.HasSuffix(line, " {") && !isField:
			typ, stack = strings.TrimSuffix(line, " {"), false
		case isFrame:
			if stack && frame != "..." {
				lines["frame "+frame]++
			}
		case isField:
			stack = field == "stackTrace = ["
			if !strings.HasSuffix(line, "[") && !strings.HasSuffix(line, "{") && strings.Contains(field, " = ") {
				lines[typ+": "+field]++
			}
		}
	}
	return lines
}

// ownLines makes the same of what Text says.
func ownLines(t *testing.T, rec *mmapjfr.Recording) map[string]int {
	lines := make(map[string]int)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		for f, v := range ev.Fields() {
			text := v.Text()
			switch {
			case v.Kind() == mmapjfr.KindString:
				text, _, _ = strings.Cut(`"`+text+`"`, "\n")
			case v.Kind() == mmapjfr.KindStruct && f.Type().Name() == "java.lang.Thread":
				if text, v = `"`+text+`" (javaThreadId = `, v.Get(mmapjfr.Path("javaThreadId")); v.Int() <= 0 || strings.HasPrefix(text, `"thread `) {
					continue // it has no name
				}
				text += v.Text() + ")"
			case v.Kind() == mmapjfr.KindStruct && f.Type().Name() == "java.lang.Class":
				assert.Equal(t, v.Class().Name(), text)
				text += " (classLoader = " + v.Get(mmapjfr.Path("classLoader")).Text() + ")"
			case v.Kind() == mmapjfr.KindStruct && f.Type().Name() == "jdk.types.ClassLoader":
				if v.ClassLoader().Type().IsZero() {
					continue // the JDK has null where there is one without a class
				}
				text = v.ClassLoader().Type().Name() + " (id = " + strconv.FormatInt(engine.ValueKey(v), 10) + ")"
			case v.Kind() == mmapjfr.KindStruct && f.Type().Name() == "jdk.types.Method":
				assert.Equal(t, v.Method().Signature(), text)
			case v.Kind() >= mmapjfr.KindStruct, v.IsNull() && (f.Name() == "stackTrace" || f.Name() == "eventThread"),
				f.Name() == "duration" && v.Int() == 0:
				continue // not one line, or left out
			case v.Kind() == mmapjfr.KindNone:
				text = "N/A"
			}
			lines[ev.Type().Name()+": "+f.Name()+" = "+text]++
		}
		for f := range ev.StackTrace().Frames() {
			if !f.Method().IsHidden() {
				lines["frame "+engine.FrameValue(f).Text()]++
			}
		}
	}
	return lines
}

// TestTextIsWhatTheJDKPrints compares the texts of fields and frames with jfr print.
func TestTextIsWhatTheJDKPrints(t *testing.T) {
	rec := opentest.File(t, "../../testdata/jdk25-profile.jfr")
	printed := printedLines(string(said.Of(t, "jdk25-profile.jfr", "print", "--stack-depth", "9999").Out))
	own := ownLines(t, rec)
	require.Greater(t, len(own), 1000)
	for line, n := range own {
		assert.Equal(t, printed[line], n, line)
		delete(printed, line)
	}
	for line, n := range printed {
		if !strings.Contains(line, "(osThreadId = ") && !strings.Contains(line, ` = "" (java`) && !strings.HasSuffix(line, "ClassLoader = null") {
			assert.Zero(t, n, line)
		}
	}
}
