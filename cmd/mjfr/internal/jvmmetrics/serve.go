package jvmmetrics

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// maxScrapes is the number of scrapes that are answered at the same time.
const maxScrapes = 10

// farewell is how long scrapes may take after the context has ended.
const farewell = 3 * time.Second

// Handler returns the handler of scrapes. It answers in the requested format: that of Prometheus or
// OpenMetrics, as text or packed. The answer has everything in the registry of the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		EnableOpenMetrics:   true,
		ErrorHandling:       promhttp.ContinueOnError, // some metrics are better than none
		MaxRequestsInFlight: maxScrapes,
	})
}

// Server listens for scrapes. It must be served or closed.
type Server struct {
	listener net.Listener
	http     *http.Server
}

// Listen begins to listen at an address. Scrapes wait until [Server.Serve]. A port alone, as in
// ":9404", is a port of localhost: other machines can reach only an address such as "0.0.0.0:9404".
func (m *Metrics) Listen(ctx context.Context, addr string, access Access) (*Server, error) {
	if err := access.check(); err != nil {
		return nil, err
	}
	at := addr
	host, port, err := net.SplitHostPort(addr)
	if err == nil && host == "" {
		host = "localhost"
		at = net.JoinHostPort(host, port)
	}
	if ip := net.ParseIP(host); ip.IsUnspecified() {
		host = "" // it means all addresses, and is not the name of one
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", at)
	if err != nil {
		return nil, listenError(addr, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, welcome)
	})
	return &Server{l, &http.Server{
		Handler:           access.guard(mux, host),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       3 * time.Minute, // more than the time between two scrapes
		MaxHeaderBytes:    1 << 16,
	}}, nil
}

const welcome = `<!DOCTYPE html>
<title>mjfr</title>
<p>The metrics of the JVM are at <a href="metrics">/metrics</a>, for Prometheus.</p>
`

// Addr returns the address of the listener. It has the true port if 0 was given.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Local reports whether only this machine can reach the server.
func (s *Server) Local() bool {
	at, ok := s.listener.Addr().(*net.TCPAddr)
	return ok && at.IP.IsLoopback()
}

// Close ends the server at once.
func (s *Server) Close() error { return errors.Join(s.http.Close(), closed(s.listener)) }

// closed closes a listener that may be closed already.
func closed(l net.Listener) error {
	if err := l.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Serve answers scrapes until the context ends or Close is called. Then it returns nil. It answers
// scrapes that have begun before the context ends.
func (s *Server) Serve(ctx context.Context) error {
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		if s.http.Shutdown(limited) != nil {
			s.http.Close()
		}
	})
	err := s.http.Serve(s.listener)
	if !stop() {
		<-ended
	}
	if err := closed(s.listener); err != nil {
		return err
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics at %s: %w", s.Addr(), err)
	}
	return nil
}

// listenError adds to an error of listening what to do about it.
func listenError(addr string, err error) error {
	var address *net.AddrError
	var lookup *net.DNSError
	switch {
	case isTaken(err):
		return fmt.Errorf("cannot listen at %s: another program does; end it, "+
			"or choose another port, as in %s, or localhost:0 for any that is free: %w", addr, nextPort(addr), err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("cannot listen at %s: that needs more rights; choose a port above 1023, as in localhost:9404: %w", addr, err)
	case errors.As(err, &address), errors.As(err, &lookup):
		return fmt.Errorf("cannot listen at %q; give an address of this machine and a port, "+
			"as in localhost:9404: %w", addr, err)
	}
	return fmt.Errorf("cannot listen at %s: %w", addr, err)
}

// nextPort returns an address with the port above that of another one.
func nextPort(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if n, _ := strconv.Atoi(port); err == nil && n > 0 && n < 1<<16-1 {
		return net.JoinHostPort(cmp.Or(host, "localhost"), strconv.Itoa(n+1))
	}
	return "localhost:9405"
}

// isTaken reports whether an address is in use. Windows has its own number for that, WSAEADDRINUSE.
func isTaken(err error) bool {
	var number syscall.Errno
	return errors.Is(err, syscall.EADDRINUSE) ||
		runtime.GOOS == "windows" && errors.As(err, &number) && number == 10048
}

// Access decides which requests are answered.
type Access struct {
	// Hosts are further names of this machine that the Host header of a request may have. Localhost
	// and the address of the listener are always allowed.
	Hosts []string
	// Token is what a request must have, as in "Authorization: Bearer TOKEN". Empty means that
	// requests need none.
	Token string
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
				"give the option --prometheus-host to allow the name %q", hostOf(r.Host)), http.StatusForbidden)
		case !a.shown(r.Header.Get("Authorization")):
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

// shown reports whether the header has the token. The time it takes does not depend on the token.
func (a *Access) shown(header string) bool {
	if a.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(header, " ")
	want, got := sha256.Sum256([]byte(a.Token)), sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}
