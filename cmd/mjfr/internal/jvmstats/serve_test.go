package jvmstats_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
)

// get asks a server, on a connection of its own.
func get(t *testing.T, url string, header http.Header) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	req.Header, req.Close = header, true
	answer, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(text)
}

func TestServer(t *testing.T) {
	m := jvmstats.New()
	feed(t, m, open(t, "jdk25-profile.jfr"))
	ctx, cancel := context.WithCancel(t.Context())
	server, err := m.Listen(ctx, "127.0.0.1:0", localhttp.Access{})
	require.NoError(t, err)
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx) }()
	url := "http://" + server.Addr().String()

	answer, text := get(t, url+"/metrics", http.Header{})
	assert.Equal(t, http.StatusOK, answer.StatusCode)
	assert.Contains(t, answer.Header.Get("Content-Type"), "text/plain; version=0.0.4")
	assert.Contains(t, text, "\njvm_threads_current 9\n")
	assert.NotContains(t, text, "# EOF")

	answer, text = get(t, url+"/metrics", http.Header{"Accept": {"application/openmetrics-text; version=1.0.0"}})
	assert.Contains(t, answer.Header.Get("Content-Type"), "application/openmetrics-text")
	assert.True(t, strings.HasSuffix(text, "# EOF\n"))

	answer, text = get(t, url+"/", http.Header{})
	assert.Equal(t, http.StatusOK, answer.StatusCode)
	assert.Contains(t, answer.Header.Get("Content-Type"), "text/html")
	assert.Contains(t, text, `href="metrics"`)
	answer, _ = get(t, url+"/other", http.Header{})
	assert.Equal(t, http.StatusNotFound, answer.StatusCode)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/metrics", nil)
	require.NoError(t, err)
	answer, err = http.DefaultClient.Do(req)
	require.NoError(t, err)
	answer.Body.Close()
	assert.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode)

	cancel()
	require.NoError(t, <-ended)
	_, err = net.Dial("tcp", server.Addr().String())
	assert.Error(t, err, "nobody listens")
}

// TestAnswersOnlyWhomItShould: the error names the flag of the command.
func TestAnswersOnlyWhomItShould(t *testing.T) {
	server, err := jvmstats.New().Listen(t.Context(), "127.0.0.1:0", localhttp.Access{Token: "s3cret", Hosts: []string{"box"}})
	require.NoError(t, err)
	ended := make(chan error)
	go func() { ended <- server.Serve(t.Context()) }()
	for _, c := range []struct {
		host, authorization, text string
		want                      int
	}{
		{"box", "Bearer s3cret", "", http.StatusOK},
		{"box", "", "a token is needed: Authorization: Bearer TOKEN\n", http.StatusUnauthorized},
		{"evil.example", "Bearer s3cret", "mjfr answers to localhost, and to the address that it listens at; " +
			"give the option --prometheus-host to allow the name \"evil.example\"\n", http.StatusForbidden},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+server.Addr().String()+"/metrics", nil)
		require.NoError(t, err)
		req.Host, req.Close = c.host, true
		req.Header.Set("Authorization", c.authorization)
		answer, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, c.want, answer.StatusCode, c.host)
		assert.Equal(t, "nosniff", answer.Header.Get("X-Content-Type-Options"))
		for _, name := range []string{"Content-Security-Policy", "Cache-Control"} {
			assert.Empty(t, answer.Header.Get(name), "that is for browsers")
		}
		if c.text != "" {
			assert.Equal(t, c.text, string(text))
		}
	}
	require.NoError(t, server.Close())
	require.NoError(t, <-ended)
}

func TestAddressesThatCannotBeServed(t *testing.T) {
	m := jvmstats.New()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port + 1
	if port == 1<<16 {
		t.Skip("the system has given the last port")
	}
	for _, test := range []struct{ addr, want string }{
		{taken.Addr().String(), fmt.Sprintf("another program does; end it, or choose another port, as in 127.0.0.1:%d, or localhost:0", port)},
		{"9404", "as in localhost:9404"},
		{"localhost:nothing", "as in localhost:9404"},
		{"127.0.0.1:99999", "as in localhost:9404"},
	} {
		_, err := m.Listen(t.Context(), test.addr, localhttp.Access{})
		assert.ErrorContains(t, err, "cannot listen on ")
		assert.ErrorContains(t, err, test.addr)
		assert.ErrorContains(t, err, test.want)
	}
}
