package localhttp_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
)

// TestOtherUsersAreNotLetIn reads the address of a command line as another user, faster than the browser.
func TestOtherUsersAreNotLetIn(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make connections of other users")
	}
	s := localhttp.NewSession("")
	server := listen(t, page, localhttp.Options{Session: s})
	serve(t, server)
	address := s.Once("http://" + server.Addr().String())
	get := func(user int) int {
		client := &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport:     &http.Transport{DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) { return dialAs(ctx, user, addr) }},
		}
		status, _ := body(t, client, address)
		return status
	}
	assert.Equal(t, http.StatusForbidden, get(65534))
	assert.Equal(t, http.StatusSeeOther, get(os.Getuid()), "it has not been used up")
}

// dialAs connects as another user.
func dialAs(ctx context.Context, user int, addr string) (net.Conn, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer unix.SetfsuidRetUid(os.Getuid())
	unix.SetfsuidRetUid(user) // sockets are of this user of the thread
	return new(net.Dialer).DialContext(ctx, "tcp", addr)
}

// TestConnectionsThatHaveEnded do not use up the address of a command line: nobody knows any more whose they were.
func TestConnectionsThatHaveEnded(t *testing.T) {
	s := localhttp.NewSession("")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := s.Once("http://" + listener.Addr().String())
	user := os.Getuid()
	if user == 0 {
		user = 65534 // only root can make connections of other users
	}
	c, err := dialAs(t.Context(), user, listener.Addr().String())
	require.NoError(t, err)
	_, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", strings.TrimPrefix(address, "http://"+listener.Addr().String()))
	require.NoError(t, err)
	require.NoError(t, c.Close())
	asked := make(chan struct{}, 2)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Guard(page).ServeHTTP(w, r)
		asked <- struct{}{}
	}), ReadHeaderTimeout: time.Minute}}
	server.Start() // only now the request is read
	defer server.Close()
	<-asked
	status, _ := body(t, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, address)
	assert.Equal(t, http.StatusSeeOther, status)
}

// TestUnknownConnections are not let in.
func TestUnknownConnections(t *testing.T) {
	s := localhttp.NewSession("")
	h := s.Guard(page)
	address := s.Once(base)
	r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{Port: 2}), http.MethodGet, address, http.NoBody)
	r.RemoteAddr = "127.0.0.1:1"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	assert.Equal(t, http.StatusForbidden, w.Code)
	assert.Equal(t, http.StatusSeeOther, try(h, http.MethodGet, address, nil).Code, "it has not been used up")
}
