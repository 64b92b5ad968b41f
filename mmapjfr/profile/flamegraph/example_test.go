package flamegraph_test

import (
	"context"
	"log"
	"os"
	"path/filepath"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/flamegraph"
)

// Write a page with flame graphs of all that a recording has samples of.
func ExampleWrite() {
	rec, err := mmapjfr.Open("../../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	p, err := profile.Read(context.Background(), []*mmapjfr.Recording{rec}, profile.Options{})
	if err != nil {
		log.Print(err) // what could not be read
	}
	page, err := os.Create(filepath.Join(os.TempDir(), "app.html"))
	if err != nil {
		log.Print(err)
		return
	}
	defer page.Close()
	if err := flamegraph.Write(page, p, flamegraph.Options{Title: "app.jfr", Names: profile.Names{Dots: true}}); err != nil {
		log.Print(err)
	}
}

// Write a page with a heat map, and with flame graphs of parts of the time.
func ExampleWriteHeatmap() {
	rec, err := mmapjfr.Open("../../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	p, err := profile.Read(context.Background(), []*mmapjfr.Recording{rec}, profile.Options{Times: flamegraph.CellLength})
	if err != nil {
		log.Print(err) // what could not be read
	}
	page, err := os.Create(filepath.Join(os.TempDir(), "heatmap.html"))
	if err != nil {
		log.Print(err)
		return
	}
	defer page.Close()
	if err := flamegraph.WriteHeatmap(page, p, flamegraph.Options{Title: "app.jfr"}); err != nil {
		log.Print(err)
	}
}
