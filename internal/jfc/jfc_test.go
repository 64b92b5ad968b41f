package jfc_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfc"
)

// folder has .jfc files, and what the JDK says about them.
const folder = "../../cmd/mjfr/internal/configure/testdata"

func written(t *testing.T, f *jfc.File) string {
	t.Helper()
	var b bytes.Buffer
	_, err := f.WriteTo(&b)
	require.NoError(t, err)
	return b.String()
}

func own(t *testing.T) *jfc.File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "own.jfc"))
	require.NoError(t, err)
	f, err := jfc.Read(bytes.NewReader(data))
	require.NoError(t, err)
	return f
}

// TestReadsWhatItWrites writes a file, reads that, and writes the same again.
func TestReadsWhatItWrites(t *testing.T) {
	once := written(t, own(t))
	f, err := jfc.Read(strings.NewReader(once))
	require.NoError(t, err)
	assert.Equal(t, once, written(t, f))
}

func TestOptions(t *testing.T) {
	f := own(t)
	var syntax []string
	for _, o := range f.Options() {
		syntax = append(syntax, o.Syntax())
	}
	assert.Equal(t, []string{
		"mode=<off|low|all>  (low)", "odd=<1|2>  (1)", "limit=<timespan>  (20ms)",
		`filter=<method-filter>  ("")`, "both=<text>  (nothing)", "deep=<true|false>  (TRUE)",
	}, syntax)
	o, ok := f.Option("mode")
	require.True(t, ok)
	assert.Equal(t, "low", o.Value())
	changed, err := f.Set("mode", "off")
	require.NoError(t, err)
	assert.Contains(t, changed, jfc.Setting{Event: "own.Second", Name: "enabled", Value: "off"})
	assert.Contains(t, changed, jfc.Setting{Event: "own.Second", Name: "period", Value: "1 s"})
	assert.Equal(t, "off", o.Value())
	assert.Equal(t, []string{"Setting 'own.First#missing' refers to missing control 'nowhere'"}, f.Warnings())
}

func TestSetRefuses(t *testing.T) {
	for name, want := range map[string]struct {
		kind error
		text string
	}{
		"modes":               {jfc.ErrNoOption, "Option 'modes' doesn't exist in configuration; did you mean mode?"},
		"own.Frist#enabled":   {jfc.ErrNoEvent, "Could not find event 'own.Frist'; did you mean own.First?"},
		"First#enabled":       {jfc.ErrNoEvent, "Could not find event 'First'; did you mean own.First?"},
		"elephant.Trunk#long": {jfc.ErrNoEvent, "Could not find event 'elephant.Trunk'; +elephant.Trunk#long=VALUE adds it"},
		"own.First#enable":    {jfc.ErrNoSetting, "Could not find setting 'enable' for event 'own.First'; did you mean enabled?"},
		"own.First#x":         {jfc.ErrNoSetting, "Could not find setting 'x' for event 'own.First'; +own.First#x=VALUE adds it"},
		"mode":                {jfc.ErrValue, "Incorrect value 'x'. Valid values are 'off', 'low' and 'all'."},
		"+a#b\x00":            {jfc.ErrValue, "control character"},
	} {
		_, err := own(t).Set(name, "x")
		require.ErrorIs(t, err, want.kind, name)
		assert.Contains(t, err.Error(), want.text)
	}
}

func TestReadRefuses(t *testing.T) {
	const head = `<configuration version="2.0" label="x">`
	test := func(of string) string { return `<test name="` + of + `" operator="equal" value="true"/>` }
	for text, want := range map[string]error{
		"":                                       jfc.ErrParse,
		"FLR\x00\x00\x02":                        jfc.ErrParse,
		"{}":                                     jfc.ErrParse,
		head:                                     jfc.ErrParse,
		head + "<a></b>":                         jfc.ErrParse,
		"</a>":                                   jfc.ErrParse,
		head + "\xff":                            jfc.ErrParse,
		head + "&nothing;":                       jfc.ErrParse,
		"<x/>":                                   jfc.ErrParse,
		"<configuration/>":                       jfc.ErrUse,
		head + "<event/></configuration>":        jfc.ErrUse,
		head + "</configuration><more/>":         jfc.ErrParse,
		head + strings.Repeat("<a>", 1e5):        jfc.ErrParse,
		head + strings.Repeat(" ", jfc.MaxBytes): jfc.ErrParse,
		head + `<control><condition name="a">` + test("a") + `</condition></control></configuration>`:                                                  jfc.ErrUse,
		head + `<control><condition name="a">` + test("b") + `</condition><condition name="b">` + test("a") + `</condition></control></configuration>`: jfc.ErrUse,
	} {
		_, err := jfc.Read(strings.NewReader(text))
		assert.ErrorIs(t, err, want, "%.80q", text)
	}
}

// TestManyConditions has conditions that each depend twice on the one before, so that evaluating
// each whenever it is asked for would not end.
func TestManyConditions(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<configuration version="2.0" label="x"><event name="e"><setting name="enabled" control="c999">old</setting></event><control>`)
	b.WriteString(`<flag name="c0" label="c">false</flag>`)
	for i := range 999 {
		one := fmt.Sprintf(`<test name="c%d" operator="equal" value="true"/>`, i)
		fmt.Fprintf(&b, `<condition name="c%d" true="true" false="false"><and>%s%s</and></condition>`, i+1, one, one)
	}
	b.WriteString(`</control></configuration>`)
	f, err := jfc.Read(strings.NewReader(b.String()))
	require.NoError(t, err)
	changed, err := f.Set("c0", "true")
	require.NoError(t, err)
	assert.Equal(t, []jfc.Setting{{Event: "e", Name: "enabled", Value: "true"}}, changed)
}

// Example changes a setting of a file and writes the result.
func Example() {
	f := jfc.New("Mine")
	if _, err := f.Set("+jdk.CPULoad#period", "1s"); err != nil {
		panic(err)
	}
	for s := range f.Settings() {
		fmt.Println(s)
	}
	// Output: jdk.CPULoad#period=1 s
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(folder, "*.jfc"))
	require.NoError(f, err)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := jfc.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, o := range file.Options() {
			for _, value := range []string{"true", "1 s", o.Value()} {
				_, _ = o.Set(value) // it may refuse
			}
			_ = o.Syntax()
		}
		if _, err := file.Set("+a#b", "c"); err == nil {
			assert.NotEmpty(t, slices.Collect(file.Settings()))
		}
		_ = written(t, file)
	})
}
