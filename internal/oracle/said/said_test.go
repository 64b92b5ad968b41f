package said

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// judge notes what a test reports.
type judge struct {
	testing.TB
	said string
}

func (*judge) Helper() {}

func (j *judge) Errorf(format string, args ...any) { j.said += fmt.Sprintf(format, args...) }

func TestSame(t *testing.T) {
	for _, c := range []struct{ want, got, said string }{
		{"a\nb\n", "a\nb\n", ""},
		{"", "", ""},
		{"a\nb\n", "a\nc\n", "line 2:\nthe JDK: \"b\\n\""},
		{"a\nb\n", "a\nb", "line 2:"},
		{"a\n", "a\nb\n", "line 2:"},
		{"a\r\n", "a\n", "line 1:"},
	} {
		j := &judge{TB: t}
		Same(j, []byte(c.want), []byte(c.got))
		assert.Contains(t, j.said, c.said)
		assert.Equal(t, c.said == "", j.said == "", "%q %q", c.want, c.got)
	}
}

func TestNames(t *testing.T) {
	assert.Equal(t, "print+--events+jdk.=2a", name([]string{"print", "--events", "jdk.*"}))
	long := strings.Repeat("x", 100)
	assert.Len(t, name([]string{"print", long}), maxName)
	assert.NotEqual(t, name([]string{"print", long + "a"}), name([]string{"print", long + "b"}))
}

func TestRecording(t *testing.T) {
	whole := Recording(t, "jdk25-chunks.jfr")
	chunk := Recording(t, "jdk25-chunks.jfr#1")
	at := bytes.Index(whole, chunk)
	require.Positive(t, at)
	assert.Equal(t, "FLR\x00", string(whole[at:at+4]))
	assert.Equal(t, "FLR\x00", string(whole[at+len(chunk):at+len(chunk)+4]), "the next one follows")
	live := Recording(t, "jdk25-live.jfr#0")
	assert.Less(t, len(live), len(Recording(t, "jdk25-live.jfr")), "cut to what its header says")
	assert.Zero(t, live[64], "and marked as finished")
}

func TestOf(t *testing.T) {
	assert.Contains(t, string(Of(t, "jdk25-empty.jfr", "print", "--json").Out), `"events": []`)
	assert.Contains(t, Of(t, "jdk25-killed.jfr", "summary").Refusal, "stuck in locked stream state")
}

func TestAnswersOfViewsAreKept(t *testing.T) {
	said := 0
	for _, q := range ViewQuestions() {
		a := View(t, q.Recording, q.Words...)
		said += len(a.Out)
		assert.Equal(t, a.Refusal == "", len(a.Out) > 0, "%v: %s", q, a.Refusal)
	}
	assert.Greater(t, said, 1<<20)
}
