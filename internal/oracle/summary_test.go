package oracle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/oracle"
)

const summaryText = `
 Version: 2.1
 Chunks: 3
 Start: 2026-11-20 21:22:36 (UTC)
 Duration: 9 s

 Event Type                                   Count  Size (bytes) 
==================================================================
 jdk.NativeMethodSample                        1234        567890
 jdk.Metadata                                     3        270000
 my.Twice                                         2            40
 my.Twice                                         1            20
 177 (missing event metadata)                     1            17
 my.Wünsche                                       0             0
`

func TestParseSummary(t *testing.T) {
	got, err := oracle.ParseSummary(strings.NewReader(summaryText))
	require.NoError(t, err)
	assert.Equal(t, oracle.Summary{
		Version: "2.1", Chunks: 3, Start: "2026-11-20 21:22:36 (UTC)", Duration: "9 s",
		Types: map[string]oracle.Count{
			"jdk.NativeMethodSample":       {Events: 1234, Bytes: 567890},
			"jdk.Metadata":                 {Events: 3, Bytes: 270000},
			"my.Twice":                     {Events: 3, Bytes: 60},
			"177 (missing event metadata)": {Events: 1, Bytes: 17},
			"my.Wünsche":                   {},
		},
	}, got)
}

func TestParseSummaryRejects(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":    "",
		"no table":   strings.Split(summaryText, "\n Event")[0],
		"no head":    "=====\n jdk.X 1 2\n",
		"wrong row":  summaryText + " jdk.X  many  2\n",
		"no columns": summaryText + "jdk.X\n",
		"no name":    summaryText + "  1 2\n",
		"empty line": summaryText + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := oracle.ParseSummary(strings.NewReader(text))
			assert.Error(t, err)
		})
	}
}
