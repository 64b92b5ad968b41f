package export_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	google "github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// rows returns what a profile holds and files of pprof have: values by kind, stack and labels.
func rows(p *profile.Profile, names profile.Names) map[string][]int64 {
	sum := make(map[string][]int64)
	for s := range p.Samples() {
		key := s.Kind.Name
		for _, v := range s.Kind.Values {
			key += " " + v.Name + " " + string(v.Unit)
		}
		for _, f := range p.Stack(s.Stack) {
			m := f.Method
			key += "\n" + names.Frame(f) + m.Descriptor
		}
		l := p.Labels(s.Labels)
		id := l.ThreadName() + l.State + l.Class
		key += "\n" + id
		list := sum[key]
		if list == nil {
			list = make([]int64, len(s.Values)+3)
		}
		for i, n := range append([]int64{l.SpanID, l.TraceHigh, l.TraceLow}, s.Values...) {
			list[i] += n
		}
		sum[key] = list
	}
	return sum
}

// TestReadPprofBack reads what Write writes: all kinds, lines, descriptors and labels.
func TestReadPprofBack(t *testing.T) {
	names := profile.Names{Dots: true, Lines: true}
	for _, name := range []string{"jdk17-profile.jfr", "jdk25-profile.jfr", "jdk25-cputime.jfr", "jdk25-oldobjects.jfr", "jdk25-virtual.jfr"} {
		rec, err := mmapjfr.Open(filepath.Join("../../../testdata", name))
		require.NoError(t, err)
		for _, o := range []profile.Options{{}, {Events: []profile.EventKind{{Type: "jdk.ThreadPark"}, {Type: "jdk.ThreadPark", Value: "duration"}, {Type: "jdk.ThreadPark", Value: "timeout"}}}} {
			p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, o)
			require.NoError(t, err)
			var out bytes.Buffer
			require.NoError(t, export.Write(t.Context(), &out, "pprof", p, export.Options{Names: names}))
			q, err := export.Read(&out, "pprof", export.ReadOptions{})
			require.NoError(t, err, name)
			want, got := rows(p, names), rows(q, names)
			require.Len(t, got, len(want))
			for key, values := range want {
				require.Equal(t, values, got[key], "%s: %s", name, key)
			}
			start, end := p.Span()
			from, to := q.Span()
			assert.True(t, start.Equal(from) && end.Equal(to))
			assert.Equal(t, p.Notes(), q.Notes())
		}
		require.NoError(t, rec.Close())
	}
}

// TestReadBackOfChosenNames reads names without packages, or without numbers of hidden classes, as they
// were written.
func TestReadBackOfChosenNames(t *testing.T) {
	p := ofTestdata(t)
	for _, names := range []profile.Names{{Dots: true, Normalize: true}, {Dots: true, Simple: true}, {Simple: true, Normalize: true}} {
		var out bytes.Buffer
		require.NoError(t, export.Write(t.Context(), &out, "pprof", p, export.Options{Names: names}))
		q, err := export.Read(&out, "pprof", export.ReadOptions{})
		require.NoError(t, err)
		kind := p.Kinds()[0]
		column := profile.Column{Kind: &kind, Value: kind.Main()}
		assert.Equal(t, p.Top(column, profile.ByMethod, names), q.Top(column, profile.ByMethod, profile.Names{Dots: names.Dots}))
	}
}

// TestReadBackOfNames keeps the names of profiles that were collapsed stacks, which have no descriptors.
func TestReadBackOfNames(t *testing.T) {
	const stacks = "java/lang/Thread.run;a/B$$Lambda/0x12.run;app/Main.<init>;std::sort;read 5\n"
	p, err := export.Read(strings.NewReader(stacks), "collapsed", export.ReadOptions{})
	require.NoError(t, err)
	var out, again bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &out, "pprof", p, export.Options{Names: profile.Names{Dots: true}}))
	q, err := export.Read(&out, "pprof", export.ReadOptions{})
	require.NoError(t, err)
	kind := export.Untyped()
	require.NoError(t, export.Write(t.Context(), &again, "collapsed", q, export.Options{Column: profile.Column{Kind: &kind}}))
	assert.Equal(t, stacks, again.String())
}

// goHeap is a profile of another program, as pprof's own package writes it.
func goHeap() *google.Profile {
	binary := &google.Mapping{ID: 7, File: "/usr/bin/app"}
	f, g := &google.Function{ID: 3, Name: "main.Server.Serve", SystemName: "main.(*Server).Serve"}, &google.Function{ID: 9, Name: "main.run", SystemName: "main.run"}
	inlined := &google.Location{ID: 40, Mapping: binary, Line: []google.Line{{Function: f, Line: 5}, {Function: g, Line: 6}}}
	address := &google.Location{ID: 1, Mapping: binary, Address: 0x4242}
	return &google.Profile{
		SampleType: []*google.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}, {Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		Mapping:    []*google.Mapping{binary}, Function: []*google.Function{f, g}, Location: []*google.Location{inlined, address},
		Sample: []*google.Sample{
			{Location: []*google.Location{address, inlined}, Value: []int64{1, 100, 0, 0}, Label: map[string][]string{"thread name": {"m1"}}, NumLabel: map[string][]int64{"bytes": {64}, "thread id": {8}}},
			{Location: []*google.Location{inlined}, Value: []int64{2, 200, 1, 100}, Label: map[string][]string{"trace_id": {"0000000000000001ffffffffffffffff"}, "span id": {"00000000000000ff"}}},
		},
	}
}

// TestOfOthers reads a profile of Go: with inlined functions in one location, an address without a
// symbol, numbers in any order, and labels that a profile of Java does not have.
func TestOfOthers(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, goHeap().Write(&out))
	p, err := export.Read(&out, "pprof", export.ReadOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string][]int64{
		"alloc objects count space bytes\n0x4242\nmain.Server.Serve:5\nmain.run:6\n[m1 tid=8]": {0, 0, 0, 1, 100},
		"alloc objects count space bytes\nmain.Server.Serve:5\nmain.run:6\n[no thread]":        {255, 1, -1, 2, 200},
		"inuse objects count space bytes\nmain.Server.Serve:5\nmain.run:6\n[no thread]":        {255, 1, -1, 1, 100},
	}, rows(p, profile.Names{Dots: true, Lines: true}))
	assert.Equal(t, []string{"labels of the file are left out: bytes"}, p.Notes())
}

// TestKinds names the kinds of sample types.
func TestKinds(t *testing.T) {
	for _, c := range []struct{ types, kinds []string }{
		{[]string{"samples count", "cpu nanoseconds"}, []string{"cpu"}},
		{[]string{"contentions count", "delay nanoseconds"}, []string{"lock"}},
		{[]string{"alloc_in_new_tlab_objects count", "alloc_in_new_tlab_bytes bytes"}, []string{"alloc_in_new_tlab"}},
		{[]string{"wall nanoseconds", "wall nanoseconds"}, []string{"wall", "wall_2"}},
		{[]string{"samples count"}, []string{"samples"}},
		{[]string{"io_operations count", "io_bytes bytes", "io_time nanoseconds", "io_other count"}, []string{"io", "io_other"}},
		{nil, nil},
	} {
		g := &google.Profile{}
		for _, text := range c.types {
			name, unit, _ := bytes.Cut([]byte(text), []byte(" "))
			g.SampleType = append(g.SampleType, &google.ValueType{Type: string(name), Unit: string(unit)})
		}
		var out bytes.Buffer
		require.NoError(t, g.WriteUncompressed(&out))
		p, err := export.Read(&out, "pprof", export.ReadOptions{})
		require.NoError(t, err)
		var kinds []string
		for _, k := range p.Kinds() {
			kinds = append(kinds, k.Name)
		}
		assert.ElementsMatch(t, c.kinds, kinds)
	}
}

// TestReadPprofRejects says what is wrong, and where.
func TestReadPprofRejects(t *testing.T) {
	for want, data := range map[string]string{
		"offset 0x0: it is not a field of a profile":                            "\x00",
		"offset 0x0: the file ends in the middle of it":                         "\x0a\x05\x08",
		"offset 0x4: field 2 is of another type":                                "\x0a\x02\x08\x00\x10\x01",
		"offset 0x0: the first string is not empty":                             "\x32\x01x",
		"offset 0x0: the sample type is damaged":                                "\x0a\x02\x08\x09",
		"offset 0x0: the number of its values is 1, and that of sample types 0": "\x12\x03\x12\x01\x01",
		"offset 0x0: its location 5 is missing":                                 "\x12\x03\x0a\x01\x05",
		"offset 0x0: the sample is damaged":                                     "\x12\x02\x0a\x09",
		"offset 0x0: the mapping is damaged":                                    "\x1a\x00",
		"offset 0x4: the function is damaged":                                   "\x2a\x02\x08\x01\x2a\x02\x08\x01",
		"offset 0x0: the location is damaged":                                   "\x22\x04\x08\x01\x10\x01",
		"offset 0x0: a line of the location is damaged":                         "\x22\x06\x08\x01\x22\x02\x08\x01",
		"offset 0x0: it is larger than 1 MB when unpacked":                      "\x32\xff\xff\xff\x7f",
		"offset 0x2: it is larger than 1 MB when unpacked, which":               "\x32\x00\x32\x80\x80\x40" + string(make([]byte, 1<<20)),
	} {
		_, err := export.Read(bytes.NewReader([]byte(data)), "pprof", export.ReadOptions{MaxBytes: 1 << 20})
		require.ErrorIs(t, err, profile.ErrFormat, want)
		assert.Contains(t, err.Error(), want)
	}
	var out bytes.Buffer
	require.NoError(t, goHeap().Write(&out))
	for n := range out.Len() {
		_, err := export.Read(bytes.NewReader(out.Bytes()[:n]), "pprof", export.ReadOptions{})
		require.True(t, err != nil || n == 0, "cut at %d", n)
	}
	broken := errors.New("broken")
	_, err := export.Read(io.MultiReader(bytes.NewReader([]byte("\x32\x00")), failing{broken}), "pprof", export.ReadOptions{})
	require.ErrorIs(t, err, broken)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestBomb reads a file that is small until it is unpacked.
func TestBomb(t *testing.T) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	require.NoError(t, err)
	for range 64 {
		_, err := z.Write(bytes.Repeat([]byte("\x32\x00"), 1<<16))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	_, err = export.Read(&out, "pprof", export.ReadOptions{MaxBytes: 1 << 20})
	assert.ErrorContains(t, err, "it is larger than 1 MB when unpacked")
}

// TestReadPprofLimits refuses files that stand for far more than their size, at once: with many empty strings, a
// long string, many values, or stacks of which each has all frames of others.
func TestReadPprofLimits(t *testing.T) {
	message := func(number protowire.Number, content []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), content)
	}
	location := protowire.AppendVarint([]byte{1 << 3}, 1)
	location = append(location, bytes.Repeat([]byte("\x22\x00"), 1000)...)
	frames := message(4, location)
	sample := message(2, message(1, bytes.Repeat([]byte{1}, 100)))
	for want, data := range map[string][]byte{
		"offset 0x1000000: there are more than 8388608 of field 6": bytes.Repeat([]byte("\x32\x00"), 1<<23+1),
		"offset 0x2: strings have more than 128 MB":                []byte("\x32\x00\x32\x80\x80\x80\x60"),
		"offset 0x800: there are more than 1024 of field 1":        bytes.Repeat([]byte("\x0a\x00"), 1<<10+1),
		"offset 0x0: there are more than 1024 comments":            message(13, make([]byte, 1<<10+1)),
		"offset 0x0: the sample is damaged":                        message(2, message(2, make([]byte, 1<<10+1))),
		"offset 0x0: the location is damaged":                      message(4, bytes.Repeat([]byte("\x22\x00"), 1<<17+1)),
		"offset 0x0: a stack has more than 131,072":                message(2, message(1, make([]byte, 1<<18))),
		"stacks have more frames":                                  slices.Concat(frames, bytes.Repeat(sample, 45)),
	} {
		_, err := export.Read(bytes.NewReader(data), "pprof", export.ReadOptions{})
		require.ErrorIs(t, err, profile.ErrFormat, want)
		assert.Contains(t, err.Error(), want)
	}
}

// TestDetectDamaged takes a file for a profile that is damaged after its first sample type.
func TestDetectDamaged(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, goHeap().WriteUncompressed(&out))
	assert.Equal(t, "pprof", export.Detect(out.Bytes()))
	assert.Equal(t, "pprof", export.Detect(out.Bytes()[:20]))
	assert.Equal(t, "pprof", export.Detect(append(out.Bytes(), bytes.Repeat([]byte{0xff}, 12)...)))
	assert.Empty(t, export.Detect([]byte("\n\n# a text\n")))
	assert.Empty(t, export.Detect([]byte("\n\x00")))
}

// FuzzReadPprof reads anything. What can be read can be written and read again.
func FuzzReadPprof(f *testing.F) {
	var out bytes.Buffer
	require.NoError(f, goHeap().WriteUncompressed(&out))
	f.Add(out.Bytes())
	f.Add([]byte("\x0a\x02\x08\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := export.Read(bytes.NewReader(data), "pprof", export.ReadOptions{MaxBytes: 1 << 20})
		if err != nil {
			return
		}
		var out bytes.Buffer
		require.NoError(t, export.Write(t.Context(), &out, "pprof", p, export.Options{}))
		_, err = export.Read(&out, "pprof", export.ReadOptions{})
		require.NoError(t, err)
	})
}

// TestOfJfrconv reads what jfrconv writes of waiting for locks: --lock --total --threads. The sums are
// those of the recording, and the labels name the threads.
func TestOfJfrconv(t *testing.T) {
	file, err := os.Open("testdata/jfrconv-4.5-threads.pb.gz")
	require.NoError(t, err)
	defer file.Close()
	p, err := export.Read(file, "pprof", export.ReadOptions{})
	require.NoError(t, err)
	k := p.Kinds()[0]
	assert.Equal(t, profile.Kind{Name: "locks", Title: "locks", Values: []profile.ValueType{{Name: "locks", Unit: profile.Nanoseconds}}}, k)
	rec := opentest.File(t, "../../../testdata/jdk25-virtual.jfr")
	q, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Kinds: []string{"lock", "park"}})
	require.NoError(t, err)
	got, want := make(map[string]int64), make(map[string]int64)
	for s := range p.Samples() {
		got[p.Labels(s.Labels).Thread] += s.Values[0]
	}
	for s := range q.Samples() {
		want[q.Labels(s.Labels).Thread] += s.Values[1]
	}
	assert.Equal(t, want, got)
	java := 0
	for i := range p.Frames() {
		if f := p.Frame(profile.FrameID(i)); f.Method.Class != "" && f.Kind <= profile.Native {
			java++
		}
	}
	assert.Greater(t, java, p.Frames()/2)
}
