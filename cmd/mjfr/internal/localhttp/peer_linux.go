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

// isOfOther reports whether a user of this machine, neither that of mjfr nor root, has made the connection of a request.
func isOfOther(r *http.Request) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	_, text, err := net.SplitHostPort(r.RemoteAddr)
	port, e := strconv.Atoi(text)
	if local == nil || err != nil || e != nil {
		return false
	}
	from, to := fmt.Sprintf(":%04X", port), fmt.Sprintf(":%04X", local.Port)
	for _, path := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			// The number of the line, the address of the one end, that of the other, four more, and the user.
			c := strings.Fields(lines.Text())
			if len(c) > 7 && strings.HasSuffix(c[1], from) && strings.HasSuffix(c[2], to) && c[7] != "0" && c[7] != strconv.Itoa(os.Getuid()) {
				return true
			}
		}
	}
	return false
}
