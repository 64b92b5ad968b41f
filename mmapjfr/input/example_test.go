package input_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// All recordings that fit a pattern, and what is wrong with them. Files may be packed.
func ExampleOpen() {
	set, err := input.Open(context.Background(), []string{"../../testdata/jdk25-live-?.jfr"}, input.Options{
		OnError: func(name string, err error) { log.Print(name, ": ", err) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	for _, rec := range set.Recordings {
		fmt.Println(filepath.Base(set.Name(rec)), len(rec.Chunks()))
	}
	// Output:
	// jdk25-live-1.jfr 1
	// jdk25-live-2.jfr 1
	// jdk25-live-3.jfr 1
}

// Events of several recordings, as of one.
func ExampleSet_Events() {
	set, err := input.Open(context.Background(), []string{"../../testdata/jdk25-kinds.jfr", "../../testdata/jdk25-live-1.jfr"}, input.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	events := 0
	for _, err := range set.Events() {
		switch {
		case errors.Is(err, mmapjfr.ErrUnfinished):
			fmt.Println("one is still being written")
		case err != nil:
			log.Print(err)
		default:
			events++
		}
	}
	fmt.Println(events)
	// Output:
	// one is still being written
	// 669
}

// A recording of a server; s3://, gs:// and azblob:// are opened in the same way.
func ExampleURLs() {
	server := httptest.NewServer(http.FileServerFS(os.DirFS("../../testdata")))
	defer server.Close()
	set, err := input.Open(context.Background(), []string{server.URL + "/jdk25-profile.jfr"}, input.Options{Remote: input.URLs(input.URLOptions{})})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	n := 0
	for _, err := range set.Events(mmapjfr.Types("jdk.ThreadSleep")) {
		if err != nil {
			log.Fatal(err)
		}
		n++
	}
	fmt.Println(n)
	// Output: 58
}
