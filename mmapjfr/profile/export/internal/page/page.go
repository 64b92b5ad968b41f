// Package page writes profiles as one HTML page with flame graphs: of all kinds and values,
// of all threads or one, from both ends, and of the difference of two profiles. Pages with a heat
// map show when samples were taken, too, and the flame graphs of parts of the time.
//
// The page makes no request and stores nothing: all it needs stands in it. FORMAT.md describes the
// data that it draws. The scripts are in web; go generate writes the bundle that the page has.
package page

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html"
	"io"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/mmapjfr/jfr/internal/printable"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

//go:generate go test -run ^TestBundle$ -update

// Options say how a profile is written.
type Options struct {
	Names profile.Names
	// Title is what the page is called, such as the name of the recording.
	Title string
	// About stands beside the title instead of the time of the profile in the zone of its reader. Pages that compare
	// something say with what.
	About string
	// Base is a profile to compare with, and BaseTitle its name; nil for none.
	Base      *profile.Profile
	BaseTitle string
}

// bundle has the scripts of pages with their styles.
//
//go:embed bundle
var bundle embed.FS

//go:embed web/page.html
var template string

// bundled returns a file of the bundle.
func bundled(name string) []byte {
	data, err := bundle.ReadFile("bundle/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return data
}

// Write writes the page. Equal profiles and options give equal bytes.
func Write(w io.Writer, p *profile.Profile, o Options) error {
	script := "app"
	if o.Base != nil {
		script = "difference"
	}
	return write(w, script, o.Title, encode(p, &o, nil))
}

// WriteHeatmap writes a page with a heat map of the samples, in cells of [CellLength], and with flame
// graphs of the cells that people choose there. The profile should have times of that length or
// less. A recording to compare with is ignored: the page compares parts of the time.
func WriteHeatmap(w io.Writer, p *profile.Profile, o Options) error {
	o.Base = nil
	return write(w, "heat", o.Title, encode(p, &o, newCells(p)))
}

// visible returns a text as pages have it: in UTF-8, and in one direction.
func visible(s string) string { return printable.Directions(strings.ToValidUTF8(s, "\uFFFD")) }

// write writes a page with a script and data.
func write(w io.Writer, script, title string, data []byte) error {
	parts := strings.NewReplacer(
		"{{title}}", html.EscapeString(visible(title)),
		"{{hashes}}", scripts(script),
		"{{loader}}", string(bundled("loader.js")),
	)
	before, rest, _ := strings.Cut(template, "{{app}}")
	between, after, _ := strings.Cut(rest, "{{data}}")
	out := bufio.NewWriterSize(w, 64<<10)
	_, _ = parts.WriteString(out, before) // Flush returns errors
	if err := writePacked(out, bundled(script+".js")); err != nil {
		return err
	}
	_, _ = out.WriteString(between)
	if err := writePacked(out, data); err != nil {
		return err
	}
	_, _ = parts.WriteString(out, after)
	return out.Flush()
}

// Scripts returns the scripts of pages of [Write] that compare nothing, as a policy for contents names them: for pages
// that show such a page in a frame.
func Scripts() string { return scripts("app") }

// scripts returns what a policy for contents calls the scripts of a page.
func scripts(name string) string {
	return "'" + hash(string(bundled("loader.js"))) + "' '" + hash(string(bundled(name+".js"))) + "'"
}

// hash returns what a policy for contents calls a script.
func hash(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// writePacked writes bytes by Deflate, as text of the page.
func writePacked(w io.Writer, data []byte) error {
	text := &textWriter{w: w}
	z, err := flate.NewWriter(text, flate.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return text.Close()
}
