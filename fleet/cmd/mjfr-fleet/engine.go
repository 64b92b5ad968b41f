package main

import (
	"cmp"
	"context"
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/fleet/internal/fleet"
)

// shown are the flags of Beam that the help lists; it takes all.
var shown = []string{"runner", "endpoint", "environment_type", "environment_config", "parallelism", "job_name", "worker_binary"}

// beamFlag is a flag of Beam, which looks in [flag.CommandLine] for what has been set.
type beamFlag struct{ *flag.Flag }

func (f beamFlag) String() string     { return f.Value.String() }
func (f beamFlag) Set(s string) error { return flag.Set(f.Name, s) }

// Type returns what the help shows; flags that are true or false need no value.
func (f beamFlag) Type() string {
	if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
		return "bool"
	}
	return "string"
}

// addBeamFlags adds the flags of Beam. One whose name is taken, which is labels, is called job_labels and so on.
func addBeamFlags(own *pflag.FlagSet) {
	flag.VisitAll(func(f *flag.Flag) {
		name := f.Name
		if own.Lookup(name) != nil {
			name = "job_" + name
		}
		added := own.VarPF(beamFlag{f}, name, "", f.Usage)
		added.Hidden = !slices.Contains(shown, name)
		if added.Value.Type() == "bool" {
			added.NoOptDefVal = "true"
		}
	})
}

// engines are the runners of Beam that can do jobs. Some have other names, too.
var engines = []string{"prism", "flink", "spark", "dataflow", "universal", "direct"}

// engine returns the name of the engine that the flags ask for.
func engine() (string, error) {
	given := *runners.Runner
	name := strings.ToLower(strings.TrimSuffix(cmp.Or(given, "prism"), "Runner"))
	if name == "portable" {
		name = "universal"
	}
	if !slices.Contains(engines, name) {
		return "", fmt.Errorf("--runner takes prism, flink, spark, dataflow or universal; got %s", given)
	}
	return name, nil
}

// hasOwnWorkers reports whether an engine starts workers elsewhere: in containers, processes or on other machines.
func hasOwnWorkers(engine string) bool {
	switch kind := strings.ToLower(*jobopts.EnvironmentType); {
	case engine == "direct" || kind == "loopback":
		return false
	case engine == "prism" && *jobopts.Endpoint == "":
		return kind != ""
	}
	return true
}

// checkEngine returns an error if an engine cannot do a job as the flags say. Tables is the folder of a data set.
func checkEngine(engine string, j *fleet.Job, tables string) error {
	if !hasOwnWorkers(engine) {
		return nil
	}
	for _, name := range slices.Concat(j.Inputs, []string{j.Manifest, j.Out, tables}) {
		if name != "" && !isObject(name) && !filepath.IsAbs(name) {
			return fmt.Errorf("%s would be a different file on each worker of %s: give a whole path that all machines share, or an object such as gs://... or s3://", name, engine)
		}
	}
	return setWorker()
}

// isObject reports whether a name is one of a server, and not of the file system.
func isObject(name string) bool { return strings.Contains(name, "://") }

// setWorker chooses the program that is sent to workers: this one, unless --worker_binary names another. Beam would compile it,
// which only works in the folder of its module.
func setWorker() error {
	name := *jobopts.WorkerBinary
	if name == "" {
		if runtime.GOOS != "linux" {
			return errors.New("workers need this program for Linux: GOOS=linux CGO_ENABLED=0 go build -o worker ./cmd/mjfr-fleet makes one for --worker_binary")
		}
		self, err := os.Executable()
		if err != nil {
			return err
		}
		return flag.Set("worker_binary", self)
	}
	f, err := elf.Open(name)
	if err != nil {
		if errors.As(err, new(*elf.FormatError)) {
			err = fmt.Errorf("%s is not a Linux program", name)
		}
		return fmt.Errorf("--worker_binary: %w", err)
	}
	return f.Close()
}

// checkServer returns an error if no server listens where an engine should be. Beam would try for two minutes.
func checkServer(ctx context.Context) error {
	at := *jobopts.Endpoint
	if _, _, err := net.SplitHostPort(at); err != nil {
		return nil //nolint:nilerr // Beam knows other addresses
	}
	conn, err := (&net.Dialer{Timeout: 20 * time.Second}).DialContext(ctx, "tcp", at)
	if err != nil {
		return fmt.Errorf("no Beam job server answers at --endpoint %s: %w", at, err)
	}
	return conn.Close()
}

// execute lets an engine do a job whose folder for results is out. It returns whether the job is done, and not only submitted.
func execute(ctx context.Context, engine, logLevel string, p *beam.Pipeline, out string) (done bool, err error) {
	quiet := logLevel == "" && engine == "prism" && *jobopts.Endpoint == "" && !hasOwnWorkers(engine) // the error says it all
	log.LogLevel = cmp.Or(logLevel, "warn")
	*runners.Runner = engine
	beam.Init()
	if quiet {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	// Beam lets files stay in the temporary folder.
	temp, err := os.MkdirTemp("", "mjfr-fleet")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(temp)
	defer os.Setenv("TMPDIR", os.Getenv("TMPDIR")) //nolint:errcheck // it has been set before
	if err := os.Setenv("TMPDIR", temp); err != nil {
		return false, err
	}
	if err := checkServer(ctx); err != nil {
		return false, err
	}
	if err := fleet.Prepare(ctx, out); err != nil {
		return false, err
	}
	if err := beamx.Run(ctx, p); err != nil {
		return false, errors.New(reason(err.Error()))
	}
	return !*jobopts.Async, nil
}

// step is what Beam writes before the error of a step of a job.
var step = regexp.MustCompile(`(?s)^.*DoFn\[[^\]]*\] failed:\n`)

// reason returns the error of a step within what Beam and an engine have made of it.
func reason(text string) string {
	if at := step.FindStringIndex(text); at != nil {
		text, _, _ = strings.Cut(text[at[1]:], "\n\tat ") // calls of Java
	}
	return strings.TrimSpace(text)
}
