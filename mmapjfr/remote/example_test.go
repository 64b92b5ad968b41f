package remote_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/remote"
)

func ExampleClient_Recording() {
	server := httptest.NewServer(http.FileServerFS(os.DirFS("../../testdata")))
	defer server.Close()
	rec, err := remote.New(remote.Options{}).Recording(context.Background(), server.URL+"/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	n := 0
	for _, err := range rec.Select(mmapjfr.Types("jdk.ThreadSleep")).Events() {
		if err != nil {
			log.Fatal(err)
		}
		n++
	}
	fmt.Println(n)
	// Output: 58
}
