package localhttp_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
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
			Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				defer unix.SetfsuidRetUid(os.Getuid())
				unix.SetfsuidRetUid(user) // sockets are of this user of the thread
				return new(net.Dialer).DialContext(ctx, network, addr)
			}},
		}
		status, _ := body(t, client, address)
		return status
	}
	assert.Equal(t, http.StatusForbidden, get(65534))
	assert.Equal(t, http.StatusSeeOther, get(os.Getuid()), "it has not been used up")
}
