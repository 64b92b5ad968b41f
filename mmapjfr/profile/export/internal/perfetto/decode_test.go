package perfetto_test

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// fields are the fields of a message by their numbers: integers, and bytes of all else.
type fields map[protowire.Number][]any

// decoded returns the fields of a message.
func decoded(t *testing.T, b []byte) fields {
	t.Helper()
	m := make(fields)
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		require.Positive(t, n)
		b = b[n:]
		var value any
		switch kind {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			value, n = protowire.ConsumeFixed64(b)
		default:
			require.Equal(t, protowire.BytesType, kind)
			value, n = protowire.ConsumeBytes(b)
		}
		require.Positive(t, n)
		b = b[n:]
		m[number] = append(m[number], value)
	}
	return m
}

func (m fields) int(number protowire.Number) uint64 {
	if len(m[number]) == 0 {
		return 0
	}
	return m[number][0].(uint64)
}

func (m fields) text(t *testing.T, number protowire.Number) string {
	if len(m[number]) == 0 {
		return ""
	}
	s := string(m[number][0].([]byte))
	require.True(t, utf8.ValidString(s), "%q", s)
	return s
}

// sample is a stack sample, the outermost frame first.
type sample struct {
	at, weight uint64
	followers  []uint64
	tid        uint64
	async      string
	stack      []string
}

// event is a track event. Its end is set when the trace has one for it.
type event struct {
	at, end          uint64
	track            uint64
	name, category   string
	kind             uint64
	number           float64
	flow, terminated uint64
	stack            []string
	annotations      map[string]any
}

// trace is a decoded trace, all of which has been checked.
type trace struct {
	events  []*event
	samples map[string][]sample // by source
	threads map[uint64]string   // by track
	parents map[uint64]uint64   // by track
	names   map[uint64]string   // of tracks
	tids    map[uint64]uint64   // by track
}

// state is what a sequence has interned, by field and number.
type state struct {
	interned map[protowire.Number]map[uint64]fields
	stacks   map[uint64][]string // that have been asked for
	source   string
	units    []uint64
}

// readTrace decodes a trace, and checks what viewers rely upon: what is interned comes before its use,
// tracks come before their events, and slices are inside of each other.
func readTrace(t *testing.T, data []byte) *trace {
	t.Helper()
	tr := &trace{samples: make(map[string][]sample), threads: make(map[uint64]string), parents: make(map[uint64]uint64), names: make(map[uint64]string), tids: make(map[uint64]uint64)}
	states := make(map[uint64]*state)
	clocks := 0
	for _, packet := range decoded(t, data)[1] {
		p := decoded(t, packet.([]byte))
		s := states[p.int(10)]
		if s == nil {
			require.Equal(t, uint64(3), p.int(13), "the first packet of a sequence clears its state")
			defaults := decoded(t, p[59][0].([]byte))
			require.Equal(t, uint64(1), defaults.int(58))
			s = &state{interned: make(map[protowire.Number]map[uint64]fields), stacks: make(map[uint64][]string)}
			if len(defaults[100]) > 0 {
				d := decoded(t, defaults[100][0].([]byte))
				s.source = d.text(t, 1)
				for _, descriptor := range append(d[2], d[3]...) {
					s.units = append(s.units, decoded(t, descriptor.([]byte)).int(3))
				}
			}
			states[p.int(10)] = s
		} else {
			require.Equal(t, uint64(2), p.int(13))
			require.Empty(t, p[59])
		}
		if len(p[12]) > 0 {
			s.intern(t, decoded(t, p[12][0].([]byte)))
		}
		require.LessOrEqual(t, p.int(8), uint64(math.MaxInt64))
		switch {
		case len(p[6]) > 0:
			clocks++
		case len(p[60]) > 0:
			tr.describe(t, decoded(t, p[60][0].([]byte)))
		case len(p[11]) > 0:
			tr.event(t, s, p.int(8), decoded(t, p[11][0].([]byte)))
		case len(p[135]) > 0:
			tr.sample(t, s, p.int(8), decoded(t, p[135][0].([]byte)))
		default:
			t.Fatal("a packet of nothing")
		}
	}
	require.Equal(t, 1, clocks)
	tr.checkSlices(t)
	tr.checkFlows(t)
	return tr
}

// intern adds what is interned. Numbers are given once.
func (s *state) intern(t *testing.T, data fields) {
	for number, list := range data {
		if s.interned[number] == nil {
			s.interned[number] = make(map[uint64]fields)
		}
		for _, item := range list {
			m := decoded(t, item.([]byte))
			require.NotZero(t, m.int(1))
			require.Nil(t, s.interned[number][m.int(1)])
			s.interned[number][m.int(1)] = m
		}
	}
}

// get returns what is interned under a number.
func (s *state) get(t *testing.T, field protowire.Number, n any) fields {
	t.Helper()
	m, ok := s.interned[field][n.(uint64)]
	require.True(t, ok, "field %d has no %d", field, n)
	return m
}

// stack returns the frames of an interned stack.
func (s *state) stack(t *testing.T, id uint64) (frames []string) {
	if known, ok := s.stacks[id]; ok || id == 0 {
		return known
	}
	for _, n := range s.get(t, 7, id)[2] {
		f := s.get(t, 6, n)
		s.get(t, 17, s.get(t, 19, f.int(3)).int(7))
		require.Less(t, f.int(7), uint64(5))
		if f.int(5) != 0 {
			s.get(t, 18, f.int(5)).text(t, 2)
		}
		frames = append(frames, s.get(t, 5, f.int(2)).text(t, 2))
	}
	s.stacks[id] = frames
	return frames
}

// has reports whether there is a track.
func (tr *trace) has(uuid uint64) bool {
	_, ok := tr.names[uuid]
	return ok
}

func (tr *trace) describe(t *testing.T, d fields) {
	uuid := d.int(1)
	require.NotZero(t, uuid)
	require.False(t, tr.has(uuid))
	if parent := d.int(5); parent != 0 {
		require.True(t, tr.has(parent), "the parent of a track comes before it")
		tr.parents[uuid] = parent
	}
	tr.names[uuid] = d.text(t, 2)
	if len(d[4]) > 0 {
		thread := decoded(t, d[4][0].([]byte))
		tr.threads[uuid] = thread.text(t, 5)
		for _, tid := range tr.tids {
			require.NotEqual(t, tid, thread.int(2), "threads have numbers of their own")
		}
		tr.tids[uuid] = thread.int(2)
	}
}

func (tr *trace) event(t *testing.T, s *state, at uint64, m fields) {
	e := &event{at: at, end: at, track: m.int(11), kind: m.int(9), annotations: make(map[string]any)}
	require.True(t, tr.has(e.track))
	switch e.kind {
	case 1, 3:
		e.name = s.get(t, 2, m.int(10)).text(t, 2)
		for _, n := range m[3] {
			e.category = s.get(t, 1, n).text(t, 2)
		}
		e.flow, e.terminated = m.int(47), m.int(48)
		e.stack = s.stack(t, m.int(56))
		for _, a := range m[4] {
			d := decoded(t, a.([]byte))
			var value any = d.text(t, 6)
			for _, field := range []protowire.Number{2, 4, 5} {
				if len(d[field]) > 0 {
					value = d.int(field)
				}
			}
			if len(d[17]) > 0 {
				value = s.get(t, 29, d.int(17)).text(t, 2)
			}
			e.annotations[s.get(t, 3, d.int(1)).text(t, 2)] = value
		}
	case 4:
		e.number = math.Float64frombits(m.int(44))
	default:
		require.Equal(t, uint64(2), e.kind)
	}
	tr.events = append(tr.events, e)
}

func (tr *trace) sample(t *testing.T, s *state, at uint64, m fields) {
	task := s.get(t, 48, m.int(2))
	require.NotZero(t, task.int(2))
	got := sample{at: at, weight: m.int(11), tid: task.int(3), stack: s.stack(t, m.int(6))}
	if id := task.int(4); id != 0 {
		got.async = s.get(t, 51, id).text(t, 2)
	}
	for _, n := range m[14] {
		got.followers = append(got.followers, n.(uint64))
	}
	require.Len(t, s.units, 1+len(got.followers))
	tr.samples[s.source] = append(tr.samples[s.source], got)
}

// checkSlices plays the events of each track in the order of their times, as Perfetto does, and gives
// slices their ends.
func (tr *trace) checkSlices(t *testing.T) {
	byTrack := make(map[uint64][]*event)
	for _, e := range tr.events {
		byTrack[e.track] = append(byTrack[e.track], e)
	}
	for _, list := range byTrack {
		slices.SortStableFunc(list, func(a, b *event) int { return cmp.Compare(a.at, b.at) })
		var open []*event
		for _, e := range list {
			switch e.kind {
			case 1:
				open = append(open, e)
			case 2:
				require.NotEmpty(t, open, "an end without a begin")
				open[len(open)-1].end = e.at
				open = open[:len(open)-1]
			}
		}
		require.Empty(t, open, "a begin without an end")
	}
}

// checkFlows finds one begin and one end of each flow.
func (tr *trace) checkFlows(t *testing.T) {
	begun := make(map[uint64]uint64)
	for _, e := range tr.events {
		if e.flow != 0 {
			require.Zero(t, begun[e.flow])
			begun[e.flow] = e.at
		}
		if e.terminated != 0 {
			require.NotZero(t, begun[e.terminated])
			require.LessOrEqual(t, begun[e.terminated], e.at)
			delete(begun, e.terminated)
		}
	}
	require.Empty(t, begun)
}
