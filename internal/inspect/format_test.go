package inspect_test

import (
	"encoding/hex"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/mmapjfr"
)

var (
	formatFence = regexp.MustCompile("^```hex testdata/(\\S+)@0x([0-9a-f]+)")
	formatLine  = regexp.MustCompile(`^((?:[0-9a-f]{2} ?)+?)(?:\s{2,}(.*))?$`)
	formatValue = regexp.MustCompile(`^[^:]+: (byte|short|char|int|long|float|double|u16|u64|type|key|bool|string) = (?:("(?:[^"\\]|\\.)*")|(\S+?)(?: of .*| .*)?)(?:;.*)?$`)
)

// TestLinesSayWhatTheFormatDoes compares what the examples of FORMAT.md say of bytes
// with what is said here.
func TestLinesSayWhatTheFormatDoes(t *testing.T) {
	text, err := os.ReadFile("../../index/FORMAT.md")
	require.NoError(t, err)
	var (
		rec      *mmapjfr.Recording
		offset   uint64
		pending  []byte
		compared int
		lines    map[uint64]inspect.Line
	)
	for row := range strings.SplitSeq(string(text), "\n") {
		if m := formatFence.FindStringSubmatch(row); m != nil {
			rec = open(t, m[1])
			offset, err = strconv.ParseUint(m[2], 16, 64)
			require.NoError(t, err)
			pending, lines = nil, map[uint64]inspect.Line{}
			continue
		}
		if rec == nil {
			continue
		}
		if row == "```" {
			rec = nil
			continue
		}
		m := formatLine.FindStringSubmatch(row)
		require.NotNil(t, m, row)
		b, err := hex.DecodeString(strings.ReplaceAll(m[1], " ", ""))
		require.NoError(t, err)
		pending = append(pending, b...)
		if m[2] == "" {
			continue
		}
		if _, ok := lines[offset]; !ok {
			p, err := inspect.Find(rec, offset)
			if err != nil { // an example of what lies after the valid end
				pending = nil
				continue
			}
			for l := range p.Lines() {
				lines[l.Offset] = l
			}
		}
		l := lines[offset]
		if v := formatValue.FindStringSubmatch(m[2]); v != nil && v[1] != "string" && string(l.Bytes) == string(pending) {
			want, got := v[3], l.Value
			if strings.HasPrefix(want, "0x") {
				n, err := strconv.ParseUint(want, 0, 64)
				require.NoError(t, err)
				want = strconv.FormatUint(n, 10)
			}
			assert.Equal(t, strings.TrimSuffix(want, ";"), got, "%s", row)
			compared++
		}
		offset += uint64(len(pending))
		pending = nil
	}
	assert.Greater(t, compared, 200)
}
