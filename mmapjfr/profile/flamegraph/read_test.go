package flamegraph

import (
	"bytes"
	"compress/flate"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestReadBack writes a page of what was read of a page: both have the same data.
func TestReadBack(t *testing.T) {
	for _, name := range []string{"jdk25-profile", "jdk25-virtual"} {
		rec, err := mmapjfr.Open("../../../testdata/" + name + ".jfr")
		require.NoError(t, err)
		p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Times: CellLength})
		require.NoError(t, err)
		require.NoError(t, rec.Close())
		o := Options{Names: profile.Names{Dots: true}, Title: name}
		first := written(t, p, o)
		require.True(t, Detect([]byte(first)))
		q, err := Read(strings.NewReader(first))
		require.NoError(t, err)
		a, b := decode(t, first), decode(t, written(t, q, o))
		assert.Equal(t, a.header, b.header)
		assert.Equal(t, a.names, b.names)
		assert.Equal(t, a.threads, b.threads)
		assert.Equal(t, a.rows, b.rows)
		var heat bytes.Buffer
		require.NoError(t, WriteHeatmap(&heat, p, o))
		h, err := Read(&heat)
		require.NoError(t, err)
		assert.Equal(t, sums(q), sums(h))
		base := o
		base.Base = profile.New()
		both, err := Read(strings.NewReader(written(t, p, base)))
		require.NoError(t, err)
		assert.Equal(t, sums(q), sums(both))
	}
}

// sums returns what all samples of a profile weigh, by kind and thread.
func sums(p *profile.Profile) map[string][3]int64 {
	all := make(map[string][3]int64)
	for s := range p.Samples() {
		key := s.Kind.Name + p.Labels(s.Labels).ThreadName() + p.Labels(s.Labels).Class
		sum := all[key]
		for i, v := range s.Values {
			sum[i] += v
		}
		all[key] = sum
	}
	return all
}

// TestReadPacked rejects data that was cut, or is packed in another way.
func TestReadPacked(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, writePacked(&text, unpackedPage(t)))
	whole := bytesOfText(text.Bytes())
	for _, n := range []int{0, 6, len(whole) / 2, len(whole) - 1, len(whole)} {
		_, ok := unpack(whole[:n])
		assert.Equal(t, n == len(whole), ok, n)
	}
	_, ok := unpack([]byte{7, 0})
	assert.False(t, ok)
}

// pageOf returns a page with data.
func pageOf(t testing.TB, data []byte) io.Reader {
	t.Helper()
	var out bytes.Buffer
	text := &textWriter{w: &out}
	_, err := text.Write([]byte{0})
	require.NoError(t, err)
	z, err := flate.NewWriter(text, flate.BestSpeed)
	require.NoError(t, err)
	_, err = z.Write(data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, text.Close())
	return strings.NewReader(`<meta name="generator" content="mjfr"><script type="text/plain" id="data">` + out.String() + "</script>")
}

// TestReadRejects says what is wrong.
func TestReadRejects(t *testing.T) {
	for text, want := range map[string]string{
		"<html></html>": "offset 0x0: the page has no data of a flame graph",
		`<script type="text/plain" id="data">abc`:             "offset 0x0: the page has no data of a flame graph",
		`<script type="text/plain" id="data">zzzzzz</script>`: "the data of the page cannot be unpacked",
	} {
		_, err := Read(strings.NewReader(text))
		require.ErrorIs(t, err, profile.ErrFormat)
		assert.Contains(t, err.Error(), want)
	}
	data := unpackedPage(t)
	for n := range data {
		_, err := Read(pageOf(t, data[:n]))
		require.ErrorIs(t, err, profile.ErrFormat, n)
	}
}

// unpackedPage returns the data of a page with a thread, a class and two kinds.
func unpackedPage(t testing.TB) []byte {
	t.Helper()
	p := profile.New()
	for _, k := range profile.Kinds()[3:5] {
		p.AddKind(k)
		p.Add(k.Name, p.Push(0, p.AddText("é")), p.AddLabels(profile.Labels{Thread: "main", ThreadID: 1, Class: "byte[]", State: profile.OutsideTLAB}), 1, 300)
	}
	return encode(p, &Options{}, nil)
}

// FuzzRead reads any data. What can be read can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add(unpackedPage(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(pageOf(t, data))
		if err != nil {
			return
		}
		_, err = Read(pageOf(t, encode(p, &Options{}, nil)))
		require.NoError(t, err)
	})
}
