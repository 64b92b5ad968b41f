package open

import (
	_ "embed"
	"net/http"
)

// description says what the interface for programs is.
//
//go:embed openapi.json
var description []byte

// describe answers with the description.
func describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(description) // nobody reads it any more if it fails
}
