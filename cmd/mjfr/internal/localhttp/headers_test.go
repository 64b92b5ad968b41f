package localhttp_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
)

// assertProtected checks the headers of an answer, but for the policy.
func assertProtected(t *testing.T, answer *http.Response) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		assert.Equal(t, []string{want}, answer.Header[name])
	}
	assert.NotEmpty(t, answer.Header.Get("Content-Security-Policy"))
	for name := range answer.Header {
		assert.False(t, strings.HasPrefix(name, "Access-Control"), name)
	}
}

// TestHeadersOfAllAnswers sends requests as they are, with paths that a client would change.
func TestHeadersOfAllAnswers(t *testing.T) {
	mux := http.NewServeMux()
	files := fstest.MapFS{"app.js": {Data: []byte("1")}}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, files, strings.TrimPrefix(r.URL.Path, "/"))
	})
	mux.HandleFunc("/flamegraph", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", localhttp.FlamePolicy)
		_, _ = io.WriteString(w, "<p>")
	})
	mux.HandleFunc("/nothing", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/flush", func(w http.ResponseWriter, _ *http.Request) {
		assert.NoError(t, http.NewResponseController(w).Flush())
	})
	mux.Handle("/busy", localhttp.Limit(page, 0, 0))
	s := listen(t, mux, localhttp.Options{Session: localhttp.NewSession("s3cret-of-letters")})
	serve(t, s)
	const own, other = "localhost", "evil.example"
	for _, c := range []struct {
		line, host string
		want       int
		policy     string
	}{
		{"GET /app.js", own, http.StatusOK, localhttp.Policy},
		{"HEAD /app.js", own, http.StatusOK, localhttp.Policy},
		{"GET /app.js", other, http.StatusForbidden, localhttp.Policy},
		{"GET http://evil.example/app.js", own, http.StatusForbidden, localhttp.Policy},
		{"GET /missing.js", own, http.StatusNotFound, localhttp.Policy},
		{"GET /flamegraph", own, http.StatusOK, localhttp.FlamePolicy},
		{"GET /nothing", own, http.StatusOK, localhttp.Policy},
		{"GET /flush", own, http.StatusOK, localhttp.Policy},
		{"GET /busy", own, http.StatusServiceUnavailable, localhttp.Policy},
		{"POST /app.js", own, http.StatusMethodNotAllowed, localhttp.Policy},
		{"OPTIONS *", own, http.StatusMethodNotAllowed, localhttp.Policy},
		{"GET /?secret=s3cret-of-letters", own, http.StatusSeeOther, localhttp.Policy},
		{"GET /../app.js", own, http.StatusTemporaryRedirect, localhttp.Policy},
		{"GET //evil.example/", own, http.StatusTemporaryRedirect, localhttp.Policy},
		{"GET /%2e%2e/headers_test.go", own, http.StatusBadRequest, localhttp.Policy},
		{"GET /..%2fheaders_test.go", own, http.StatusBadRequest, localhttp.Policy},
		{"GET /..%5cheaders_test.go", own, http.StatusBadRequest, localhttp.Policy},
		{"GET /%00", own, http.StatusNotFound, localhttp.Policy},
	} {
		conn, err := net.Dial("tcp", s.Addr().String())
		require.NoError(t, err)
		_, err = fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer s3cret-of-letters\r\nConnection: close\r\n\r\n", c.line, c.host)
		require.NoError(t, err)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		assert.Equal(t, c.want, answer.StatusCode, c.line)
		assert.Equal(t, c.policy, answer.Header.Get("Content-Security-Policy"), c.line)
		assertProtected(t, answer)
		if to := answer.Header.Get("Location"); to != "" {
			assert.Regexp(t, "^/($|[^/])", to, "it stays on this server")
		}
		require.NoError(t, conn.Close())
	}
}
