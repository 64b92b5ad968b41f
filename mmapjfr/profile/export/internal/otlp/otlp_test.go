package otlp_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/otlp"
)

// written returns what OpenTelemetry's own module reads, after the rules that its checker demands.
func written(t *testing.T, p *profile.Profile) *v1.ProfilesData {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, otlp.Write(&out, p, otlp.Options{Service: "app", Names: profile.Names{Dots: true}}))
	d := new(v1.ProfilesData)
	require.NoError(t, proto.UnmarshalOptions{DiscardUnknown: false}.Unmarshal(out.Bytes(), d))
	require.Empty(t, d.ProtoReflect().GetUnknown())
	dict := d.Dictionary
	require.Empty(t, dict.StringTable[0])
	for _, first := range []proto.Message{dict.MappingTable[0], dict.LocationTable[0], dict.FunctionTable[0], dict.LinkTable[0], dict.AttributeTable[0], dict.StackTable[0]} {
		require.Zero(t, proto.Size(first), "entry 0 of each table is empty")
	}
	seen := make(map[string]bool)
	for _, s := range dict.StringTable {
		require.False(t, seen[s], "twice: %q", s)
		seen[s] = true
	}
	return d
}

// TestWrite compares the sums of each value by innermost function, thread and time.
func TestWrite(t *testing.T) {
	for _, times := range []time.Duration{0, 1, time.Second} {
		testWrite(t, times)
	}
}

func testWrite(t *testing.T, times time.Duration) {
	t.Helper()
	for _, name := range []string{"jdk17-profile.jfr", "jdk25-profile.jfr", "jdk25-cputime.jfr"} {
		rec, err := mmapjfr.Open("../../../../../testdata/" + name)
		require.NoError(t, err)
		p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Times: times})
		require.NoError(t, err)
		d := written(t, p)
		dict := d.Dictionary
		want, got := make(map[string]int64), make(map[string]int64)
		for s := range p.Samples() {
			function := ""
			for _, f := range p.Stack(s.Stack) {
				function = profile.Names{Dots: true}.Frame(f)
				break
			}
			for i, v := range s.Values {
				if v != 0 {
					want[fmt.Sprint(s.Kind.Name, s.Kind.Values[i], function, p.Labels(s.Labels).Thread, max(s.Time, min(s.Time, 1)*rec.Start().UnixNano()))] += v
				}
			}
		}
		scope := d.ResourceProfiles[0].ScopeProfiles[0]
		require.Equal(t, "service.name", d.ResourceProfiles[0].Resource.Attributes[0].Key)
		for _, profiled := range scope.Profiles {
			typ := dict.StringTable[profiled.SampleType.TypeStrindex]
			unit := dict.StringTable[profiled.SampleType.UnitStrindex]
			kind := dict.StringTable[profiled.PeriodType.TypeStrindex]
			require.Positive(t, profiled.Period)
			assert.EqualValues(t, rec.Start().UnixNano(), profiled.TimeUnixNano)
			same := make(map[string]bool)
			for _, s := range profiled.Samples {
				identity := fmt.Sprint(s.StackIndex, s.AttributeIndices, s.LinkIndex)
				require.False(t, same[identity], "two samples of one stack and labels")
				same[identity] = true
				function, thread := "", ""
				if stack := dict.StackTable[s.StackIndex].LocationIndices; len(stack) > 0 {
					function = dict.StringTable[dict.FunctionTable[dict.LocationTable[stack[0]].Lines[0].FunctionIndex].NameStrindex]
				}
				for _, a := range s.AttributeIndices {
					if a := dict.AttributeTable[a]; dict.StringTable[a.KeyStrindex] == "thread.name" {
						thread = a.Value.GetStringValue()
					}
				}
				at := []uint64{0}
				if times > 0 {
					at = s.TimestampsUnixNano
				}
				require.Len(t, s.Values, len(at))
				for i, v := range s.Values {
					require.True(t, times == 0 || at[i] >= profiled.TimeUnixNano && at[i] < profiled.TimeUnixNano+profiled.DurationNano)
					got[fmt.Sprint(kind, profile.ValueType{Name: typ, Unit: profile.Unit(unit)}, function, thread, at[i])] += v
				}
			}
		}
		assert.Equal(t, want, got, name)
		require.NoError(t, rec.Close())
	}
}

// TestSystemName leaves out the numbers of hidden classes from both names of functions.
func TestSystemName(t *testing.T) {
	p := profile.New()
	p.AddFrame(profile.Frame{Method: profile.Method{Class: "a/B$$Lambda/0x12", Name: "run", Descriptor: "()V"}})
	var out bytes.Buffer
	require.NoError(t, otlp.Write(&out, p, otlp.Options{Names: profile.Names{Normalize: true}}))
	assert.Contains(t, out.String(), "a/B$$Lambda.run()V")
	assert.NotContains(t, out.String(), "0x12")
}

// TestObjects names the classes of objects as functions are, and adds up those of one name.
func TestObjects(t *testing.T) {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	for _, class := range []string{"a.B$$Lambda/0x12", "a.B$$Lambda/0x34"} {
		p.Add(k.Name, 0, p.AddLabels(profile.Labels{Class: class}), 1, 20)
	}
	var out bytes.Buffer
	require.NoError(t, otlp.Write(&out, p, otlp.Options{Names: profile.Names{Normalize: true, Simple: true}}))
	d := new(v1.ProfilesData)
	require.NoError(t, proto.Unmarshal(out.Bytes(), d))
	samples := d.ResourceProfiles[0].ScopeProfiles[0].Profiles[1].Samples
	require.Len(t, samples, 1)
	assert.Equal(t, []int64{40}, samples[0].Values)
	assert.Equal(t, "B$$Lambda", d.Dictionary.AttributeTable[samples[0].AttributeIndices[0]].Value.GetStringValue())
}

// TestLinks writes the spans and traces of requests.
func TestLinks(t *testing.T) {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	p.Add(k.Name, 0, p.AddLabels(profile.Labels{SpanID: 1, TraceHigh: 2, TraceLow: 3}), 1, 20)
	d := written(t, p)
	require.Len(t, d.Dictionary.LinkTable, 2)
	assert.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3}, d.Dictionary.LinkTable[1].TraceId)
	assert.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0, 1}, d.Dictionary.LinkTable[1].SpanId)
	assert.EqualValues(t, 20, d.ResourceProfiles[0].ScopeProfiles[0].Profiles[0].Period)
	written(t, profile.New())
}

// TestHostile names the functions of profiles that nobody would make.
func TestHostile(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		for _, f := range written(t, p).Dictionary.FunctionTable[1:] {
			require.NotZero(t, f.NameStrindex)
		}
	})
}
