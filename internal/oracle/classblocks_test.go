package oracle_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/oracle"
)

var classBlocks = []struct{ name, text string }{
	{"boolean", "class boolean {\n}"},
	{"java.lang.Class", "@Name(\"java.lang.Class\")\n@Label(\"Java Class\")\nclass Class {\n  @Label(\"Name\")\n  String name;\n\n  @Label(\"Hidden\")\n  boolean hidden;\n}"},
	{"Plain", "@Label(\"class\")\nclass Plain extends jdk.jfr.Event {\n}"},
	{"a.Lines", "@Name(\"a.Lines\")\n@Label(\"one\n}\nclass Other {\n\n  two\")\nclass Lines {\n}"},
	{"Named", "@Label(\"x\")\n@Name(\"an annotation of the user\")\nclass Named {\n}"},
	{"p.Ünï", "@Name(\"p.Ünï\")\nclass Ünï {\n}"},
}

func classOutput() string {
	var b strings.Builder
	for _, c := range classBlocks {
		b.WriteString(c.text + "\n\n")
	}
	return b.String()
}

func TestSplitClasses(t *testing.T) {
	output := classOutput()
	for name, r := range map[string]io.Reader{
		"at once":            strings.NewReader(output),
		"byte-wise":          iotest.OneByteReader(strings.NewReader(output)),
		"with \\r\\n":        strings.NewReader(strings.ReplaceAll(output, "\n", "\r\n")),
		"empty lines first":  strings.NewReader("\n\n" + output),
		"no empty line last": strings.NewReader(strings.TrimSuffix(output, "\n")),
		"no newline last":    strings.NewReader(strings.TrimSpace(output)),
	} {
		t.Run(name, func(t *testing.T) {
			i := 0
			for c, err := range oracle.SplitClasses(r) {
				require.NoError(t, err)
				assert.Equal(t, classBlocks[i].name, c.Name)
				assert.Equal(t, classBlocks[i].text, string(c.Text))
				i++
			}
			assert.Len(t, classBlocks, i)
		})
	}
}

func TestSplitClassesRejects(t *testing.T) {
	for name, output := range map[string]string{
		"unended block":        "class a {\n}\n\nclass b {\n",
		"block without class":  "hello\n}\n\n",
		"something else":       "Usage: jfr\n",
		"class without braces": "class a\n}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			var last error
			for _, err := range oracle.SplitClasses(strings.NewReader(output)) {
				last = err
			}
			require.ErrorContains(t, last, "not the output of jfr metadata")
		})
	}
}
