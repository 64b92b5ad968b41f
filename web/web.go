// Package web has the pages of mjfr open: one page, its scripts and its styles. They ask the server that they come
// from, as openapi.json of package open describes it, and nobody else.
//
// The sources are in src; go generate bundles them. The time series are drawn by uPlot, in vendor/uplot.
package web

import (
	"embed"
	"encoding/json"
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

// Topics are what most pages show, for reports that show the same.
type Topics struct {
	// Pictures are time series by their names, and Overview those of the first page.
	Pictures map[string]Picture `json:"pictures"`
	Overview []string           `json:"overview"`
	Topics   []Topic            `json:"topics"`
	// Instead names the view that is shown in the place of another one if an event of one of its types is recorded.
	Instead map[string]Replacement `json:"instead"`
}

// Replacement is a view in the place of another one.
type Replacement struct {
	View  string   `json:"view"`
	Types []string `json:"types"`
}

// Picture returns the picture of a name, or the one that is shown in its place: of those that measure the same the first
// that has events. has reports whether an event of one of some types is recorded.
func (t *Topics) Picture(name string, has func(types []string) bool) Picture {
	p := t.Pictures[name]
	for _, other := range p.Instead {
		if o := t.Pictures[other]; has(o.Types) {
			return o
		}
	}
	return p
}

// View returns the name of a view, or of the one that is shown in its place.
func (t *Topics) View(name string, has func(types []string) bool) string {
	if o, ok := t.Instead[name]; ok && has(o.Types) {
		return o.View
	}
	return name
}

// Picture is a time series: a statement in which $step stands for the length of time of a point.
type Picture struct {
	Title     string   `json:"title"`
	Types     []string `json:"types"` // one of which must be there
	Statement string   `json:"q"`
	Instead   []string `json:"instead"` // names of pictures that measure the same, and count before this one
}

// Topic is a page of pictures and views.
type Topic struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Types    []string `json:"types"`
	Pictures []string `json:"pictures"`
	Views    []View   `json:"views"`
}

// View is a prepared statement on a page; Rows is how many rows of it are shown, 0 for the usual number.
type View struct {
	View string `json:"view"`
	Rows int    `json:"rows"`
}

//go:embed src/topics.json
var topics []byte

// ReadTopics returns what pages show.
func ReadTopics() *Topics {
	t := new(Topics)
	if err := json.Unmarshal(topics, t); err != nil {
		panic(err) // it is embedded
	}
	return t
}
