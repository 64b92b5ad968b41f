package complete

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
)

// completeSources completes sources of events: processes of JVMs, recordings and directories.
func completeSources(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var list offers
	jvms, _ := live.ListProcesses() // if that fails, only files are offered
	processes := map[string][]int{}
	for _, jvm := range jvms {
		if !jvm.Attachable {
			continue
		}
		list.add(strconv.Itoa(jvm.PID), jvm.Main)
		if names := live.Names(jvm.Main); len(names) > 0 {
			short := names[len(names)-1]
			processes[short] = append(processes[short], jvm.PID)
		}
	}
	for name, pids := range processes {
		if len(pids) == 1 { // otherwise the name is ambiguous
			list.add(name, fmt.Sprintf("process %d", pids[0]))
		}
	}
	found, _ := list.continuing(word, "")
	if len(found) > 0 || word == "" { // otherwise the shell offers its own files
		isRecording := func(name string) bool { return strings.HasSuffix(name, ".jfr") }
		for _, name := range filesCalled(word, isRecording) {
			if !isRecording(name) {
				name += string(filepath.Separator)
			}
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found, cobra.ShellCompDirectiveDefault
}
