package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// completeSources completes what can be followed: the processes of JVMs, and recordings
// and directories.
func completeSources(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var list offers
	jvms, _ := jvmsList() // without them there are files
	for _, jvm := range jvms {
		if jvm.Attachable {
			list.add(strconv.Itoa(jvm.PID), jvm.Main)
		}
	}
	if word == "" {
		entries, _ := os.ReadDir(".")
		for _, e := range entries {
			switch {
			case strings.HasPrefix(e.Name(), "."):
			case e.IsDir():
				list.add(e.Name()+string(filepath.Separator), "")
			case isRecordingName(e):
				list.add(e.Name(), "")
			}
		}
	}
	found, _ := list.continuing(word, "")
	return found, cobra.ShellCompDirectiveDefault // if there is nothing the shell has its own files
}
