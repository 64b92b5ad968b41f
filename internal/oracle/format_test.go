package oracle_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/oracle"
)

const answersText = `mmapjfr answers 1
file "odd name.jfr"
bytes 1000
sha256 00ff
jdk 25.0.3

account plain
summary refused: jfr summary: could not read recording at x.jfr. Recording file is stuck
chunk 0 at 0 size 600 state 0 events 3
chunk 1 at 600 size 400 state 5 events 0
chunk 1 print refused: jfr print: could not
chunk 1 metadata refused: jfr metadata: could not
names
account - - 3 000000000000000bfffffffffffffff5 0000000000000001

account as-finished
version 2.1
chunks 2
start 2026-11-20 21:22:36 (UTC)
duration 3 s
chunk 0 at 0 size 600 state 0 events 3
chunk 1 at 600 size 300 state 0 events 0
names
"" 0 0 - - -
"\"\n" - - - - 0000000000000003
"177 (missing event metadata)" 1 17 - - -
boolean - - - - 00000000000000ff,f000000000000000
jdk.CPULoad 12 345 12 00000000000000010000000000000002 0000000000000002
"\u00dc" - - 1 00000000000000000000000000000000 -
`

func TestAnswersText(t *testing.T) {
	a, err := oracle.Parse([]byte(answersText))
	require.NoError(t, err)
	assert.Equal(t, answersText, string(a.Text()))
	assert.Equal(t, "odd name.jfr", a.File)
	assert.Equal(t, oracle.Sum{N: 3, A: 0xb, B: 0xfffffffffffffff5}, a.Plain.Events["account"])
	assert.Equal(t, oracle.ChunkAnswer{Offset: 600, Size: 400, State: 5, PrintRefused: "jfr print: could not", MetadataRefused: "jfr metadata: could not"}, a.Plain.Chunks[1])
	assert.False(t, a.Plain.Complete())
	assert.True(t, a.AsFinished.Complete())
	assert.Same(t, a.AsFinished, a.Truth())
	assert.Equal(t, oracle.Count{Events: 12, Bytes: 345}, a.AsFinished.Summary.Types["jdk.CPULoad"])
	assert.Equal(t, []uint64{0xff, 0xf << 60}, a.AsFinished.Classes["boolean"])
	assert.Contains(t, a.AsFinished.Events, "Ü")

	windows, err := oracle.Parse([]byte(strings.ReplaceAll(answersText, "\n", "\r\n")))
	require.NoError(t, err)
	assert.Equal(t, a, windows)
}

func TestParseRejects(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":               "",
		"other version":         strings.Replace(answersText, "answers 1", "answers 2", 1),
		"only the head":         answersText[:strings.Index(answersText, "\naccount")],
		"cut before names":      answersText[:strings.Index(answersText, "names")],
		"other account":         strings.Replace(answersText, "account as-finished", "account other", 1),
		"other key":             strings.Replace(answersText, "sha256", "sha1", 1),
		"no number":             strings.Replace(answersText, "bytes 1000", "bytes many", 1),
		"columns missing":       answersText + "jdk.X 1 2\n",
		"wrong count":           answersText + "jdk.X a 2 - - -\n",
		"wrong sum":             answersText + "jdk.X 1 2 1 zz -\n",
		"wrong hash":            answersText + "jdk.X 1 2 - - xyz\n",
		"wrong quotes":          answersText + "\"jdk.X 1 2 - - -\n",
		"types without summary": strings.Replace(answersText, "account - -", "account 1 2", 1),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := oracle.Parse([]byte(text))
			assert.ErrorIs(t, err, oracle.ErrFormat)
		})
	}
}

func TestLoadNoticesChangedRecordings(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(recording, []byte("abc"), 0o600))
	_, err := oracle.Load(recording)
	require.ErrorIs(t, err, os.ErrNotExist)

	a, err := oracle.Parse([]byte(answersText))
	require.NoError(t, err)
	a.SHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	require.NoError(t, a.Save(recording))
	assert.FileExists(t, filepath.Join(filepath.Dir(recording), "answers", "a.txt"))
	got, err := oracle.Load(recording)
	require.NoError(t, err)
	assert.Equal(t, a, got)

	require.NoError(t, os.WriteFile(recording, []byte("abd"), 0o600))
	_, err = oracle.Load(recording)
	assert.ErrorIs(t, err, oracle.ErrStale)
}
