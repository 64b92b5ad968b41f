// Package web has the pages of mjfr open: one page, its scripts and its styles. They ask the server that they come
// from, as openapi.json of package open describes it, and nobody else.
//
// The sources are in src; go generate bundles them. The time series are drawn by uPlot, in vendor/uplot.
package web

import (
	"embed"
	"io/fs"
)

//go:generate go test -run ^TestBundle$ -update

//go:embed bundle
var bundle embed.FS

// Files returns the files to serve: page.html, app.js and app.css.
func Files() fs.FS {
	files, err := fs.Sub(bundle, "bundle")
	if err != nil {
		panic(err) // it is embedded
	}
	return files
}
