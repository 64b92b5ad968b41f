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

// maxScrapes is how many scrapes are answered at a time.
const maxScrapes = 10

// farewell is how long scrapes that are under way have at the end.
const farewell = 3 * time.Second

// Handler returns what answers a scrape, in the format that it asks for: that of
// Prometheus or OpenMetrics, as text or packed. It has all that is in the registry
// that the metrics are registered in.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.gatherer, promhttp.HandlerOpts{
		EnableOpenMetrics:   true,
		ErrorHandling:       promhttp.ContinueOnError, // some metrics are better than none
		MaxRequestsInFlight: maxScrapes,
	})
}

// Serve listens at an address such as "localhost:9404" and answers scrapes
// of /metrics until the context ends; it then returns nil. The error tells what to do
// if it cannot listen. See [Metrics.Listen] for the two steps apart.
func (m *Metrics) Serve(ctx context.Context, addr string, access Access) error {
	server, err := m.Listen(ctx, addr, access)
	if err != nil {
		return err
	}
	return server.Serve(ctx)
}

// Server is what listens for scrapes. It is to be served or closed.
type Server struct {
	listener net.Listener
	http     *http.Server
}

// Listen begins to listen at an address; scrapes wait until [Server.Serve]. A port alone,
// as in ":9404", is that of localhost: other machines reach it only at an address that says
// so, such as "0.0.0.0:9404".
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
		host = "" // it stands for all addresses, and is the name of none
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
		IdleTimeout:       3 * time.Minute, // more than lies between two scrapes
		MaxHeaderBytes:    1 << 16,
	}}, nil
}

const welcome = `<!DOCTYPE html>
<title>mjfr</title>
<p>The metrics of the JVM are at <a href="metrics">/metrics</a>, for Prometheus.</p>
`

// Addr returns the address that it listens at, with the true port where 0 was asked
// for.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Local reports whether only this machine can reach it.
func (s *Server) Local() bool {
	at, ok := s.listener.Addr().(*net.TCPAddr)
	return ok && at.IP.IsLoopback()
}

// Close ends it at once.
func (s *Server) Close() error { return errors.Join(s.http.Close(), closed(s.listener)) }

// closed closes a listener that may have been closed before.
func closed(l net.Listener) error {
	if err := l.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Serve answers scrapes until the context ends or Close is called; it then returns
// nil. Scrapes that are under way at the end of the context are answered.
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

// listenError says what to do about an address that cannot be listened at.
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

// isTaken tells whether an address is in use. Windows has a number of its own for it,
// WSAEADDRINUSE.
func isTaken(err error) bool {
	var number syscall.Errno
	return errors.Is(err, syscall.EADDRINUSE) ||
		runtime.GOOS == "windows" && errors.As(err, &number) && number == 10048
}
