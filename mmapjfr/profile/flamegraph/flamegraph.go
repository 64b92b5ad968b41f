// Package flamegraph writes profiles as one HTML page with flame graphs: of all kinds and values,
// of all threads or one, from both ends, and of the difference of two profiles.
//
// The page makes no request and stores nothing: all it needs stands in it. FORMAT.md describes the
// data that it draws. The scripts are in web; go generate writes the bundle that the page has.
package flamegraph

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"io"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

//go:generate go test -run ^TestBundle$ -update

// Options say how a profile is written.
type Options struct {
	Names profile.Names
	// Title is what the page is called, such as the name of the recording.
	Title string
	// Base is a profile to compare with, and BaseTitle its name; nil for none.
	Base      *profile.Profile
	BaseTitle string
}

// app is the script of the page with its style, and loader the script that expands it.
var (
	//go:embed bundle/app.js
	app string
	//go:embed bundle/app.packed
	packedApp []byte
	//go:embed bundle/loader.js
	loader string
	//go:embed web/page.html
	page string
)

// Write writes the page. Equal profiles and options give equal bytes.
func Write(w io.Writer, p *profile.Profile, o Options) error {
	parts := strings.NewReplacer(
		"{{title}}", html.EscapeString(strings.ToValidUTF8(o.Title, "\uFFFD")),
		"{{hashes}}", "'"+hash(loader)+"' '"+hash(app)+"'",
		"{{loader}}", loader,
		"{{app}}", asText(packedApp),
	)
	before, after, _ := strings.Cut(page, "{{data}}")
	out := bufio.NewWriterSize(w, 64<<10)
	_, _ = parts.WriteString(out, before) // Flush returns errors
	if err := writePacked(out, encode(p, &o)); err != nil {
		return err
	}
	_, _ = parts.WriteString(out, after)
	return out.Flush()
}

// hash returns what a policy for contents calls a script.
func hash(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// writePacked writes bytes as the page unpacks them: compressed, as text.
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

// asText returns bytes as a text of the page.
func asText(data []byte) string {
	var b strings.Builder
	text := &textWriter{w: &b}
	_, _ = text.Write(data) // a builder takes all
	_ = text.Close()
	return b.String()
}
