package localhttp

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Access decides which requests are answered.
type Access struct {
	// Hosts are further names of this machine that the Host header of a request may have. Localhost
	// and the address of the listener are always allowed.
	Hosts []string
	// Token is what a request must have, as in "Authorization: Bearer TOKEN". Empty means that
	// requests need none.
	Token string
	// HostOption is the option of the command that adds to Hosts, for messages.
	HostOption string
}

// check returns an error for invalid settings.
func (a *Access) check() error {
	for _, host := range a.Hosts {
		if host == "" || strings.ContainsAny(host, ":/ ") {
			return fmt.Errorf("%q is not the name of a host; give it without a port, as in metrics.example.com", host)
		}
	}
	if strings.ContainsFunc(a.Token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return errors.New("a token must not have spaces or characters outside ASCII")
	}
	return nil
}

// guard passes only allowed requests to h. It checks the Host header because a page of any web site
// can lead a browser here, by a name of its own that resolves to this machine.
func (a *Access) guard(h http.Handler, listening string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case !a.allows(r, listening):
			http.Error(w, fmt.Sprintf("mjfr answers to localhost, and to the address that it listens at; "+
				"give the option %s to allow the name %q", a.HostOption, hostOf(r.Host)), http.StatusForbidden)
		case a.Token != "" && !bears(r, a.Token):
			w.Header().Set("WWW-Authenticate", `Bearer realm="mjfr"`)
			http.Error(w, "a token is needed: Authorization: Bearer TOKEN", http.StatusUnauthorized)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// allows reports whether the Host header names this machine. A numeric address does if the request
// came to that address: nobody can choose what it resolves to.
func (a *Access) allows(r *http.Request, listening string) bool {
	host := hostOf(r.Host)
	if host == "" {
		return false
	}
	for _, name := range append([]string{"localhost", listening}, a.Hosts...) {
		if strings.EqualFold(host, name) {
			return true
		}
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil {
		return false
	}
	asked, err := netip.ParseAddr(host)
	at, e := netip.ParseAddrPort(local.String())
	return err == nil && e == nil && asked.Unmap().WithZone("") == at.Addr().Unmap().WithZone("")
}

// hostOf returns the host of a Host header, without the port, the brackets of an IPv6
// address, and a dot at its end.
func hostOf(header string) string {
	host, _, err := net.SplitHostPort(header)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(header, "["), "]")
	}
	return strings.TrimSuffix(host, ".")
}

// bears reports whether a request has the token in its header Authorization.
func bears(r *http.Request, token string) bool {
	scheme, got, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return same(strings.TrimSpace(got), token) && strings.EqualFold(scheme, "Bearer")
}

// same reports whether a text is the secret. The time it takes does not depend on the secret.
func same(text, secret string) bool {
	got, want := sha256.Sum256([]byte(text)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
