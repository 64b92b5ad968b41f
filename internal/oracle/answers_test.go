package oracle_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/oracle"
)

func TestLoadNoticesChangedRecordings(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(recording, []byte("abc"), 0o600))
	_, err := oracle.Load(recording)
	require.ErrorIs(t, err, os.ErrNotExist)

	a := &oracle.Answers{
		File:   "odd name.jfr",
		SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		Plain: oracle.Account{
			Summary: oracle.Summary{Version: "2.1", Types: map[string]oracle.Count{"": {}, "\"\n": {Events: 1, Bytes: 17}}},
			Chunks:  []oracle.ChunkAnswer{{Size: 600, Events: 3}, {Offset: 600, State: 5, PrintRefused: "jfr print: could not"}},
			Events:  oracle.Multiset{"Ü": {N: 3, A: 0xb, B: 0xfffffffffffffff5}},
			Classes: oracle.Classes{"boolean": {0xff, 0xf << 60}},
		},
	}
	assert.Same(t, &a.Plain, a.Truth())
	a.AsFinished = new(oracle.Account)
	assert.Same(t, a.AsFinished, a.Truth())
	require.NoError(t, a.Save(recording))
	assert.FileExists(t, filepath.Join(filepath.Dir(recording), "answers", "a.json"))
	got, err := oracle.Load(recording)
	require.NoError(t, err)
	assert.Equal(t, a, got)

	require.NoError(t, os.WriteFile(oracle.AnswersPath(recording), []byte("other"), 0o600))
	_, err = oracle.Load(recording)
	assert.ErrorContains(t, err, "invalid character")
	require.NoError(t, a.Save(recording))
	require.NoError(t, os.WriteFile(recording, []byte("abd"), 0o600))
	_, err = oracle.Load(recording)
	assert.ErrorIs(t, err, oracle.ErrStale)
}
