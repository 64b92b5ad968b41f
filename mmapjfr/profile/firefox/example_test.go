package firefox_test

import (
	"context"
	"io"
	"log"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/firefox"
	"github.com/mmapjfr/jfr/mmapjfr/profile/timeline"
)

// A file of all events and samples of a recording.
func Example() {
	rec, err := mmapjfr.Open("../../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	recs := []*mmapjfr.Recording{rec}
	p, err := profile.Read(context.Background(), recs, profile.Options{Times: 1, Kinds: []string{"cpu", "wall", "native", "alloc"}})
	if err != nil {
		log.Fatal(err)
	}
	err = firefox.Write(context.Background(), io.Discard, recs, p, timeline.Options{Names: profile.Names{Dots: true}})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
}
