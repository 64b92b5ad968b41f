package watch

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
)

// metricsOptions are the flags for metrics.
type metricsOptions struct {
	address   string // empty without metrics
	hosts     []string
	tokenFile string
}

// tokenVariable is an environment variable for the token.
const tokenVariable = "MJFR_PROMETHEUS_TOKEN"

// aboutMetrics describes access to metrics in the help.
const aboutMetrics = `--prometheus serves metrics at ADDRESS; the JVM needs no agent. A port alone, as in :9404, is
localhost; an address such as 0.0.0.0:9404 is open to other machines, and SECURITY.md lists what
metrics reveal. With a token, in --prometheus-token-file or ` + tokenVariable + `, only
requests with "Authorization: Bearer TOKEN" are answered. Requests must be for localhost, the
address, or a name of --prometheus-host.`

func (o *metricsOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.address, "prometheus", "", "serve metrics at `ADDRESS`, such as localhost:9404; :9404 is the same")
	f.StringSliceVar(&o.hosts, "prometheus-host", nil, "answer requests for metrics to the host name `HOST`, too; repeatable")
	f.StringVar(&o.tokenFile, "prometheus-token-file", "", "answer requests for metrics only with the token in `FILE`")
}

// check checks the flags.
func (o *metricsOptions) check() error {
	if o.address == "" && (len(o.hosts) > 0 || o.tokenFile != "") {
		return cli.Usagef("--prometheus-host and --prometheus-token-file go with --prometheus")
	}
	return nil
}

// maxToken is how many bytes the file of a token may have.
const maxToken = 64 << 10

// access returns which requests to answer.
func (o *metricsOptions) access() (localhttp.Access, error) {
	access := localhttp.Access{Hosts: o.hosts, Token: os.Getenv(tokenVariable)}
	if o.tokenFile == "" {
		return access, nil
	}
	text, err := cli.ReadFile(o.tokenFile, maxToken)
	if err != nil {
		return access, fmt.Errorf("cannot read the token: %w", err)
	}
	if access.Token = strings.TrimSpace(string(text)); access.Token == "" {
		return access, fmt.Errorf("there is no token in %s", o.tokenFile)
	}
	return access, nil
}

// serve serves metrics until the context ends. The result goes to served.
func serve(ctx context.Context, a *cli.App, v *jvmstats.Vitals, o *metricsOptions, served chan<- error) error {
	access, err := o.access()
	if err != nil {
		return err
	}
	server, err := v.Listen(ctx, o.address, access)
	if err != nil {
		return err
	}
	a.Notice(fmt.Sprintf("metrics at http://%s/metrics", server.Addr()))
	switch {
	case server.Local():
	case access.Token == "":
		a.Notice("other machines can read them, without a token; see --prometheus-token-file, or listen at localhost")
	default:
		a.Notice("other machines can read them, with the token")
	}
	go func() { served <- server.Serve(ctx) }()
	return nil
}
