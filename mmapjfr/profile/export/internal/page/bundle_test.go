package page

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

// TestBundle fails if the scripts of the page are not what their sources give: go generate writes
// them.
func TestBundle(t *testing.T) {
	for _, name := range []string{"app", "difference", "heat", "loader"} {
		script := built(t, name)
		assert.NotContains(t, string(script), "</script", "it would end the element")
		same(t, name+".js", script)
	}
}

// same fails if a file of the bundle has other contents.
func same(t *testing.T, name string, want []byte) {
	t.Helper()
	path := filepath.Join("bundle", name)
	if *update {
		require.NoError(t, os.WriteFile(path, want, 0o600))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, got), "%s is not what web gives: run go generate", path)
}

// built returns a script with all that it imports, minified. The one of differences is that of all
// pages with code that others do not need.
func built(t *testing.T, name string) []byte {
	t.Helper()
	entry, difference := name, "true"
	switch name {
	case "app":
		difference = "false"
	case "difference":
		entry = "app"
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join("web", entry+".js")}, Bundle: true, Format: api.FormatIIFE, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Target: api.ES2022,
		Define: map[string]string{"DIFFERENCE": difference}, Plugins: []api.Plugin{{Name: "style", Setup: style}},
	})
	for _, m := range append(result.Errors, result.Warnings...) {
		t.Errorf("%v: %s", m.Location, m.Text)
	}
	require.Len(t, result.OutputFiles, 1)
	return result.OutputFiles[0].Contents
}

// style lets scripts import style sheets as texts.
func style(build api.PluginBuild) {
	build.OnLoad(api.OnLoadOptions{Filter: `\.css$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		text, err := os.ReadFile(args.Path)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		small := api.Transform(string(text), api.TransformOptions{Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true, Charset: api.CharsetUTF8, Target: api.ES2022})
		contents := string(small.Code)
		return api.OnLoadResult{Contents: &contents, Loader: api.LoaderText, Errors: small.Errors, Warnings: small.Warnings}, nil
	})
}
