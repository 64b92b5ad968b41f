package localhttp_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
)

// listen returns a server of this machine, and how to end it: it may be served or not.
func listen(t *testing.T, h http.Handler, o localhttp.Options) *localhttp.Server {
	t.Helper()
	s, err := localhttp.Listen(t.Context(), "127.0.0.1:0", h, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// serve answers requests until the test ends.
func serve(t *testing.T, s *localhttp.Server) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.WithoutCancel(t.Context())) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-ended)
	})
}

// body returns the body of the answer to a client.
func body(t *testing.T, client *http.Client, address string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	r.Close = true
	answer, err := client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(b)
}

func TestServerThatIsClosed(t *testing.T) {
	s := listen(t, page, localhttp.Options{})
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.NoError(t, s.Serve(t.Context()), "and served afterwards")

	s = listen(t, page, localhttp.Options{})
	ended := make(chan error)
	go func() { ended <- s.Serve(t.Context()) }()
	_, text := body(t, http.DefaultClient, "http://"+s.Addr().String())
	assert.Equal(t, "page /", text)
	require.NoError(t, s.Close())
	require.NoError(t, <-ended)
}

func TestServeAtTheEndOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, listen(t, page, localhttp.Options{}).Serve(ctx))
}

// TestRequestThatHasBegunIsAnswered although the context ends meanwhile.
func TestRequestThatHasBegunIsAnswered(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		_, _ = io.WriteString(w, "late")
	}), localhttp.Options{})
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx) }()
	_, text := body(t, http.DefaultClient, "http://"+s.Addr().String())
	assert.Equal(t, "late", text)
	require.NoError(t, <-ended)
	_, err := net.Dial("tcp", s.Addr().String())
	assert.Error(t, err, "nobody listens")
}

func TestServeSaysWhatItCannotServe(t *testing.T) {
	for what, want := range map[string]string{"": "serve pages at 127.0.0.1:", "metrics": "serve metrics at 127.0.0.1:"} {
		s := listen(t, page, localhttp.Options{What: what})
		require.NoError(t, s.Break())
		assert.ErrorContains(t, s.Serve(t.Context()), want)
	}
}

func TestErrorsOfListeningNameTheUsualPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	_, err = localhttp.Listen(t.Context(), taken.Addr().String(), page, localhttp.Options{Port: 8080})
	assert.ErrorContains(t, err, "another program does")
	for _, addr := range []string{"8080", "localhost:nothing", "127.0.0.1:99999"} {
		_, err := localhttp.Listen(t.Context(), addr, page, localhttp.Options{Port: 8080})
		assert.ErrorContains(t, err, "as in localhost:8080")
	}
}

// encrypted returns the settings of a server with a certificate, and a client that trusts it.
func encrypted(t *testing.T) (*tls.Config, *http.Client) {
	t.Helper()
	s := httptest.NewTLSServer(page)
	t.Cleanup(s.Close)
	return &tls.Config{Certificates: s.TLS.Certificates, MinVersion: tls.VersionTLS12}, s.Client()
}

// TestOtherMachinesNeedProtection, but metrics have no session and are left to their user.
func TestOtherMachinesNeedProtection(t *testing.T) {
	config, _ := encrypted(t)
	const all = "0.0.0.0:0"
	for _, o := range []localhttp.Options{
		{},
		{Session: localhttp.NewSession("a secret of the user")},
		{Session: localhttp.NewSession(""), TLS: config},
		{Session: localhttp.NewSession(""), Access: localhttp.Access{Token: "s3cret"}},
	} {
		s, err := localhttp.Listen(t.Context(), all, page, o)
		require.NoError(t, err)
		assert.False(t, s.Local())
		require.NoError(t, s.Close())
	}
	o := localhttp.Options{Session: localhttp.NewSession(""), Protection: "--tls-cert and --tls-key"}
	_, err := localhttp.Listen(t.Context(), all, page, o)
	assert.EqualError(t, err, "cannot listen on 0.0.0.0:0: other machines could read the traffic; give --tls-cert and --tls-key, or listen on localhost")
	o.Protection = ""
	_, err = localhttp.Listen(t.Context(), all, page, o)
	assert.ErrorContains(t, err, "give a certificate and its key, or a secret, or listen")
	listen(t, page, o)
}

func TestTLS(t *testing.T) {
	config, client := encrypted(t)
	session := localhttp.NewSession("")
	s := listen(t, page, localhttp.Options{Session: session, TLS: config})
	serve(t, s)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Get(session.Address("https://" + s.Addr().String()))
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusSeeOther, answer.StatusCode)
	require.Len(t, answer.Cookies(), 1)
	assert.True(t, answer.Cookies()[0].Secure)
	origin := map[string]string{"Cookie": pair(answer.Cookies()[0])}
	for scheme, want := range map[string]int{"https": http.StatusOK, "http": http.StatusForbidden} {
		origin["Origin"] = scheme + "://" + s.Addr().String()
		assert.Equal(t, want, try(s.Handler(), http.MethodGet, "https://"+s.Addr().String()+"/", origin).Code)
	}
	client.CloseIdleConnections()
}

// TestShortSecret listens with a secret that can be guessed: other users of the machine can try, too.
func TestShortSecret(t *testing.T) {
	for _, secret := range []string{"x", "fifteen letters"} {
		for _, address := range []string{"0.0.0.0:0", "127.0.0.1:0"} {
			_, err := localhttp.Listen(t.Context(), address, http.NotFoundHandler(), localhttp.Options{Session: localhttp.NewSession(secret)})
			require.ErrorContains(t, err, "fewer than 16 characters")
		}
	}
	s, err := localhttp.Listen(t.Context(), "0.0.0.0:0", http.NotFoundHandler(), localhttp.Options{Session: localhttp.NewSession("sixteen letters!")})
	require.NoError(t, err)
	require.NoError(t, s.Close())
}
