package localhttp

import "net/http"

// Policy is what pages may do: load scripts, styles, pictures and answers from this server, and
// nothing else.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// FlamePolicy is what the page of a flame graph may do, which has its scripts in itself and loads
// nothing. Its own policy, which holds too, says which scripts.
const FlamePolicy = "default-src 'none'; script-src 'unsafe-inline'; img-src data:; worker-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// protections are headers of all answers to browsers. No header allows pages of other sites to read
// them.
var protections = map[string]string{
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cache-Control":                "no-store",
	"Content-Security-Policy":      Policy,
}

// protect adds protections to the answers of h, unless h sets headers of these names.
func protect(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := protected{w}
		p.add()
		h.ServeHTTP(p, r)
	})
}

// protected writes answers with protections.
type protected struct{ http.ResponseWriter }

// add adds the protections that are missing.
func (p protected) add() {
	header := p.Header()
	for name, value := range protections {
		if header.Get(name) == "" {
			header.Set(name, value)
		}
	}
}

// WriteHeader adds them again: errors of [http.ServeFileFS] remove some.
func (p protected) WriteHeader(status int) {
	p.add()
	p.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the writer for [http.ResponseController].
func (p protected) Unwrap() http.ResponseWriter { return p.ResponseWriter }
