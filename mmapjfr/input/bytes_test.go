package input_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// TestBytes gives Options.Bytes all that unpacking gives, whether it is a recording or not, and what lies besides it.
func TestBytes(t *testing.T) {
	pack := make(map[string]func(string) string)
	for _, w := range ways {
		pack[w.name] = func(text string) string { return string(w.pack(t, []byte(text))) }
	}
	raw := string(recording(t, "jdk25-empty.jfr")[:4000])
	named := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Name, w.Comment, w.Extra = "NAME", "COMMENT", []byte("EXTRA")
		_, _ = io.WriteString(w, text)
		require.NoError(t, w.Close())
		return b.String()
	}
	skipped := func(text string) string {
		return "\x5e\x2a\x4d\x18" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(text)))) + text
	}
	archive := func(comment string, members ...member) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		require.NoError(t, z.SetComment(comment))
		for _, m := range members {
			w, err := z.CreateHeader(&zip.FileHeader{Name: m.name, Comment: "of " + m.name, Method: zip.Deflate})
			require.NoError(t, err)
			_, _ = w.Write(m.data)
		}
		require.NoError(t, z.Close())
		return b.String()
	}
	two := archive("COMMENT", member{"a.jfr", []byte(raw)}, member{"b.properties", []byte("TEXT")})
	hidden := string(zipped(t, member{"a", []byte("TEXT")}))
	type row struct {
		file    string
		inside  map[string]string // what is read, by what its name ends with
		besides []string          // texts that are found there
		wrong   string
	}
	rows := map[string]row{
		"named":         {file: named("one") + named("two"), inside: map[string]string{"": "onetwo"}, besides: []string{"NAME", "COMMENT", "EXTRA"}},
		"second name":   {file: pack["gzip"]("one") + named("two"), inside: map[string]string{"": "onetwo"}, besides: []string{"NAME"}},
		"zip":           {file: two, inside: map[string]string{"/a.jfr": raw, "/b.properties": "TEXT"}, besides: []string{"COMMENT", "of a.jfr", "b.properties"}},
		"before zip":    {file: "BEFORE" + two, inside: map[string]string{"": "BEFORE" + two}},
		"manifest":      {file: archive("", member{"META-INF/MANIFEST.MF", []byte("TEXT")}), inside: map[string]string{"/META-INF/MANIFEST.MF": "TEXT"}},
		"tar inside":    {file: archive("", member{"a", []byte("TEXT")}, member{"x.bz2", []byte("BZh91")}), inside: map[string]string{"/a": "TEXT"}, wrong: "packed by bzip2; unpack it first"},
		"hidden file":   {file: hidden[:strings.LastIndex(hidden, "PK\x01\x02")] + two, wrong: "files in this zip archive that its directory does not name were not read"},
		"zip in gzip":   {file: pack["gzip"](two), inside: map[string]string{"/a.jfr": raw, "/b.properties": "TEXT"}, besides: []string{"of a.jfr"}},
		"text":          {file: "TEXT", inside: map[string]string{"": "TEXT"}},
		"empty":         {inside: map[string]string{"": ""}},
		"lzma":          {file: "]\x00\x00\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00", wrong: "packed by lzma; unpack it first"},
		"lzma in zstd":  {file: pack["zstd"]("]\x00\x00\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00"), wrong: "packed by lzma; unpack it first"},
		"skipped zstd":  {file: skipped("FIRST") + pack["zstd"]("one") + skipped("NEXT") + pack["zstd"]("two") + skipped("LAST"), inside: map[string]string{"": "onetwo"}, besides: []string{"FIRST", "NEXT", "LAST"}},
		"skipped lz4":   {file: skipped("FIRST") + pack["lz4"]("one"), inside: map[string]string{"": "one"}, besides: []string{"FIRST"}},
		"skipped large": {file: skipped(string(make([]byte, 600))) + pack["zstd"]("one"), wrong: "packed by zstd or lz4 after a long frame"},
		"much skipped":  {file: strings.Repeat(skipped("")+pack["lz4"]("one")+skipped(strings.Repeat("x", 600<<10)), 3), wrong: "more than 1 MB besides its packed data"},
	}
	for _, w := range ways[:4] {
		rows[w.name] = row{file: pack[w.name](raw+"\x00\x00AFTER"+raw) + pack[w.name]("MORE"), inside: map[string]string{"": raw + "\x00\x00AFTER" + raw + "MORE"}}
		rows[w.name+" with remains"] = row{file: pack[w.name](raw) + "REMAINS OF ANOTHER FILE", wrong: w.name + " data"}
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			o, wrong := options(t)
			path := write(t, t.TempDir(), "x", []byte(row.file))
			inside, besides := map[string]string{}, ""
			o.Bytes = func(name string, r io.Reader) error {
				all, err := io.ReadAll(r)
				if rest, ok := bytes.CutPrefix([]byte(name), []byte(path)); ok && err == nil {
					if string(rest) == " (besides its packed data)" {
						besides += string(all)
					} else {
						inside[string(rest)] = string(all)
					}
				}
				return err
			}
			set, err := input.Open(t.Context(), []string{path}, o)
			if err == nil {
				assert.Empty(t, set.Recordings)
				require.NoError(t, set.Close())
			}
			for _, n := range *wrong {
				err = n.err
			}
			if row.wrong != "" {
				assert.ErrorContains(t, err, row.wrong)
			} else {
				assert.NoError(t, err)
			}
			if row.inside != nil {
				assert.True(t, maps.Equal(row.inside, inside), "a different byte range")
			}
			for _, text := range row.besides {
				assert.Contains(t, besides, text)
			}
		})
	}
}
