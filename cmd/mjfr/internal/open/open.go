// Package open is the verb open: pages in the browser that show what is in recordings, answered by
// this process.
package open

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
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
	live      live.Options
	maxAge    time.Duration
}

// tokenVariable is the variable of the environment with the secret of addresses.
const tokenVariable = "MJFR_TOKEN"

// New makes the verb open.
func New(a *cli.App) *cobra.Command {
	v := &verb{App: a}
	cmd := &cobra.Command{
		Use:   "open [flags] FILE... | JVM",
		Short: "Explore recordings and running JVMs in the browser",
		Long: `Explore recordings in the browser: an overview, flame graphs, threads, garbage collections,
locks, I/O, exceptions, events, all views, and queries. Drag on the time axis to choose a time
range; it holds on all pages.

Name a running JVM by process ID or main class (mjfr jvms lists them), or by the directory it
records into. Its pages update by themselves; pause them, go back in time, or start, save and
stop recordings. A JVM that records nothing is made to record while you look. What it recorded
stays until you quit, even if the JVM ends: at most a gigabyte, and no older than --max-age.

The server runs on this machine until you press Ctrl-C, and sends nothing anywhere. The
address has a secret that keeps other users and web sites out. /openapi.json describes the
API.

--listen lets other machines in: everybody with the secret sees the recordings, including command
lines and system properties. An address that other machines can reach needs a certificate (--tls-cert and
--tls-key) or, on a network you trust, a secret of at least 16 characters in $` + tokenVariable + `.`,
		Example: `  mjfr open app.jfr
  mjfr open 4711
  mjfr open --settings profile com.example.Main
  mjfr open repository/ old.jfr.gz
  mjfr open --diff yesterday.jfr app.jfr
  mjfr open --no-browser --listen :8080 app.jfr
  mjfr open --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem --host box.example.com app.jfr`,
		Args:    cli.NeedFiles,
		PreRunE: func(*cobra.Command, []string) error { return v.check() },
		RunE:    func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.BoolVar(&v.quiet, "no-browser", false, "print the address without opening a browser")
	f.StringVar(&v.listen, "listen", "127.0.0.1:0", "listen on `ADDR`, host:port; port 0 picks a free one")
	f.StringSliceVar(&v.hosts, "host", nil, "also accept this `NAME` of the machine; repeatable")
	f.StringVar(&v.diff, "diff", "", "compare flame graphs with those of `FILE`")
	f.StringVar(&v.cert, "tls-cert", "", "encrypt with the certificate in `FILE`")
	f.DurationVar(&v.maxAge, "max-age", time.Hour, "keep what a JVM recorded for `TIME`; 0 for as long as it fits into a gigabyte")
	v.live.Flags(f)
	f.StringVar(&v.key, "tls-key", "", "the certificate's key, in `FILE`")
	return cmd
}

// check checks the flags.
func (v *verb) check() error {
	if (v.cert == "") != (v.key == "") {
		return cli.Usagef("--tls-cert and --tls-key go together: give both")
	}
	if v.maxAge < 0 {
		return cli.Usagef("--max-age %v: give a length of time, as in 30m, or 0 for all that fits into a gigabyte", v.maxAge)
	}
	return v.live.Check()
}

// run answers pages until the context ends.
func (v *verb) run(ctx context.Context, names []string) error {
	// What chunks need in memory has few pointers: to collect it early costs little, and keeps it
	// small.
	defer cli.SetGCPercent(25)()
	defer cli.LimitMemory(mostMemory)()
	f, err := v.followed(ctx, names)
	if err != nil {
		return err
	}
	if f != nil {
		defer live.ExplainEnd(ctx, v.App, f.title)()
		if err := f.follow(ctx); err != nil {
			return err
		}
		return errors.Join(v.serve(ctx, f), f.Close())
	}
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
		return v.serve(ctx, x)
	}, v.SavedIndexes(), engine.KeepConstants(mostConstants/len(names)))
}

// source gives an explorer of what is recorded at the moment of a request. The request calls done
// at its end.
type source interface {
	explorer() (x *explorer, done func(), err error)
}

// keyPair reads a certificate and its key.
func keyPair(cert, key string) (tls.Certificate, error) {
	certificate, err := cli.ReadFile(cert, cli.MaxText)
	if err != nil {
		return tls.Certificate{}, err
	}
	private, err := cli.ReadFile(key, cli.MaxText)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(certificate, private)
}

// serve answers pages about a source until the context ends.
func (v *verb) serve(ctx context.Context, src source) error {
	session := localhttp.NewSession(os.Getenv(tokenVariable))
	_, session.Changes = src.(*following) // recordings of a JVM can be started and stopped
	server := localhttp.Options{
		Access: localhttp.Access{Hosts: v.hosts, HostOption: "--host"}, Session: session, Port: 8080,
		Secret:     "the secret in $" + tokenVariable,
		Protection: "--tls-cert and --tls-key, or a secret in $" + tokenVariable + " if the network is safe",
	}
	if v.cert != "" {
		pair, err := keyPair(v.cert, v.key)
		if err != nil {
			return cli.Usagef("--tls-cert and --tls-key: %v", err)
		}
		server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	s, err := localhttp.Listen(ctx, v.listen, pages(src), server)
	if err != nil {
		return cli.Usage(err)
	}
	defer s.Close()
	if !s.Local() {
		v.Notice(fmt.Sprintf("other machines can reach %s: those who have the secret see all that is in the recordings", reached(v.listen, s.Addr().String())))
	}
	if _, err := fmt.Fprintln(v.Stdout, session.Address(v.base(s))); err != nil {
		return err
	}
	var ended <-chan error // of the program that starts the browser
	if !v.quiet {
		var err error
		if ended, err = browse(session.Once(v.base(s))); err != nil {
			v.Notice(noBrowser)
		}
	}
	v.Notice("press Ctrl-C to stop")
	defer v.sayIfItFails(ended)()
	return s.Serve(ctx)
}

// mostRecorded is how many bytes a JVM keeps of a recording that is made for pages.
const mostRecorded = 1 << 30

// followed returns what follows the JVM or the directory that is named, and makes the JVM record if
// it does not. It returns nil if files are named.
func (v *verb) followed(ctx context.Context, names []string) (*following, error) {
	if len(names) != 1 || names[0] == "-" {
		return nil, v.noLive(names)
	}
	name := names[0]
	if info, err := os.Stat(name); err == nil {
		path := ""
		if info.IsDir() {
			path = v.growing(ctx, name)
		}
		if path == "" {
			return nil, v.noLive(names)
		}
		s, err := stream.OpenRepository(path)
		if err != nil {
			return nil, err
		}
		return &following{title: filepath.Base(path), stream: s, dir: path, maxAge: v.maxAge}, nil
	}
	if strings.HasSuffix(name, ".jfr") || strings.ContainsRune(name, filepath.Separator) || strings.ContainsAny(name, "*?[") {
		return nil, nil // opening it says what is wrong
	}
	pid, err := live.Locate(ctx, v.App, name, &v.live)
	if err != nil || pid == 0 {
		return nil, err
	}
	if v.diff != "" {
		return nil, cli.Usagef("--diff compares recordings; dump that of the JVM first")
	}
	processes, _ := attach.List() // they are names alone
	title := live.Title(pid, nameOf(pid, name, processes))
	vm, err := live.OpenJVM(ctx, pid)
	if err != nil {
		return nil, err
	}
	silent := !v.live.Records() && !records(ctx, vm)
	if silent {
		v.live.UseSettings("default")
	}
	r, err := v.live.Attach(vm, nil)
	if err != nil {
		return nil, err
	}
	r.SetMaxAge(v.maxAge)
	r.SetMaxSize(mostRecorded)
	r.OnWarning(func(warning error) {
		if v.live.Concerns(warning) {
			v.Report(fmt.Errorf("%s: %w", title, warning))
		}
	})
	if silent {
		v.Notice(title + " records the settings default while the pages are shown; --settings profile has more")
	}
	return &following{title: title, stream: r.Stream, vm: r.VM(), maxAge: v.maxAge}, nil
}

// noLive returns an error if there are settings for a source that is no JVM.
func (v *verb) noLive(names []string) error {
	if v.live.Records() {
		return cli.Usagef("only a running JVM can record on request, and %s is not one; leave out --settings and --set, or name one JVM as mjfr jvms lists it", names[0])
	}
	return nil
}

// nameOf returns the name of the main class of a JVM that is named by its process, or else the name
// that it was named by.
func nameOf(pid int, name string, processes []attach.Process) string {
	for _, p := range processes {
		if names := live.Names(p.Main); p.PID == pid && name == strconv.Itoa(pid) && names != nil {
			return names[len(names)-1]
		}
	}
	return name
}

// recent is how long ago a JVM that runs has written something at most: it flushes once a second.
const recent = time.Minute

// growing returns the folder of a JVM that records into it: a directory itself, or the newest such
// folder in it. It returns "" for others.
func (v *verb) growing(ctx context.Context, dir string) string {
	path, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if input.IsJVMFolder(filepath.Base(path)) {
		if v.grows(ctx, path) {
			return path
		}
		return ""
	}
	entries, _ := os.ReadDir(path) // to open it says why it cannot be read
	for _, e := range slices.Backward(entries) {
		if folder := filepath.Join(path, e.Name()); e.IsDir() && input.IsJVMFolder(e.Name()) && written(folder, time.Now().Add(-recent)) && v.grows(ctx, folder) {
			return folder
		}
	}
	return ""
}

// written reports whether a file of a folder was written after a moment.
func written(folder string, after time.Time) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		info, err := e.Info()
		return err == nil && info.ModTime().After(after)
	})
}

// grows reports whether a JVM has not finished the last chunk in its directory.
func (v *verb) grows(ctx context.Context, dir string) bool {
	set, err := input.Open(ctx, []string{dir}, input.Options{})
	if err != nil {
		return false
	}
	defer set.Close()
	return !isFinished(set.Recordings[len(set.Recordings)-1])
}

// records reports whether a JVM has a recording that runs.
func records(ctx context.Context, vm *attach.VM) bool {
	list, err := vm.Recordings(ctx)
	return err == nil && slices.ContainsFunc(list, func(r attach.Recording) bool { return r.State == "running" })
}

// reached returns the address that was asked for, with the port that the listener has: for all
// addresses that has the name of none, such as [::].
func reached(asked, listening string) string {
	host, _, err := net.SplitHostPort(asked)
	_, port, e := net.SplitHostPort(listening)
	if err != nil || e != nil {
		return listening
	}
	return net.JoinHostPort(host, port)
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

// mostConstants is how many bytes of memory say where constants lie, from one request to the next.
const mostConstants = 128 << 20

// mostMemory is how much memory garbage is collected for.
const mostMemory = 192 << 20

// The number of requests that are answered at the same time, and of those that may wait for that.
const (
	mostAtOnce  = 4
	mostWaiting = 200
)

// pages returns the handler of all requests: pages, and what they ask.
func pages(src source) http.Handler {
	files := web.Files()
	mux := http.NewServeMux()
	answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x, done, err := src.explorer()
		if err != nil {
			writeError(w, r, err)
			return
		}
		defer done()
		x.mux.ServeHTTP(w, r)
	})
	limited := localhttp.Limit(answers, mostAtOnce, mostWaiting)
	mux.Handle("/api/", limited)
	mux.Handle("/flamegraph", limited)
	mux.HandleFunc("/openapi.json", describe)
	if f, ok := src.(*following); ok {
		news := localhttp.Limit(f.handler(), mostWaiting, 0)
		mux.Handle("/api/live", news)
		mux.Handle("/api/jvm", news)
		mux.Handle("/api/jvm/", news)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, ".") {
			http.ServeFileFS(w, r, files, strings.TrimPrefix(r.URL.Path, "/"))
			return
		}
		http.ServeFileFS(w, r, files, "page.html") // all pages are one, which looks at its address
	})
	return mux
}

const noBrowser = "no browser could be started; open the address above"

// sayIfItFails says that no browser could be started if the program that should do so fails, within
// a minute: after that it was a browser that has failed. The function that it returns waits until
// nothing is said any more.
func (v *verb) sayIfItFails(ended <-chan error) (stop func()) {
	stopped, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case err := <-ended:
			if err != nil {
				v.Notice(noBrowser)
			}
		case <-time.After(time.Minute):
		case <-stopped:
		}
	}()
	return func() { close(stopped); <-done }
}

// browse opens an address in the browser of the user, with a command line that others can read. It
// fails if no such program can be started. What it returns gets the error of that program when it
// ends.
func browse(address string) (<-chan error, error) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	cmd := exec.Command(name, args...)
	setApart(cmd)
	ended := make(chan error, 1)
	if err := cmd.Start(); err != nil {
		return ended, err
	}
	go func() { ended <- cmd.Wait() }() // it may be the browser itself, which ends when the user wants it
	return ended, nil
}
