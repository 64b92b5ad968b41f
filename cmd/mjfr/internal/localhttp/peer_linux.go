package localhttp

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// isOfOther reports whether a request comes from this machine over a connection that is not known
// to be of the user of mjfr or of root. One that has ended has no line any more, or one of root
// that says that it has: other users can do that.
func isOfOther(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return false // it has come over no network
	}
	_, text, err := net.SplitHostPort(r.RemoteAddr)
	port, e := strconv.Atoi(text)
	if err != nil || e != nil {
		return true
	}
	own := false
	from, to := fmt.Sprintf(":%04X", port), fmt.Sprintf(":%04X", local.Port)
	for _, path := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			// The number of the line, the address of the one end, that of the other, the state,
			// three more, and the user.
			c := strings.Fields(lines.Text())
			if len(c) < 8 || !strings.HasSuffix(c[1], from) || !strings.HasSuffix(c[2], to) {
				continue
			}
			if c[3] != established || c[7] != "0" && c[7] != strconv.Itoa(os.Getuid()) {
				return true
			}
			own = true
		}
	}
	return !own
}

// established is the state of a connection that both ends hold.
const established = "01"
