package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

// newVersion makes the verb that prints the version of mjfr.
func newVersion(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of mjfr",
		Long: `Print the version of mjfr in the first line. The second line has the version of Go that
built it, and the platform.`,
		Example: `  mjfr version
  mjfr version --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("version takes no arguments, not %q", args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo() // nil without build information
			v := buildVersion(info)
			if asJSON {
				return a.WriteJSON(v)
			}
			_, err := fmt.Fprintf(a.Stdout, "%s\n%s %s/%s\n", v.Version, v.Go, v.OS, v.Arch)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// versionDocument is what mjfr version --json prints.
type versionDocument struct {
	Version string `json:"version"`
	// Revision is the revision in version control that was built. Modified means that files had
	// been changed since.
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// shortRevision is how many characters of a revision are shown as a version.
const shortRevision = 12

// buildVersion returns the version of a program. It is that of its module, or else the revision.
func buildVersion(info *debug.BuildInfo) versionDocument {
	v := versionDocument{Version: "devel", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info == nil {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	switch {
	case info.Main.Version != "" && info.Main.Version != "(devel)":
		v.Version = info.Main.Version
	case v.Revision != "":
		v.Version = v.Revision[:min(len(v.Revision), shortRevision)]
		if v.Modified {
			v.Version += "+dirty"
		}
	}
	return v
}
