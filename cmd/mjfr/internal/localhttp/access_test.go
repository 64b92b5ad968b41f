package localhttp_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
)

// asked returns the answer of a server to a request with those headers, which came to the
// address at.
func asked(t *testing.T, listen string, access localhttp.Access, at, host, authorization string) *http.Response {
	t.Helper()
	addr, err := net.ResolveTCPAddr("tcp", at)
	require.NoError(t, err)
	req := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	req = req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, addr))
	req.Host = host
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	answer := httptest.NewRecorder()
	access.Guarded(page, listen).ServeHTTP(answer, req)
	return answer.Result()
}

// TestHostsThatAreAnswered: a name that a web site has made for this machine is not one of
// them, whatever the address is that is listened at.
func TestHostsThatAreAnswered(t *testing.T) {
	own := localhttp.Access{Hosts: []string{"metrics.example.com"}}
	for _, c := range []struct {
		listen, at, host string
		access           localhttp.Access
		want             int
	}{
		{"localhost", "127.0.0.1:9404", "localhost:9404", own, http.StatusOK},
		{"localhost", "127.0.0.1:9404", "LOCALHOST", own, http.StatusOK},
		{"localhost", "127.0.0.1:9404", "localhost.:9404", own, http.StatusOK},
		{"localhost", "127.0.0.1:9404", "localhost:8080", own, http.StatusOK}, // a tunnel
		{"localhost", "127.0.0.1:9404", "127.0.0.1:9404", own, http.StatusOK},
		{"localhost", "[::1]:9404", "[::1]:9404", own, http.StatusOK},
		{"localhost", "127.0.0.1:9404", "metrics.example.com:9404", own, http.StatusOK},
		{"localhost", "127.0.0.1:9404", "metrics.example.com", localhttp.Access{}, http.StatusForbidden},
		{"localhost", "127.0.0.1:9404", "evil.example:9404", own, http.StatusForbidden},
		{"localhost", "127.0.0.1:9404", "localhost.evil.example", own, http.StatusForbidden},
		{"localhost", "127.0.0.1:9404", "127.0.0.1.evil.example", own, http.StatusForbidden},
		{"localhost", "127.0.0.1:9404", "10.0.0.5", own, http.StatusForbidden},
		{"localhost", "127.0.0.1:9404", "", own, http.StatusForbidden},
		{"localhost", "127.0.0.1:9404", ":9404", own, http.StatusForbidden},
		{"localhost", "127.0.0.1:9404", "[", own, http.StatusForbidden},
		{"", "10.0.0.5:9404", "10.0.0.5:9404", own, http.StatusOK},
		{"", "10.0.0.5:9404", "evil.example:9404", own, http.StatusForbidden},
		{"", "10.0.0.5:9404", "0.0.0.0:9404", own, http.StatusForbidden},
		{"", "[::ffff:10.0.0.5]:9404", "10.0.0.5:9404", own, http.StatusOK},
		{"box.example.com", "10.0.0.5:9404", "box.example.com:9404", localhttp.Access{}, http.StatusOK},
	} {
		answer := asked(t, c.listen, c.access, c.at, c.host, "")
		assert.Equal(t, c.want, answer.StatusCode, "%s at %s", c.host, c.listen)
		assert.Empty(t, answer.Header.Get("Access-Control-Allow-Origin"))
	}
}

func TestTokens(t *testing.T) {
	const at, host = "127.0.0.1:9404", "localhost:9404"
	access := localhttp.Access{Token: "s3cret"}
	for authorization, want := range map[string]int{
		"Bearer s3cret":  http.StatusOK,
		"bearer  s3cret": http.StatusOK,
		"":               http.StatusUnauthorized,
		"Bearer":         http.StatusUnauthorized,
		"Bearer s3cre":   http.StatusUnauthorized,
		"Bearer s3cret0": http.StatusUnauthorized,
		"Bearer S3CRET":  http.StatusUnauthorized,
		"Basic s3cret":   http.StatusUnauthorized,
		"s3cret":         http.StatusUnauthorized,
	} {
		answer := asked(t, "localhost", access, at, host, authorization)
		assert.Equal(t, want, answer.StatusCode, authorization)
		if want == http.StatusUnauthorized {
			assert.Equal(t, `Bearer realm="mjfr"`, answer.Header.Get("WWW-Authenticate"))
		}
	}
	answer := asked(t, "localhost", access, at, "evil.example", "Bearer s3cret")
	assert.Equal(t, http.StatusForbidden, answer.StatusCode, "a token does not make up for the name")
}

// TestAPortAloneIsOneOfLocalhost, and other machines reach what is to be reached by them.
func TestAPortAloneIsOneOfLocalhost(t *testing.T) {
	for addr, local := range map[string]bool{":0": true, "localhost:0": true, "127.0.0.1:0": true, "0.0.0.0:0": false} {
		server, err := localhttp.Listen(t.Context(), addr, page, localhttp.Options{})
		require.NoError(t, err)
		assert.Equal(t, local, server.Local(), "%s is %s", addr, server.Addr())
		require.NoError(t, server.Close())
	}
}

func TestAccessThatMakesNoSense(t *testing.T) {
	for _, access := range []localhttp.Access{
		{Hosts: []string{""}}, {Hosts: []string{"a:1"}}, {Hosts: []string{"http://a"}},
		{Token: "two words"}, {Token: "a\nb"}, {Token: "é"},
	} {
		_, err := localhttp.Listen(t.Context(), "localhost:0", page, localhttp.Options{Access: access})
		assert.Error(t, err, "%q", access)
	}
}
