package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProcessorIn(t *testing.T) {
	require.Equal(t, "Intel(R) Xeon(R) CPU @ 2.20GHz", processorIn(strings.NewReader(
		"processor\t: 0\nmodel\t\t: 79\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.20GHz\nmodel name\t: another\n")))
	require.Empty(t, processorIn(strings.NewReader("processor\t: 0\nFeatures\t: fp asimd\n")), "as on ARM")
}

func TestPeersAreNotMeasuredOn(t *testing.T) {
	data := recording(t, "jdk25-chunks.jfr")
	folder := t.TempDir()
	for name, c := range map[string]struct {
		options peersOptions
		says    string
	}{
		"no file":        {peersOptions{file: "nosuch.jfr"}, "nosuch.jfr: there is no such file; check the path"},
		"a folder":       {peersOptions{file: folder}, "it is a folder"},
		"no recording":   {peersOptions{file: "peers.go"}, "check that it is the .jfr file itself"},
		"a damaged file": {peersOptions{file: writeFile(t, data[:len(data)-100])}, "it is damaged"},
		"a running one":  {peersOptions{file: "../../testdata/jdk25-live.jfr"}, "a chunk still being written"},
		"no such type": {peersOptions{file: "../../testdata/jdk25-chunks.jfr", typeName: "jdk.Nothing"},
			"it has no event type jdk.Nothing; jfrbench summary -all lists"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := describeForPeers(c.options)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestDescribeForPeers(t *testing.T) {
	const file = "../../testdata/jdk25-profile.jfr"
	info, err := os.Stat(file)
	require.NoError(t, err)
	r, err := describeForPeers(peersOptions{file: file, runs: 4})
	require.NoError(t, err)
	require.Equal(t, info.Size(), r.size)
	require.Equal(t, 1, r.chunks)
	require.Equal(t, 4, r.runs)
	require.True(t, strings.HasPrefix(r.path, "/") || strings.Contains(r.path, ":"), r.path)
	require.InDelta(t, float64(r.events)/100, float64(r.typed.Events), float64(r.events)/1000)

	r, err = describeForPeers(peersOptions{file: file, typeName: "jdk.ClassLoad"})
	require.NoError(t, err)
	require.Equal(t, uint64(539), r.typed.Events)
	require.Contains(t, r.facts(), "type is jdk.ClassLoad: 539 events, 12.09% of all")
}
