package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// TestFullDisk writes to one: nobody takes what is missing for all there is.
func TestFullDisk(t *testing.T) {
	in := clitest.File("jdk25-kinds.jfr")
	for _, args := range [][]string{
		{}, {"help"}, {"help", "print"}, {"print", "--help"}, {"batch", "--help"}, {"help", "fields"}, {"version"},
		{"view", "--list"}, {"view", "all-views", in}, {"summary", in}, {"metadata", in},
		{"completion", "bash"}, {"print", in}, {"print", "--json", in}, {"print", "--csv", "--events", "ActiveSetting", in}, {"events", in},
		{"types", in}, {"chunks", in}, {"constants", in}, {"at", in, "0"}, {"verify", "--json", in}, {"settings", in}, {"profile", clitest.File("jdk25-profile.jfr")},
		{"query", "select * from *", in}, {"tail", in},
	} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		require.NoError(t, err)
		defer full.Close()
		errs := new(clitest.LockedText)
		a := &cli.App{Stdin: nil, Stdout: full, Stderr: errs, Root: newMjfr}
		assert.Equal(t, cli.ExitData, a.Run(t.Context(), args), "%v", args)
		assert.Equal(t, 1, strings.Count(errs.String(), "no space left on device"), "%v: %s", args, errs)
	}
}
