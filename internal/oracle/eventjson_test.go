package oracle_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle"
)

var nastyStrings = []string{
	``, ` `, `  two  spaces `, `\"`, `\\`, `\\\"`, `\\\\`, `\"\\`, `{`, `}`, `[`, `]]}}`, `,`, `:`,
	`\",\"type\":\"x\"`, `\n\t\r\b\f`, `\/`, `\u00e9\ud83d\ude00`, "\x7f", `\\u0022`, `{\"a\": [1, 2]}`,
}

// nastyOutput has an event of its own for each nasty string, laid out as the JDK does.
func nastyOutput() (output string, events []string) {
	var b strings.Builder
	b.WriteString("{\n  \"recording\": {\n    \"events\": [")
	for i, s := range nastyStrings {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "{\n      \"type\": \"my.Event\", \n      \"values\": {\n        \"a\": \"%s\", \n        "+
			"\"b\": [{\n          \"c\": null\n        }, {\n          \"d%d\": -1.5E-7\n        }], \n        \"e\": []\n      }\n    }", s, i)
		events = append(events, fmt.Sprintf(`{"type":"my.Event","values":{"a":"%s","b":[{"c":null},{"d%d":-1.5E-7}],"e":[]}}`, s, i))
	}
	b.WriteString("]\n  }\n}")
	return b.String(), events
}

func TestSplitEventsNastyStrings(t *testing.T) {
	output, want := nastyOutput()
	for _, text := range []string{output, `{"recording":{"events":[` + strings.Join(want, ",") + `]}}`} {
		got, err := collectEvents(iotest.OneByteReader(strings.NewReader(text)))
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestSplitEventsCutAnywhere(t *testing.T) {
	output, _ := nastyOutput()
	for i := 0; i < len(output); i += longtest.Cases(7, 1) {
		_, err := collectEvents(strings.NewReader(output[:i]))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d bytes", i)
	}
}

func TestSplitEventsNone(t *testing.T) {
	got, err := collectEvents(strings.NewReader("{\n  \"recording\": {\n    \"events\": []\n  }\n}"))
	require.NoError(t, err)
	assert.Empty(t, got)
}

func TestSplitEventsTypeName(t *testing.T) {
	const output = `{"recording": {"events": [{"type": "a\/b \"c\" \u00fc\ud83d\ude00", "values": {}}, {"type": "", "values": {}}]}}`
	var names []string
	for e, err := range oracle.SplitEvents(strings.NewReader(output)) {
		require.NoError(t, err)
		names = append(names, e.Type)
	}
	assert.Equal(t, []string{`a/b "c" ü😀`, ""}, names)
}

func TestSplitEventsRejects(t *testing.T) {
	for name, output := range map[string]string{
		"other text":         `Usage: jfr`,
		"an array":           `[]`,
		"other member":       `{"recording": {"chunks": []}}`,
		"no comma":           `{"recording": {"events": [{"type": "a"} {"type": "a"}]}}`,
		"two commas":         `{"recording": {"events": [{"type": "a"},, {"type": "a"}]}}`,
		"comma first":        `{"recording": {"events": [, {"type": "a"}]}}`,
		"comma last":         `{"recording": {"events": [{"type": "a"},]}}`,
		"number":             `{"recording": {"events": [1]}}`,
		"empty event":        `{"recording": {"events": [{}]}}`,
		"type not a string":  `{"recording": {"events": [{"type": 1}]}}`,
		"type without value": `{"recording": {"events": [{"type":}]}}`,
		"wrong escape":       `{"recording": {"events": [{"type": "\x"}]}}`,
		"text after":         `{"recording": {"events": []}} more`,
		"event after":        `{"recording": {"events": []}{"type": "a"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := collectEvents(strings.NewReader(output))
			require.ErrorContains(t, err, "not the output of jfr print --json")
		})
	}
}

func TestSplitEventsReportsReadError(t *testing.T) {
	broken := errors.New("broken")
	_, err := collectEvents(io.MultiReader(strings.NewReader(`{"recording": {`), iotest.ErrReader(broken)))
	assert.ErrorIs(t, err, broken)
}

func TestSplitEventsStops(t *testing.T) {
	output, _ := nastyOutput()
	n := 0
	for range oracle.SplitEvents(strings.NewReader(output)) {
		if n++; n == 3 {
			break
		}
	}
	assert.Equal(t, 3, n)
}

func TestCanonical(t *testing.T) {
	output, want := nastyOutput()
	assert.Equal(t, `{"recording":{"events":[`+strings.Join(want, ",")+`]}}`, string(oracle.Canonical(nil, []byte(output))))
}

func collectEvents(r io.Reader) (texts []string, err error) {
	for e, err := range oracle.SplitEvents(r) {
		if err != nil {
			return texts, err
		}
		texts = append(texts, string(e.Text))
	}
	return texts, nil
}
