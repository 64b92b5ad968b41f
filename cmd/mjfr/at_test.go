package main

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/opentest"
)

// showAt runs the verb, which must succeed without a word on standard error.
var showAt = mjfrCommand.Output("at")

const (
	// FORMAT.md shows this event of it, the one with the ordinal 484.
	primitives = `#484  gen.KindEvents$Primitives
at 0x5465 (21605), 45 bytes, in chunk 0
2026-11-21 00:48:59.382825769 +00:00, 181.347563ms after the start
`
)

func TestAtOffsetOfAnEvent(t *testing.T) {
	want := primitives + `
gen.KindEvents$Primitives {
  startTime = 00:48:59.382825769 (2026-11-21)
  z = false
  b = -1
  s = -1
  c = ` + "\uffff" + `
  i = -1
  l = -1
  f = 1.0
  d = 1.0
  eventThread = "main" (javaThreadId = 3)
}
`
	for _, position := range []string{"0x5465", "0X5465", "21605", "#484", "00:48:59.382825769", "2026-11-21 00:48:59.382825769",
		"2026-11-21T00:48:59.382825769", "2026-11-21T01:48:59.382825769+01:00", "+181.347563ms"} {
		assert.Equal(t, want, showAt(t, clitest.File("jdk25-kinds.jfr"), position), position)
	}
	inside := showAt(t, clitest.File("jdk25-kinds.jfr"), "0x5470")
	assert.Equal(t, strings.Replace(want, "start\n", "start\nnote: 0x5470 is 11 bytes after its beginning\n", 1), inside)
}

func TestAtTimesInTheRecordingsZone(t *testing.T) {
	// There it begins at half past eleven at night, and ends on the next day.
	file := clitest.Hour(t, time.Date(2026, 5, 1, 21, 30, 0, 0, time.UTC), 0, 20*time.Minute, 40*time.Minute)
	for position, want := range map[string]string{
		"23:30":                     "0",
		"23:45":                     "1",
		"23:50:00":                  "1",
		"23:50:00.000000001":        "2",
		"00:05":                     "2", // after midnight
		"2026-05-01 23:45":          "1",
		"2026-05-02T00:01:00":       "2",
		"2026-05-01T21:45:00Z":      "1",
		"2026-05-01T22:45:00+01:00": "1",
		"+19m":                      "1",
		"-30m":                      "2",
		"01:00":                     "0", // before it began: on the next day it had ended
	} {
		assert.Contains(t, showAt(t, file, position), "\n  n = "+want+"\n", position)
	}
	assert.Contains(t, showAt(t, file, "23:45"), "2026-05-01 23:50:00.000000000 +02:00, 20m0s after the start")
	_, _, told := mjfrCommand(t, "at", file, "2026-05-02 00:20")
	assert.Contains(t, told, "no event begins at 2026-05-02 00:20:00.000000000 +02:00 or later")
}

func TestAtTheEarliestOfSeveralRecordings(t *testing.T) {
	start := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	first := clitest.Hour(t, start, 0, 30*time.Minute, time.Minute)
	second := clitest.Hour(t, start.Add(time.Minute), 10*time.Minute, 50*time.Minute)
	for position, want := range map[string]string{"+0s": "#0 ", "+1m": "#2 ", "+2m": "#3 ", "+12m": "#1 ", "-5m": "#4 ", "12:31": "#4 "} {
		_, out, told := mjfrCommand(t, "at", second, first, position)
		if position == "-5m" { // the second ends an hour and a minute after the start
			assert.Contains(t, told, "no event begins at 2026-05-01 12:56:00")
			continue
		}
		assert.True(t, strings.HasPrefix(out, want), "%s: %s%s", position, out, told)
	}
}

func TestAtSeveralPositions(t *testing.T) {
	assert.Equal(t, showAt(t, clitest.File("jdk25-kinds.jfr"), "0x5465")+"\n"+showAt(t, clitest.File("jdk25-kinds.jfr"), "#0"), showAt(t, clitest.File("jdk25-kinds.jfr"), "0x5465", "#0"))
	code, out, told := mjfrCommand(t, "at", clitest.File("jdk25-kinds.jfr"), "0x7fffffff", "#484")
	assert.Equal(t, showAt(t, clitest.File("jdk25-kinds.jfr"), "#484"), out, "what can be shown is shown")
	assert.Equal(t, "mjfr at: nothing that can be read lies here: the file has 149111 bytes (0x24677)\n", told)
	assert.Equal(t, cli.ExitData, code)
}

func TestAtStructuresOfTheFormat(t *testing.T) {
	header := showAt(t, clitest.File("jdk25-kinds.jfr"), "67")
	assert.Contains(t, header, "chunk header\nat 0x0 (0), 68 bytes, in chunk 0\nnote: 67 is 67 bytes after its beginning")
	assert.Contains(t, header, "  checkpoint      149016 (to 0x24618)\n")

	checkpoint := showAt(t, clitest.File("jdk25-kinds.jfr"), "68")
	assert.Contains(t, checkpoint, "checkpoint\nat 0x44 (68), 8565 bytes, in chunk 0\n\n  size      8565 (to 0x21b9)\n")
	assert.Contains(t, checkpoint, "        0x55           4 constants            48 bytes  jdk.types.FrameType\n")
	assert.Equal(t, 17, strings.Count(checkpoint, "constants "), "pools")

	metadata := showAt(t, clitest.File("jdk25-kinds.jfr"), "0x74dd")
	assert.Contains(t, metadata, "metadata event\nat 0x74dd (29917), 119099 bytes, in chunk 0\n")
	rec := opentest.File(t, clitest.File("jdk25-kinds.jfr"))
	types, err := rec.Chunks()[0].Types()
	require.NoError(t, err)
	require.Len(t, types, 322)
	assert.Contains(t, metadata, "\nIt describes 322 types.\n")
}

func TestAtHex(t *testing.T) {
	want := primitives + `
0x00005465  2d                                   size: int = 45; to 0x5492
0x00005466  89 10                                type: type = 2057; gen.KindEvents$Primitives
0x00005468  b0 c6 e6 ef 03                       startTime: long = 1039770416; 2026-11-21T00:48:59.382825769Z
0x0000546d  00                                   duration: long = 0; 0s
0x0000546e  03                                   eventThread: key = 3; of java.lang.Thread: "main"
0x0000546f  00                                   stackTrace: key = 0; of jdk.types.StackTrace: null
`
	assert.True(t, strings.HasPrefix(showAt(t, "--hex", clitest.File("jdk25-kinds.jfr"), "0x5465"), want))
	assert.Contains(t, showAt(t, "--hex", clitest.File("jdk25-kinds.jfr"), "68"), `0x00000055  00                                       pools[0][0].key: long = 0`)
}

func TestAtNeighbours(t *testing.T) {
	in := func(position string, args ...string) []string {
		out := showAt(t, append([]string{clitest.File("jdk25-kinds.jfr"), position}, args...)...)
		if !strings.Contains(strings.SplitN(out, "\n", 2)[0], "  20") {
			return nil
		}
		var marks []string
		for line := range strings.SplitSeq(strings.SplitN(out, "\n\n", 2)[0], "\n") {
			marks = append(marks, line[:1]+strings.Fields(line[1:])[0])
		}
		return marks
	}
	assert.Nil(t, in("#484"))
	assert.Equal(t, []string{" #482", " #483", ">#484", " #485", " #486"}, in("#484", "-C", "2"))
	assert.Equal(t, []string{" #483", ">#484"}, in("#484", "-B", "1"))
	assert.Equal(t, []string{">#484", " #485"}, in("#484", "--after-context", "1"))
	assert.Equal(t, []string{" #481", " #482", " #483", ">#484", " #485"}, in("#484", "-C", "1", "-B3"))
	assert.Equal(t, []string{">#0", " #1"}, in("#0", "-C", "1"))
}

func TestAtInSeveralRecordings(t *testing.T) {
	one, two := clitest.File("jdk25-empty.jfr"), clitest.File("jdk25-chunks.jfr")
	recs := []string{clitest.File("jdk25-kinds.jfr"), two, one}
	code, all, _ := mjfrCommand(t, append([]string{"events", "--offsets"}, recs...)...)
	require.Equal(t, cli.ExitOK, code)
	lines := strings.Split(strings.TrimSpace(all), "\n")[1:]
	for _, i := range []int{0, 5, len(lines) - 1} {
		f := strings.Split(lines[i], "\t")
		out := showAt(t, append(recs, f[1])...)
		assert.True(t, strings.HasPrefix(out, f[1]+"  "), out)
		assert.Contains(t, out, "at "+f[2]+" (")
		assert.Contains(t, out, " of "+f[0]+"\n")
	}
	code, _, told := mjfrCommand(t, "at", one, two, "68")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, told, "68 is an offset, and there are 2 recordings; name the one that it is in")
}

func TestAtJSON(t *testing.T) {
	var got []struct {
		Position      string
		Before, After []struct{ Ordinal uint64 }
		Place         struct {
			File, Kind, Type, Start, Thread string
			Offset, Size, Ordinal           uint64
			Chunk                           int
			BytesInside                     uint64
			DurationNanos                   int64
			Fields                          []struct{ Name, Type, Value string }
		}
		Hex   []struct{ Bytes, Path string }
		Head  []struct{ Path, Value string }
		Pools []struct {
			Type      string
			Constants int
		}
		Types int
	}
	require.NoError(t, json.Unmarshal([]byte(showAt(t, "--json", clitest.File("jdk25-kinds.jfr"), "0x5470", "68", "0x74dd", "-C1")), &got))
	require.Len(t, got, 3)
	event := got[0]
	assert.Equal(t, "0x5470", event.Position)
	p := event.Place
	assert.Equal(t, []any{clitest.File("jdk25-kinds.jfr"), "event", "gen.KindEvents$Primitives", "2026-11-21T00:48:59.382825769Z", "main"},
		[]any{p.File, p.Kind, p.Type, p.Start, p.Thread})
	assert.Equal(t, []uint64{0x5465, 45, 484, 11}, []uint64{p.Offset, p.Size, p.Ordinal, p.BytesInside})
	require.Len(t, p.Fields, 12)
	assert.Equal(t, "b", p.Fields[5].Name)
	assert.Equal(t, "byte", p.Fields[5].Type)
	assert.Equal(t, "-1", p.Fields[5].Value)
	assert.EqualValues(t, 483, event.Before[0].Ordinal)
	assert.EqualValues(t, 485, event.After[0].Ordinal)
	assert.Equal(t, "checkpoint", got[1].Place.Kind)
	require.Len(t, got[1].Pools, 17)
	assert.Equal(t, "jdk.types.FrameType", got[1].Pools[0].Type)
	assert.Equal(t, 4, got[1].Pools[0].Constants)
	assert.Equal(t, "delta", got[1].Head[4].Path)
	assert.Equal(t, 322, got[2].Types)

	require.NoError(t, json.Unmarshal([]byte(showAt(t, "--json", "--hex", clitest.File("jdk25-kinds.jfr"), "0x5465")), &got))
	var all []byte
	for _, l := range got[0].Hex {
		b, err := hex.DecodeString(l.Bytes)
		require.NoError(t, err)
		all = append(all, b...)
	}
	data, err := os.ReadFile(clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, err)
	assert.Equal(t, data[0x5465:0x5465+45], all)
}

func TestAtMisused(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "no recording given: name one and a position, as in mjfr at app.jfr 0x6afc"},
		{[]string{clitest.File("jdk25-kinds.jfr")}, "no position given; take an offset"},
		{[]string{clitest.File("jdk25-kinds.jfr"), "x"}, `"x" is not a position; take an offset`},
		{[]string{clitest.File("jdk25-kinds.jfr"), "#x"}, `"#x" is not a position`},
		{[]string{clitest.File("jdk25-kinds.jfr"), "#"}, `"#" is not a position`},
		{[]string{clitest.File("jdk25-kinds.jfr"), ""}, `"" is not a position`},
		{[]string{clitest.File("jdk25-kinds.jfr"), "+5"}, `"+5" is not a position`},
		{[]string{clitest.File("jdk25-kinds.jfr"), "+-5s"}, `"+-5s" is not a position`},
		{[]string{clitest.File("jdk25-kinds.jfr"), "++5s"}, `"++5s" is not a position`},
		{[]string{clitest.File("jdk25-kinds.jfr"), "-5x"}, `"-5x" is not a position`},
		{[]string{clitest.File("jdk25-kinds.jfr"), "0x"}, `"0x" is not a position`},
		{[]string{clitest.File("jdk25-kinds.jfr"), "25:00"}, `"25:00" is not a position`},
		{[]string{clitest.File("jdk25-kinds.jfr"), "1", "18446744073709551616"}, `"18446744073709551616" is not a position`},
		{[]string{"-C", "-1", clitest.File("jdk25-kinds.jfr"), "1"}, "-1"},
	} {
		code, out, told := mjfrCommand(t, append([]string{"at"}, test.args...)...)
		assert.Equal(t, cli.ExitUsage, code, "%q", test.args)
		assert.Empty(t, out)
		assert.Contains(t, told, test.want)
	}
}

func TestAtWhatIsNotThere(t *testing.T) {
	for position, want := range map[string]string{
		"#100000": "mjfr at: event #100000 is missing: there are ",
		"+1h":     "mjfr at: no event begins at 2026-11-21 01:48:59.201478206 +00:00 or later\n",
	} {
		code, out, told := mjfrCommand(t, "at", clitest.File("jdk25-kinds.jfr"), position)
		assert.Equal(t, cli.ExitData, code)
		assert.Empty(t, out)
		assert.Contains(t, told, want)
	}
	code, _, told := mjfrCommand(t, "at", clitest.File("jdk25-live.jfr"), "0x1db69")
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, "the recorder had not yet written the constants of what follows")
}
