package localhttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
)

const base = "http://localhost:4711"

// page answers with its path.
var page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("page " + r.URL.Path)) })

// try returns the answer to a request with some headers.
func try(h http.Handler, method, address string, header map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, address, http.NoBody)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// pair returns a cookie as browsers send it.
func pair(c *http.Cookie) string { return c.Name + "=" + c.Value }

// enter returns the cookie that a browser gets which opens the address of a session.
func enter(t *testing.T, s *localhttp.Session, base string) *http.Cookie {
	t.Helper()
	w := try(s.Guard(page), http.MethodGet, s.Address(base), nil)
	require.Equal(t, http.StatusSeeOther, w.Code)
	require.Len(t, w.Result().Cookies(), 1)
	return w.Result().Cookies()[0]
}

// TestSecretBecomesACookie and goes away from the address, whose path and other parameters stay.
func TestSecretBecomesACookie(t *testing.T) {
	s := localhttp.NewSession("")
	h := s.Guard(page)
	printed, err := url.Parse(s.Address(base))
	require.NoError(t, err)
	secret := printed.Query().Get("secret")
	assert.GreaterOrEqual(t, len(secret), 26, "128 bits, 5 a character")
	assert.NotEqual(t, s.Address(base), localhttp.NewSession("").Address(base))
	for path, want := range map[string]string{
		"/?":                                "/",
		"/flame?from=1&thread=a&thread=b&":  "/flame?from=1&thread=a&thread=b",
		"/a%2Fb?":                           "/a%2Fb",
		"/a%3Fb?":                           "/a%3Fb",
		"/%2e%2e/etc/passwd?":               "/%2e%2e/etc/passwd", // a browser stays on this server, and mjfr has no such page
		"/../x?":                            "/x",
		"//evil.example/?":                  "/evil.example/",
		"/%2Fevil.example/?":                "/evil.example/",
		"/..//evil.example/?":               "/evil.example/",
		"/%5Cevil.example?":                 "/%5Cevil.example",
		"/?to=https://evil.example&from=2&": "/?from=2&to=https%3A%2F%2Fevil.example",
	} {
		w := try(h, http.MethodGet, base+path+"secret="+secret, map[string]string{"Sec-Fetch-Site": "none"})
		assert.Equal(t, http.StatusSeeOther, w.Code, path)
		assert.Equal(t, want, w.Header().Get("Location"))
		assert.NotContains(t, w.Body.String(), secret)
		cookie := w.Result().Cookies()[0]
		assert.Equal(t, "mjfr-4711", cookie.Name)
		assert.NotContains(t, cookie.Value, secret)
		assert.True(t, cookie.HttpOnly)
		assert.False(t, cookie.Secure, "the server has no certificate")
		assert.Equal(t, http.SameSiteStrictMode, cookie.SameSite)
		assert.Equal(t, "/", cookie.Path)
		w = try(h, http.MethodGet, base+"/events?type=x", map[string]string{"Cookie": pair(cookie), "Sec-Fetch-Site": "same-origin"})
		assert.Equal(t, "page /events", w.Body.String())
	}
}

// TestSecretInALink of another site: a redirected browser would send no cookie, so a page leads on.
func TestSecretInALink(t *testing.T) {
	s := localhttp.NewSession(`two words, "quoted" & <more>`) // users choose what they like
	for _, site := range []string{"cross-site", "same-site"} {
		w := try(s.Guard(page), http.MethodGet, s.Address(base)+"&q=%22%3E%3Cscript%3E",
			map[string]string{"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"})
		assert.Equal(t, http.StatusOK, w.Code)
		assert.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
		assert.Contains(t, w.Body.String(), `content="0; url=/?q=%22%3E%3Cscript%3E"`)
		assert.NotContains(t, w.Body.String(), "words")
		w = try(s.Guard(page), http.MethodGet, base+"/", map[string]string{"Cookie": pair(w.Result().Cookies()[0]), "Sec-Fetch-Site": "same-origin"})
		assert.Equal(t, "page /", w.Body.String())
	}
}

// TestServersOnOneHost have cookies of their own, which browsers send to all of them.
func TestServersOnOneHost(t *testing.T) {
	const otherBase = "http://localhost:4712"
	one, other := localhttp.NewSession(""), localhttp.NewSession("")
	both := pair(enter(t, one, base)) + "; " + pair(enter(t, other, otherBase))
	assert.Equal(t, http.StatusOK, try(one.Guard(page), http.MethodGet, base, map[string]string{"Cookie": both}).Code)
	assert.Equal(t, http.StatusOK, try(other.Guard(page), http.MethodGet, otherBase, map[string]string{"Cookie": both}).Code)
	cookie := enter(t, one, otherBase)
	assert.Equal(t, http.StatusForbidden, try(one.Guard(page), http.MethodGet, base, map[string]string{"Cookie": pair(cookie)}).Code, "it is of another port")
	cookie = enter(t, other, base)
	assert.Equal(t, http.StatusForbidden, try(one.Guard(page), http.MethodGet, base, map[string]string{"Cookie": pair(cookie)}).Code, "it is of another server")
}

// TestNobodyElseGetsIn tries what other sites, other programs and other users can.
func TestNobodyElseGetsIn(t *testing.T) {
	s := localhttp.NewSession("s3cret-of-letters")
	h := listen(t, page, localhttp.Options{Session: s, Access: localhttp.Access{HostOption: "--host"}}).Handler()
	cookie := enter(t, s, base)
	with := func(more ...string) map[string]string {
		header := map[string]string{"Cookie": pair(cookie)}
		for i := 0; i < len(more); i += 2 {
			header[more[i]] = more[i+1]
		}
		return header
	}
	for _, c := range []struct {
		method, address string
		header          map[string]string
		want            int
	}{
		{"GET", base + "/", nil, http.StatusForbidden},
		{"GET", base + "/?secret=wrong", nil, http.StatusForbidden},
		{"GET", base + "/?secret=", nil, http.StatusForbidden},
		{"GET", base + "/?secret=wrong&secret=s3cret-of-letters", nil, http.StatusForbidden},
		{"GET", base + "/?Secret=s3cret-of-letters", nil, http.StatusForbidden},
		{"GET", base + "/", map[string]string{"Cookie": cookie.Name + "=wrong"}, http.StatusForbidden},
		{"GET", base + "/", map[string]string{"Cookie": cookie.Name + "=s3cret-of-letters"}, http.StatusForbidden},
		{"GET", base + "/", map[string]string{"Cookie": "mjfr=" + cookie.Value}, http.StatusForbidden},
		{"GET", base + "/", map[string]string{"Authorization": "Bearer s3cret-of-letters"}, http.StatusOK},
		{"GET", base + "/", map[string]string{"Authorization": "Bearer s3cre"}, http.StatusForbidden},
		{"GET", base + "/", map[string]string{"Authorization": "Bearer " + cookie.Value}, http.StatusForbidden},
		{"GET", base + "/", map[string]string{"Authorization": "Basic s3cret-of-letters"}, http.StatusForbidden},
		{"GET", base + "/", with(), http.StatusOK},
		{"GET", base + "/", with("Cookie", cookie.Name+"=wrong; "+pair(cookie)), http.StatusOK},
		{"HEAD", base + "/", with(), http.StatusOK},
		{"POST", base + "/", with(), http.StatusMethodNotAllowed},
		{"PUT", base + "/?secret=s3cret-of-letters", nil, http.StatusMethodNotAllowed},
		{"TRACE", base + "/", with(), http.StatusMethodNotAllowed},
		{"OPTIONS", base + "/", with("Origin", "https://evil.example"), http.StatusMethodNotAllowed},
		// A name of a web site that resolves to this machine.
		{"GET", "http://evil.example:4711/", with(), http.StatusForbidden},
		{"GET", "http://evil.example:4711/?secret=s3cret-of-letters", nil, http.StatusForbidden},
		{"GET", "http://evil.example:4711/", with("Origin", "http://evil.example:4711", "Sec-Fetch-Site", "same-origin"), http.StatusForbidden},
		{"GET", "http://evil.example:4711/", map[string]string{"Authorization": "Bearer s3cret-of-letters"}, http.StatusForbidden},
		{"GET", "http://localhost.evil.example:4711/", with(), http.StatusForbidden},
		// Pages of other sites.
		{"GET", base + "/", with("Origin", base), http.StatusOK},
		{"GET", base + "/", with("Origin", "null"), http.StatusForbidden},
		{"GET", base + "/", with("Origin", "https://evil.example"), http.StatusForbidden},
		{"GET", base + "/", with("Origin", "https://localhost:4711"), http.StatusForbidden},
		{"GET", base + "/", with("Origin", "http://localhost:4712"), http.StatusForbidden},
		{"GET", base + "/", with("Origin", base+".evil.example"), http.StatusForbidden},
		{"GET", base + "/?secret=s3cret-of-letters", with("Origin", "https://evil.example"), http.StatusForbidden},
		{"GET", base + "/", with("Sec-Fetch-Site", "same-origin"), http.StatusOK},
		{"GET", base + "/", with("Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"), http.StatusOK},
		{"GET", base + "/", with("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		{"GET", base + "/", with("Sec-Fetch-Site", "same-site"), http.StatusForbidden}, // another port
		{"GET", base + "/", with("Sec-Fetch-Site", "unknown"), http.StatusForbidden},
		{"GET", base + "/", with("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), http.StatusForbidden},
		{"GET", base + "/?secret=wrong", with("Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), http.StatusForbidden},
		{"GET", base + "/?secret=s3cret-of-letters", with("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"), http.StatusForbidden},
		{"GET", base + "/?secret=s3cret-of-letters", with("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"), http.StatusForbidden},
	} {
		w := try(h, c.method, c.address, c.header)
		assert.Equal(t, c.want, w.Code, "%s %s %v", c.method, c.address, c.header)
		assert.Empty(t, w.Header().Get("Set-Cookie"))
		assertProtected(t, w.Result())
		if c.want != http.StatusOK {
			assert.NotContains(t, w.Body.String(), "page /")
			assert.NotContains(t, w.Body.String(), "s3cret-of-letters")
		}
	}
	assert.Equal(t, "open the address that mjfr has printed: it has the secret that this page needs\n", try(h, http.MethodGet, base, nil).Body.String())
	assert.Equal(t, "GET, HEAD", try(h, http.MethodPost, base, nil).Header().Get("Allow"))
}

// TestNobodyElseChangesAnything tries to change something as a page of another site, as a form, and as a program.
func TestNobodyElseChangesAnything(t *testing.T) {
	s := localhttp.NewSession("s3cret-of-letters")
	s.Changes = true
	h := listen(t, page, localhttp.Options{Session: s, Access: localhttp.Access{HostOption: "--host"}}).Handler()
	cookie := pair(enter(t, s, base))
	for _, c := range []struct {
		header map[string]string
		want   int
	}{
		{map[string]string{"Cookie": cookie, "Origin": base, "Sec-Fetch-Site": "same-origin"}, http.StatusOK},
		{map[string]string{"Cookie": cookie, "Origin": base}, http.StatusOK},
		{map[string]string{"Authorization": "Bearer s3cret-of-letters"}, http.StatusOK},
		{nil, http.StatusForbidden},
		{map[string]string{"Cookie": cookie}, http.StatusForbidden},
		{map[string]string{"Cookie": cookie, "Origin": "null"}, http.StatusForbidden},
		{map[string]string{"Cookie": cookie, "Origin": "https://evil.example"}, http.StatusForbidden},
		{map[string]string{"Cookie": cookie, "Origin": "http://localhost:4712", "Sec-Fetch-Site": "same-site"}, http.StatusForbidden},
		{map[string]string{"Cookie": cookie, "Origin": base, "Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
		{map[string]string{"Origin": base}, http.StatusForbidden},
		{map[string]string{"Authorization": "Bearer wrong"}, http.StatusForbidden},
	} {
		assert.Equal(t, c.want, try(h, http.MethodPost, base+"/api/jvm/stop?id=1", c.header).Code, "%v", c.header)
	}
	assert.Equal(t, http.StatusForbidden, try(h, http.MethodPost, base+"/?secret=s3cret-of-letters", nil).Code, "a link cannot change anything")
	assert.Equal(t, http.StatusMethodNotAllowed, try(h, http.MethodPut, base+"/", map[string]string{"Authorization": "Bearer s3cret-of-letters"}).Code)
}

// TestAddressLetsInOnce, within a minute, and not what a browser loads ahead. After that it is an address for those alone
// who are in.
func TestAddressLetsInOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := localhttp.NewSession("s3cret-of-letters")
		h := s.Guard(page)
		address := s.Once(base)
		assert.NotContains(t, address, "s3cret-of-letters")
		status := func(method string, header map[string]string) int { return try(h, method, address, header).Code }
		assert.Equal(t, http.StatusForbidden, status(http.MethodHead, nil))
		assert.Equal(t, http.StatusForbidden, status(http.MethodGet, map[string]string{"Sec-Purpose": "prefetch;prerender"}))
		assert.Equal(t, http.StatusForbidden, status(http.MethodGet, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}))
		assert.Equal(t, http.StatusForbidden, try(h, http.MethodGet, base+"/?once=wrong", nil).Code)
		assert.Equal(t, http.StatusForbidden, try(h, http.MethodGet, base+"/?once=", nil).Code)
		time.Sleep(time.Minute - time.Nanosecond)
		w := try(h, http.MethodGet, address+"&from=1", map[string]string{"Sec-Fetch-Site": "none"})
		assert.Equal(t, http.StatusSeeOther, w.Code)
		assert.Equal(t, "/?from=1", w.Header().Get("Location"))
		cookie := map[string]string{"Cookie": pair(w.Result().Cookies()[0])}
		assert.Equal(t, http.StatusOK, try(h, http.MethodGet, base+"/", cookie).Code)
		assert.Equal(t, http.StatusForbidden, status(http.MethodGet, nil))
		assert.Equal(t, http.StatusSeeOther, status(http.MethodGet, cookie), "the browser opens it again")
		enter(t, s, base)

		address = s.Once(base)
		time.Sleep(time.Minute)
		assert.Equal(t, http.StatusForbidden, status(http.MethodGet, nil))
	})
}
