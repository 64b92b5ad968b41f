package localhttp

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Session lets in requests that have the secret: a browser by an address that has it, which becomes
// a cookie, and programs by the header Authorization. Requests of pages of other sites are refused.
// It is safe for concurrent use.
type Session struct {
	// Changes lets requests by POST through, which can change something. It is set before the first
	// request.
	Changes bool

	secret string
	chosen bool // by the user

	mu    sync.Mutex
	code  string    // of the address that lets in once; "" without
	until time.Time // when the code is of no use any more
}

// The names of the secret and of a code in an address.
const (
	parameter     = "secret"
	codeParameter = "once"
)

// codeLife is how long a browser may take to start.
const codeLife = time.Minute

// NewSession returns a session with a secret; with "" a random one of 128 bits or more.
func NewSession(secret string) *Session {
	return &Session{secret: cmp.Or(secret, rand.Text()), chosen: secret != ""}
}

// Address returns the address for a browser: that of the server with the secret.
func (s *Session) Address(base string) string {
	return base + "/?" + url.Values{parameter: {s.secret}}.Encode()
}

// Once returns an address that lets one browser in, within a minute. It is for command lines, which
// all users of a machine can read: it does not have the secret, and where the system tells whose a
// connection is, it is of no use to other users.
func (s *Session) Once(base string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.code, s.until = rand.Text(), time.Now().Add(codeLife)
	return base + "/?" + url.Values{codeParameter: {s.code}}.Encode()
}

// spend reports whether a request has the code, which then lets nobody in any more. What a browser
// loads in case that the user opens it, and what asks for headers alone, does not spend it.
func (s *Session) spend(r *http.Request, code string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.code == "" || !same(code, s.code) || r.Method != http.MethodGet || r.Header.Get("Sec-Purpose") != "" || isOfOther(r) {
		return false
	}
	s.code = ""
	return time.Now().Before(s.until)
}

// Guard passes only allowed requests to h, and adds protections to all answers. [Options] with a
// session do that, too, and to the answers of [Access].
func (s *Session) Guard(h http.Handler) http.Handler { return protect(s.admit(h)) }

// admit passes only allowed requests to h.
func (s *Session) admit(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret := same(r.URL.Query().Get(parameter), s.secret)
		code := r.URL.Query().Get(codeParameter)
		switch {
		case r.Method == http.MethodPost && s.Changes:
			s.change(w, r, h)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "nothing can be changed here: ask by GET", http.StatusMethodNotAllowed)
		case !isOwnOrigin(r), !isOwnSite(r) && !(secret && isOpened(r)):
			http.Error(w, "a page of another site has asked; open the address that mjfr has printed", http.StatusForbidden)
		case secret, code != "" && (s.has(r) || s.spend(r, code)):
			s.settle(w, r)
		case code != "":
			http.Error(w, "this address lets one browser in, once; open the address that mjfr has printed", http.StatusForbidden)
		case !s.has(r):
			http.Error(w, "open the address that mjfr has printed: it has the secret that this page needs", http.StatusForbidden)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// change passes only allowed requests that change something to h. A browser says which page makes
// them; a program that is none has the secret in its header.
func (s *Session) change(w http.ResponseWriter, r *http.Request, h http.Handler) {
	if !isOwnOrigin(r) || !isOwnSite(r) || !s.has(r) || r.Header.Get("Origin") == "" && !bears(r, s.secret) {
		http.Error(w, "only the pages of mjfr can change something", http.StatusForbidden)
		return
	}
	h.ServeHTTP(w, r)
}

// settle makes a cookie for a request with the secret or a code in its address, and leads to the
// same address without that.
func (s *Session) settle(w http.ResponseWriter, r *http.Request) {
	name, value := s.cookie(r)
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	q := r.URL.Query()
	q.Del(parameter)
	q.Del(codeParameter)
	one := func(path string) string { return "/" + strings.TrimLeft(path, "/") } // two slashes would name a host
	to := (&url.URL{Path: one(r.URL.Path), RawPath: one(r.URL.RawPath), RawQuery: q.Encode()}).String()
	if isOwnSite(r) {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	// A browser that follows a link of another site sends no such cookie, and still none when it is
	// redirected. It does when a page of this server leads on.
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, landing, html.EscapeString(to)) // nobody reads it any more if it fails
}

const landing = `<!DOCTYPE html>
<title>mjfr</title>
<meta http-equiv="refresh" content="0; url=%[1]s">
<p><a href="%[1]s">Continue</a></p>
`

// isOwnOrigin reports whether a request comes from a page of this server, as far as its header
// Origin says.
func isOwnOrigin(r *http.Request) bool {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	origin := r.Header.Get("Origin")
	return origin == "" || strings.EqualFold(origin, scheme+"://"+r.Host)
}

// isOwnSite reports whether a page of this server, the user, or a program that is no browser has
// made a request.
func isOwnSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return false
}

// isOpened reports whether a browser opens a page by a request, and not in a frame.
func isOpened(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// has reports whether a request has the secret, or the cookie that is made of it.
func (s *Session) has(r *http.Request) bool {
	name, value := s.cookie(r)
	for _, c := range r.CookiesNamed(name) {
		if same(c.Value, value) {
			return true
		}
	}
	return bears(r, s.secret)
}

// cookie returns the name and the value of the cookie. Browsers send cookies to all ports of a
// host: the name has the port that the browser sees, so that servers do not replace each other's.
// The value does not reveal the secret.
func (s *Session) cookie(r *http.Request) (name, value string) {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "usual"
	}
	sum := sha256.Sum256([]byte("cookie of " + s.secret))
	return "mjfr-" + port, base64.RawURLEncoding.EncodeToString(sum[:])
}
