package flamegraph

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
	for _, name := range []string{"app.js", "loader.js"} {
		got, path := bundled(t, name), filepath.Join("bundle", name)
		if *update {
			require.NoError(t, os.WriteFile(path, got, 0o600))
		}
		committed, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.True(t, string(committed) == string(got), "%s is not what web/%s gives: run go generate", path, name)
		assert.NotContains(t, string(got), "</script", "it would end the element")
	}
	if *update {
		require.NoError(t, os.WriteFile("bundle/app.packed", packed(bundled(t, "app.js")), 0o600))
	}
	committed, err := os.ReadFile("bundle/app.packed")
	require.NoError(t, err)
	assert.True(t, bytes.Equal(committed, packed(bundled(t, "app.js"))), "bundle/app.packed is not app.js: run go generate")
}

// bundled returns a script with all that it imports, minified.
func bundled(t *testing.T, name string) []byte {
	t.Helper()
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join("web", name)}, Bundle: true, Format: api.FormatIIFE, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Target: api.ES2022,
		Plugins: []api.Plugin{{Name: "style", Setup: style}},
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
