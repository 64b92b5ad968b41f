// Package open is the verb open: pages in the browser that show what is in recordings, answered by this process.
package open

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/web"
)

// verb is mjfr open with its flags.
type verb struct {
	*cli.App
	quiet     bool // opens no browser
	listen    string
	hosts     []string
	cert, key string
	diff      string
}

// tokenVariable is the variable of the environment with the secret of addresses.
const tokenVariable = "MJFR_TOKEN"

// New makes the verb open.
func New(a *cli.App) *cobra.Command {
	v := &verb{App: a}
	cmd := &cobra.Command{
		Use:   "open [flags] FILE...",
		Short: "Look at recordings in the browser",
		Long: `Open pages in the browser that show what is in recordings: an overview, flame graphs, threads,
garbage collections, locks, input and output, exceptions, the events themselves, all views, and
queries. A time that is chosen by dragging on the axis, and threads, hold on all pages.

The pages are answered by mjfr, on this machine, as long as it runs: Ctrl-C ends it. Nothing is
sent anywhere. The address has a secret, so that no other user and no web site gets in; what
pages ask is described at /openapi.json.

--listen with an address that other machines can reach shows the recordings, with the command
lines and system properties of JVMs in them, to all who have the secret. That needs a
certificate (--tls-cert and --tls-key), or a secret of yours in $` + tokenVariable + ` where the
network itself is safe.`,
		Example: `  mjfr open app.jfr
  mjfr open repository/ old.jfr.gz
  mjfr open --diff yesterday.jfr app.jfr
  mjfr open --no-browser --listen :8080 app.jfr
  mjfr open --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem --host box.example.com app.jfr`,
		Args:    cli.NeedFiles,
		PreRunE: func(_ *cobra.Command, args []string) error { return v.check(args) },
		RunE:    func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.BoolVar(&v.quiet, "no-browser", false, "open no browser: only print the address")
	f.StringVar(&v.listen, "listen", "127.0.0.1:0", "listen at `ADDR`, a host and a port; port 0 is any that is free")
	f.StringSliceVar(&v.hosts, "host", nil, "answer to the `NAME` of this machine, too; may be given several times")
	f.StringVar(&v.diff, "diff", "", "compare flame graphs with those of the recording in `FILE`")
	f.StringVar(&v.cert, "tls-cert", "", "encrypt with the certificate in `FILE`")
	f.StringVar(&v.key, "tls-key", "", "the key of the certificate, in `FILE`")
	return cmd
}

// check checks the flags, and that no JVM is named.
func (v *verb) check(args []string) error {
	for _, name := range args {
		if _, err := strconv.Atoi(name); err != nil {
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return cli.Usagef("%s: there is no such file, and the pages do not show running JVMs yet; mjfr watch %[1]s shows one in the terminal, "+
				"and mjfr open takes its disk repository", name)
		}
	}
	if (v.cert == "") != (v.key == "") {
		return cli.Usagef("--tls-cert and --tls-key go together: give both")
	}
	return nil
}

// run answers pages until the context ends.
func (v *verb) run(ctx context.Context, names []string) error {
	session := localhttp.NewSession(os.Getenv(tokenVariable))
	server := localhttp.Options{
		Access: localhttp.Access{Hosts: v.hosts, HostOption: "--host"}, Session: session, Port: 8080,
		Protection: "--tls-cert and --tls-key, or a secret in $" + tokenVariable + " if the network is safe",
	}
	if v.cert != "" {
		pair, err := tls.LoadX509KeyPair(v.cert, v.key)
		if err != nil {
			return cli.Usagef("--tls-cert and --tls-key: %v", err)
		}
		server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	// What chunks need in memory has few pointers: to collect it early costs little, and keeps it small.
	defer cli.SetGCPercent(25)()
	defer cli.LimitMemory(mostMemory)()
	return v.With(ctx, names, func(set *input.Set) error {
		x, err := newExplorer(set)
		if err != nil {
			return err
		}
		if v.diff != "" {
			if x.base, err = v.Open(ctx, []string{v.diff}, input.Options{}); err != nil {
				return err
			}
			defer x.base.Close()
		}
		s, err := localhttp.Listen(ctx, v.listen, pages(x), server)
		if err != nil {
			return cli.Usage(err)
		}
		defer s.Close()
		if !s.Local() {
			v.Notice(fmt.Sprintf("other machines can reach %s: those who have the secret see all that is in the recordings", s.Addr()))
		}
		address := session.Address(v.base(s))
		if _, err := fmt.Fprintln(v.Stdout, address); err != nil {
			return err
		}
		if !v.quiet {
			if err := browse(address); err != nil {
				v.Notice("no browser could be started; open the address above")
			}
		}
		v.Notice("Ctrl-C ends it")
		return s.Serve(ctx)
	}, mmapjfr.ReadSavedIndex(mmapjfr.IndexBeside, mmapjfr.IndexInCache))
}

// base returns the address of a server without a path.
func (v *verb) base(s *localhttp.Server) string {
	scheme := "http"
	if v.cert != "" {
		scheme = "https"
	}
	at := s.Addr().String()
	host, port, err := net.SplitHostPort(at)
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		name := "localhost"
		if len(v.hosts) > 0 {
			name = v.hosts[0]
		}
		at = net.JoinHostPort(name, port)
	}
	return scheme + "://" + at
}

// mostMemory is how much memory garbage is collected for.
const mostMemory = 192 << 20

// The number of requests that are answered at the same time, and of those that may wait for that.
const (
	mostAtOnce  = 4
	mostWaiting = 200
)

// pages returns the handler of all requests: pages, and what they ask.
func pages(x *explorer) http.Handler {
	files := web.Files()
	mux := http.NewServeMux()
	answers := x.handler()
	limited := localhttp.Limit(answers, mostAtOnce, mostWaiting)
	mux.Handle("/api/", limited)
	mux.Handle("/flamegraph", limited)
	mux.Handle("/openapi.json", answers)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, ".") {
			http.ServeFileFS(w, r, files, strings.TrimPrefix(r.URL.Path, "/"))
			return
		}
		http.ServeFileFS(w, r, files, "page.html") // all pages are one, which looks at its address
	})
	return mux
}

// browse opens an address in the browser of the user. It fails if no such program can be started.
func browse(address string) error {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() // it may be the browser itself, which ends when the user wants it
	return nil
}
