package print_test

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// textPrinted are those of printed whose text the JDK does not refuse as a whole, for
// the sake of one duration that is too long for it.
func textPrinted() (names []string) {
	for _, name := range printed {
		switch name {
		case "jdk17-kinds.jfr", "jdk25-kinds.jfr", "jdk25-ticks.jfr":
		default:
			names = append(names, name)
		}
	}
	return names
}

func TestTextIsThatOfTheJDK(t *testing.T) {
	for _, name := range textPrinted() {
		t.Run(name, func(t *testing.T) {
			want := said.Of(t, name, "print")
			require.Empty(t, want.Refusal)
			said.Same(t, want.Out, written(t, name, print.Options{StackDepth: print.DefaultStackDepth}))
		})
	}
}

func TestExactIsThatOfTheJDK(t *testing.T) {
	for _, name := range textPrinted() {
		t.Run(name, func(t *testing.T) {
			want := said.Of(t, name, "print", "--exact")
			require.Empty(t, want.Refusal)
			said.Same(t, want.Out, written(t, name, print.Options{Format: print.Exact, StackDepth: print.DefaultStackDepth}))
		})
	}
}

func TestStackDepth(t *testing.T) {
	for i, name := range []string{"jdk17-profile.jfr", "jdk25-profile.jfr", "jdk25-virtual.jfr"} {
		for j, depth := range []int{0, 1, 64, 9999} {
			if !longtest.Every(i+j, 3) {
				continue
			}
			t.Run(name+" "+strconv.Itoa(depth), func(t *testing.T) {
				want := said.Of(t, name, "print", "--stack-depth", strconv.Itoa(depth))
				require.Empty(t, want.Refusal)
				said.Same(t, want.Out, written(t, name, print.Options{StackDepth: depth}))
			})
		}
	}
}

func TestTextOfSelectedEvents(t *testing.T) {
	tests := []struct {
		recording, option, value string
		filter                   mmapjfr.Filter
	}{
		{"jdk25-profile.jfr", "--events", "CPULoad,jdk.GarbageCollection,GC*", mmapjfr.Types("CPULoad", "jdk.GarbageCollection", "GC*")},
		{"jdk25-profile.jfr", "--categories", "GC,Java Application", mmapjfr.Categories("GC", "Java Application")},
		{"jdk25-profile.jfr", "--events", "NoSuchEvent", mmapjfr.Types("NoSuchEvent")},
		// Those that enclose others need not be wanted themselves.
		{"jdk25-kinds.jfr", "--events", "Throttled", mmapjfr.Types("Throttled")},
		{"jdk25-kinds.jfr", "--events", kindsEvents, kindsTypes},
		{"jdk25-ticks.jfr", "--events", kindsEvents, kindsTypes},
		{"jdk17-kinds.jfr", "--events", kindsEvents, kindsTypes},
	}
	for _, tt := range tests {
		for format, words := range map[print.Format][]string{
			print.Text: {"print"}, print.Exact: {"print", "--exact"},
		} {
			t.Run(tt.recording+" "+words[len(words)-1]+" "+tt.value, func(t *testing.T) {
				want := said.Of(t, tt.recording, append(words, tt.option, tt.value)...)
				require.Empty(t, want.Refusal)
				said.Same(t, want.Out, written(t, tt.recording, print.Options{
					Format: format, StackDepth: print.DefaultStackDepth, Filters: []mmapjfr.Filter{tt.filter},
				}))
			})
		}
	}
}

// kindsEvents are all events of the recordings of kinds but those with durations of
// which the JDK says "long overflow".
const kindsEvents = "*es,*ts,*rs,*ed,*ing,*ms,*ce,*ic,*in,*nd,*le,*ow,*1,*\u540d\u524d"

var kindsTypes = mmapjfr.Types(strings.Split(kindsEvents, ",")...)

func TestExactOfATimespanThatIsTooLong(t *testing.T) {
	seconds := note("jdk.jfr.Timespan", "SECONDS")
	for n, want := range map[int64]string{
		math.MaxInt64 - 1:     "9223372036854775806.000000000 s",
		-math.MaxInt64:        "-9223372036854775807.000000000 s",
		9_223_372_037:         "9223372037.000000000 s",
		9_223_372_036:         "9223372036.000000000 s",
		-9_223_372_036:        "-9223372036.000000000 s",
		-9_223_372_037:        "-9223372037.000000000 s",
		9_007_199_254_740_991: "9007199254740991.000000000 s",
	} {
		b := jfrtest.NewChunk()
		emit(b, []any{n}, field("long", seconds))
		assert.Contains(t, textOf(t, b, print.Options{Format: print.Exact}), "  f = "+want+"\n")
	}
}

// The JDK counts in doubles: beyond some months its last digits are not the file's.
func TestExactOfALongTimespan(t *testing.T) {
	b := jfrtest.NewChunk()
	emit(b, []any{int64(9_123_456_789_123_456_789)}, field("long", nanosUnit))
	assert.Contains(t, textOf(t, b, print.Options{Format: print.Exact}), "  f = 9123456789.123457000 s\n")
}

func TestTextInAnotherZone(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Region.GMTOffset = 3_600_000
	emit(b, []any{int64(0)}, field("long", millisTime))
	assert.Contains(t, textOf(t, b, print.Options{}), "  f = 01:00:00.000 (1970-01-01)\n", "the recording's own")
	zone := time.FixedZone("", -90*60)
	assert.Contains(t, textOf(t, b, print.Options{Zone: zone}), "  f = 22:30:00.000 (1969-12-31)\n")
}
