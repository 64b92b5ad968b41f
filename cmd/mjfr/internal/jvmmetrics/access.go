package jvmmetrics

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

// Access says which requests are answered.
type Access struct {
	// Hosts are names of this machine that a request may have in its Host header, beside
	// localhost and the address that is listened at.
	Hosts []string
	// Token is what a request must show, as in "Authorization: Bearer TOKEN"; "" for none.
	Token string
}

// check reports what is wrong with the settings.
func (a *Access) check() error {
	for _, host := range a.Hosts {
		if host == "" || strings.ContainsAny(host, ":/ ") {
			return fmt.Errorf("%q is no name of a host; give it without a port, as in metrics.example.com", host)
		}
	}
	if strings.ContainsFunc(a.Token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return errors.New("a token has no spaces, and no characters but those of ASCII")
	}
	return nil
}

// guard lets through to h the requests that may be answered. The Host header is looked at
// because a page of any web site can lead a browser here, under a name of its own: by a
// name that resolves to this machine. Such a name is none that is allowed.
func (a *Access) guard(h http.Handler, listening string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case !a.allows(r, listening):
			http.Error(w, fmt.Sprintf("mjfr answers to localhost, and to the address that it listens at; "+
				"give the option --prometheus-host to allow the name %q", hostOf(r.Host)), http.StatusForbidden)
		case !a.shown(r.Header.Get("Authorization")):
			w.Header().Set("WWW-Authenticate", `Bearer realm="mjfr"`)
			http.Error(w, "a token is needed: Authorization: Bearer TOKEN", http.StatusUnauthorized)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// allows reports whether the Host header names this machine. An address of numbers does if
// it is the one that the request came to: nobody can make a name of it.
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

// shown reports whether the header shows the token. The time it takes depends on neither.
func (a *Access) shown(header string) bool {
	if a.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(header, " ")
	want, got := sha256.Sum256([]byte(a.Token)), sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}
