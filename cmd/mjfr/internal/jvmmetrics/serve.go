package jvmmetrics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"runtime"
	"strconv"
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
	return promhttp.HandlerFor(m.gatherer, promhttp.HandlerOpts{
		EnableOpenMetrics:   true,
		ErrorHandling:       promhttp.ContinueOnError, // some metrics are better than none
		MaxRequestsInFlight: maxScrapes,
	})
}

// Serve listens at an address such as "localhost:9404" and answers scrapes of /metrics until the
// context ends. Then it returns nil. The error says what to do if it cannot listen.
// [Metrics.Listen] and [Server.Serve] are the two steps.
func (m *Metrics) Serve(ctx context.Context, addr string, access Access) error {
	server, err := m.Listen(ctx, addr, access)
	if err != nil {
		return err
	}
	return server.Serve(ctx)
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
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
			limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
			defer cancel()
			if s.http.Shutdown(limited) != nil {
				s.http.Close()
			}
		case <-done:
		}
	}()
	err := s.http.Serve(s.listener)
	close(done)
	<-ended
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
