package live

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// jvmsPatience is how long a JVM may take to list its recordings.
const jvmsPatience = 5 * time.Second

// ListProcesses lists the JVMs of this machine, and recordingsOf the recordings of one. Tests
// replace them.
var (
	ListProcesses = attach.List
	recordingsOf  = func(ctx context.Context, pid int) ([]attach.Recording, error) {
		ctx, cancel := context.WithTimeout(ctx, jvmsPatience)
		defer cancel()
		vm, err := attach.Open(ctx, pid)
		if err != nil {
			return nil, err
		}
		return vm.Recordings(ctx)
	}
)

// NewJVMs makes the verb that lists the JVMs of this machine.
func NewJVMs(a *cli.App) *cobra.Command {
	var o jvmsOptions
	cmd := &cobra.Command{
		Use:   "jvms [flags]",
		Short: "List running JVMs and what they record",
		Long: `List the HotSpot JVMs on this machine, including containers, and whether you can attach to
them: a JVM accepts commands from its own user and from root, unless an option forbids it.

--recordings attaches to each JVM, as jcmd does, and lists its recordings.`,
		Example: `  mjfr jvms
  mjfr jvms --recordings
  mjfr jvms --json | jq '.jvms[].pid'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("jvms takes no arguments, not %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return listJVMs(cmd.Context(), a, o) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.recordings, "recordings", "v", false, "ask the JVMs for their recordings; that attaches to them")
	f.BoolVar(&o.asJSON, "json", false, "print one JSON document")
	return cmd
}

type jvmsOptions struct{ recordings, asJSON bool }

// jvmsDocument is what mjfr jvms --json prints.
type jvmsDocument struct {
	JVMs []jvmJSON `json:"jvms"`
}

// jvmJSON is a JVM. Unknown values are empty.
type jvmJSON struct {
	processJSON
	// Recordings are only there if the JVM has answered.
	Recordings []jvmRecordingJSON `json:"recordings,omitzero"`
}

// processJSON is an [attach.Process].
type processJSON struct {
	PID        int    `json:"pid"`
	User       string `json:"user"`
	Main       string `json:"main"`
	Command    string `json:"command"`
	Arguments  string `json:"jvmArguments"`
	Version    string `json:"version"`
	VM         string `json:"vm"`
	Container  bool   `json:"container"`
	Attachable bool   `json:"attachable"`
}

// jvmRecordingJSON is an [attach.Recording]. A limit of 0 is no limit.
type jvmRecordingJSON struct {
	ID       int           `json:"id"`
	Name     string        `json:"name"`
	State    string        `json:"state"`
	Duration time.Duration `json:"durationNanos"`
	MaxAge   time.Duration `json:"maxAgeNanos"`
	MaxSize  int64         `json:"maxSizeBytes"`
}

func listJVMs(ctx context.Context, a *cli.App, o jvmsOptions) error {
	all, err := ListProcesses()
	if err != nil {
		return err
	}
	d := jvmsDocument{JVMs: []jvmJSON{}}
	for _, p := range all {
		j := jvmJSON{processJSON: processJSON(p)}
		if o.recordings && p.Attachable {
			if j.Recordings, err = recordingsOfJVM(ctx, p.PID); err != nil {
				a.Damage(fmt.Sprintf("process %d", p.PID), err)
			}
		}
		d.JVMs = append(d.JVMs, j)
	}
	if o.asJSON {
		return a.WriteJSON(d)
	}
	if err := jvmsTable(d.JVMs, o.recordings).Write(a.Stdout, a.Style); err != nil {
		return err
	}
	if len(all) == 0 {
		a.Notice("no JVM runs that can be seen from here; root also sees JVMs of other users, and in containers")
	}
	return nil
}

// recordingsOfJVM asks a JVM for its recordings. It returns nil only with an error.
func recordingsOfJVM(ctx context.Context, pid int) ([]jvmRecordingJSON, error) {
	list, err := recordingsOf(ctx, pid)
	if err != nil {
		return nil, err
	}
	recordings := []jvmRecordingJSON{}
	for _, r := range list {
		recordings = append(recordings, jvmRecordingJSON(r))
	}
	return recordings, nil
}

// jvmsTable lists JVMs, and their recordings if asked is true.
func jvmsTable(jvms []jvmJSON, asked bool) *terminal.Table {
	columns := []terminal.Column{
		terminal.Number("PID"), {Title: "Java"}, {Title: "User"}, {Title: "Container"}, {Title: "Attachable"}, {Title: "Main"},
	}
	if asked {
		columns = append(columns, terminal.Column{Title: "Recordings"})
	}
	t := terminal.NewTable(columns...)
	for _, j := range jvms {
		row := []terminal.Cell{
			terminal.Int(j.PID), terminal.Plain(j.Version), terminal.Plain(j.User),
			yesNo(j.Container), yesNo(j.Attachable), terminal.Plain(j.Main),
		}
		if asked {
			row = append(row, jvmsRecordings(j.Recordings))
		}
		t.Row(row...)
	}
	return t
}

func yesNo(yes bool) terminal.Cell {
	if yes {
		return terminal.Plain("yes")
	}
	return terminal.Plain("no")
}

// jvmsRecordings returns the ids and states of the recordings of a JVM. The cell is empty if the
// JVM did not answer.
func jvmsRecordings(list []jvmRecordingJSON) terminal.Cell {
	if list == nil {
		return terminal.Cell{}
	}
	if len(list) == 0 {
		return terminal.Plain("none")
	}
	var texts []string
	for _, r := range list {
		id := strconv.Itoa(r.ID)
		if r.Name != id {
			id += " " + r.Name
		}
		texts = append(texts, fmt.Sprintf("%s (%s)", id, r.State))
	}
	return terminal.Plain(strings.Join(texts, ", "))
}
