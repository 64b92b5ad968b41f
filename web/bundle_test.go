package web

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the bundle")

// TestBundle fails if the files to serve are not what their sources give: go generate writes them.
func TestBundle(t *testing.T) {
	page, err := os.ReadFile("src/page.html")
	require.NoError(t, err)
	files := map[string][]byte{"page.html": page}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{"src/app.ts", "src/app.css"}, Outdir: "bundle", Bundle: true, Format: api.FormatIIFE, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Target: api.ES2022, LegalComments: api.LegalCommentsEndOfFile,
	})
	for _, m := range append(result.Errors, result.Warnings...) {
		t.Errorf("%v: %s", m.Location, m.Text)
	}
	require.Len(t, result.OutputFiles, 2)
	for _, f := range result.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	for name, want := range files {
		path := filepath.Join("bundle", name)
		if *update {
			require.NoError(t, os.WriteFile(path, want, 0o600))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, got), "%s is not what src gives: run go generate", path)
	}
	assert.Less(t, len(files["app.js"]), 300_000, "the pages should stand at once")
}
