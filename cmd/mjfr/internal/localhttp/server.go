// Package localhttp serves programs and browsers on this machine over HTTP, and answers only whom it should.
//
// A [Server] listens and ends in order. [Access] says by which names it may be asked, so that no
// web site can lead a browser to it, and by which token. [Session] lets a browser in that has been
// given an address with a secret, and refuses pages of other sites.
package localhttp

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// farewell is how long requests may take after the context has ended.
const farewell = 3 * time.Second

// Options say how a server listens.
type Options struct {
	Access Access
	// Session, if it is not nil, answers browsers: only those that have its secret. Listen refuses
	// an address that other machines can reach, unless TLS, the Token of Access or a secret of the
	// user protects it. A secret of the user has 16 characters or more.
	Session *Session
	// Protection is what the user gives to protect such an address, for messages.
	Protection string
	// Secret is where the user gives the secret of the session, for messages.
	Secret string
	// What is served, for messages.
	What string
	// Port is that of addresses in messages.
	Port int
	// TLS, if it is not nil, has the certificate of the server.
	TLS *tls.Config
	// Patience is how long an answer may take; 0 for any time.
	Patience time.Duration
}

// Server listens for requests. It must be served or closed.
type Server struct {
	listener net.Listener
	http     *http.Server
	what     string
}

// Listen begins to listen at an address. Requests wait until [Server.Serve]. A port alone, as in
// ":9404", is a port of localhost: other machines can reach only an address such as "0.0.0.0:9404".
func Listen(ctx context.Context, addr string, h http.Handler, o Options) (*Server, error) {
	if err := o.Access.check(); err != nil {
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
		return nil, listenError(addr, o.Port, err)
	}
	if o.Session != nil {
		h = o.Session.admit(h)
	}
	if h = o.Access.guard(h, host); o.Session != nil {
		h = protect(h)
	}
	s := &Server{l, &http.Server{
		Handler:   h,
		TLSConfig: o.TLS,
		// Without a session, "OPTIONS *" has the usual answer of Go.
		DisableGeneralOptionsHandler: o.Session != nil,
		ReadHeaderTimeout:            5 * time.Second,
		ReadTimeout:                  10 * time.Second,
		WriteTimeout:                 o.Patience,
		IdleTimeout:                  3 * time.Minute, // more than the time between two scrapes
		MaxHeaderBytes:               1 << 16,
	}, cmp.Or(o.What, "pages")}
	if o.isExposed() && !s.Local() {
		return nil, errors.Join(fmt.Errorf("cannot listen on %s: other machines could read the traffic; give %s, or listen on localhost",
			addr, cmp.Or(o.Protection, "a certificate and its key, or a secret")), s.Close())
	}
	if o.Session != nil && o.Session.chosen && len(o.Session.secret) < leastSecret {
		return nil, errors.Join(fmt.Errorf("cannot listen on %s: others could guess %s, which has fewer than %d characters; give a longer one, such as that of openssl rand -hex 16, or none",
			addr, cmp.Or(o.Secret, "the secret"), leastSecret), s.Close())
	}
	return s, nil
}

// leastSecret is how many characters a secret of the user has at least: other users of the machine,
// or other machines, can try some.
const leastSecret = 16

// isExposed reports whether nothing protects a session from other machines.
func (o *Options) isExposed() bool {
	return o.Session != nil && !o.Session.chosen && o.TLS == nil && o.Access.Token == ""
}

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

// Serve answers requests until the context ends or Close is called. Then it returns nil. It answers
// requests that have begun before the context ends.
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
	var err error
	if s.http.TLSConfig != nil {
		err = s.http.ServeTLS(s.listener, "", "")
	} else {
		err = s.http.Serve(s.listener)
	}
	if !stop() {
		<-ended
	}
	if err := closed(s.listener); err != nil {
		return err
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s at %s: %w", s.what, s.Addr(), err)
	}
	return nil
}

// listenError adds to an error of listening what to do about it.
func listenError(addr string, port int, err error) error {
	var address *net.AddrError
	var lookup *net.DNSError
	switch {
	case isTaken(err):
		return fmt.Errorf("cannot listen on %s: another program does; end it, "+
			"or choose another port, as in %s, or localhost:0 for any that is free: %w", addr, nextPort(addr, port), err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("cannot listen on %s: permission denied; choose a port above 1023, as in localhost:%d: %w", addr, port, err)
	case errors.As(err, &address), errors.As(err, &lookup):
		return fmt.Errorf("cannot listen on %q; give an address of this machine and a port, "+
			"as in localhost:%d: %w", addr, port, err)
	}
	return fmt.Errorf("cannot listen on %s: %w", addr, err)
}

// nextPort returns an address with the port above that of another one.
func nextPort(addr string, usual int) string {
	host, port, err := net.SplitHostPort(addr)
	if n, _ := strconv.Atoi(port); err == nil && n > 0 && n < 1<<16-1 {
		return net.JoinHostPort(cmp.Or(host, "localhost"), strconv.Itoa(n+1))
	}
	return net.JoinHostPort("localhost", strconv.Itoa(usual+1))
}

// isTaken reports whether an address is in use. Windows has its own number for that, WSAEADDRINUSE.
func isTaken(err error) bool {
	var number syscall.Errno
	return errors.Is(err, syscall.EADDRINUSE) ||
		runtime.GOOS == "windows" && errors.As(err, &number) && number == 10048
}

// Limit passes at most that number of requests to h at the same time. As many as waiting says wait
// until one of these has ended, has called [GiveBack], or its client has gone. All others are
// refused.
func Limit(h http.Handler, most, waiting int) http.Handler {
	running, queue := make(chan struct{}, most), make(chan struct{}, most+waiting)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case queue <- struct{}{}:
			defer func() { <-queue }()
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too much is asked at the same time; try again soon", http.StatusServiceUnavailable)
			return
		}
		select {
		case running <- struct{}{}:
			giveBack := sync.OnceFunc(func() { <-running })
			defer giveBack()
			h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), placeKey{}, giveBack)))
		case <-r.Context().Done():
		}
	})
}

// placeKey is the key of a function in the context of a request that [Limit] has passed.
type placeKey struct{}

// GiveBack lets another request run in the place of one whose answer is made: its reader may be
// slow. It still counts as one that waits.
func GiveBack(r *http.Request) {
	if giveBack, ok := r.Context().Value(placeKey{}).(func()); ok {
		giveBack()
	}
}
