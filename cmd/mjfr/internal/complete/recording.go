package complete

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// offers are texts that a shell offers, with their descriptions.
type offers map[string]string

func (o *offers) add(name, description string) {
	if *o == nil {
		*o = offers{}
	}
	if name != "" && !strings.ContainsAny(name, "\n\t") {
		(*o)[name] = strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, description)
	}
}

// continuing returns, in order, the texts that continue the last part of a word.
func (o offers) continuing(word, separators string) (list []string, _ cobra.ShellCompDirective) {
	before, last := "", word
	if separators != "" {
		end := strings.LastIndexAny(word, separators) + 1
		before, last = word[:end], word[end:]
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if strings.HasPrefix(name, last) {
			list = append(list, cobra.CompletionWithDesc(before+name, o[name]))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// recordingToAsk opens the recording to complete from: the first argument that is one, or the
// latest recording in the current directory. People wait for completion and did not ask for it, so
// packed recordings are not unpacked, and errors are not reported.
func recordingToAsk(args []string) *mmapjfr.Recording {
	names := slices.Clone(args)
	if len(names) == 0 {
		names = latestIn(".")
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err == nil && info.IsDir() {
			name = strings.Join(latestIn(name), "")
			info, err = os.Stat(name)
		}
		if err != nil || !info.Mode().IsRegular() {
			continue // opening a pipe would wait for its writer
		}
		if rec, err := mmapjfr.Open(name); err == nil {
			return rec
		}
	}
	return nil
}

// latestIn returns the recording in a directory that was written last, or none.
func latestIn(dir string) (latest []string) {
	list, _ := filepath.Glob(filepath.Join(dir, "*.jfr")) // the pattern is valid
	var newest os.FileInfo
	for _, name := range list {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() &&
			(newest == nil || info.ModTime().After(newest.ModTime())) {
			latest, newest = []string{name}, info
		}
	}
	return latest
}

// aboutTypes calls do with the types of the first and the last chunk of the recording. Other chunks
// hardly have others.
func aboutTypes(args []string, do func(mmapjfr.Type)) {
	rec := recordingToAsk(args)
	if rec == nil {
		return
	}
	defer rec.Close() // only read
	chunks := rec.Chunks()
	for _, c := range slices.Compact([]mmapjfr.Chunk{chunks[0], chunks[len(chunks)-1]}) {
		types, err := c.Types()
		if err != nil {
			continue
		}
		for _, t := range types {
			do(t)
		}
	}
}

// threadsIn is the number of bytes in chunks that are read for their threads.
const threadsIn = 64 << 20

// aboutThreads calls do with the threads of the last chunks of the recording.
func aboutThreads(args []string, do func(mmapjfr.Thread)) {
	rec := recordingToAsk(args)
	if rec == nil {
		return
	}
	defer rec.Close() // only read
	left := uint64(threadsIn)
	for _, c := range slices.Backward(rec.Chunks()) {
		if c.Size() > left {
			break
		}
		left -= c.Size()
		selection.ThreadsOf(c, do)
	}
}

// isWanted reports whether an event type has one of the names. With no names all types do.
func isWanted(t mmapjfr.Type, names []string) bool {
	filter := selection.ByEvents(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" }))
	return len(filter.Names) == 0 || filter.Wants(t)
}

// fieldsAt returns the fields, recorded and computed, of the type that a path leads to. The path
// ends with a dot or is empty.
func fieldsAt(t mmapjfr.Type, path string) []mmapjfr.Field {
	for name := range strings.SplitSeq(strings.TrimSuffix(path, "."), ".") {
		if name == "" {
			continue
		}
		if i := strings.IndexByte(name, '['); i >= 0 {
			name = name[:i]
		}
		step, err := mmapjfr.ParsePath(name)
		if err != nil {
			return nil
		}
		f, _, err := t.Resolve(step)
		if err != nil {
			return nil
		}
		t = f.Type()
	}
	return append(t.Fields(), engine.TypeComputed(t)...)
}

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
		files, _ := filepath.Glob(word + "*") // a pattern that is not valid offers none
		for _, name := range files {
			info, err := os.Stat(name)
			switch {
			case err != nil || filepath.Base(name)[0] == '.':
			case info.IsDir():
				found = append(found, name+string(filepath.Separator))
			case strings.HasSuffix(name, ".jfr"):
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return found, cobra.ShellCompDirectiveDefault
}

// completeViews completes the name of a view, or of an event type whose events are shown.
func completeViews(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	list := offers{"types": "The event types", "all-views": "All views of the JDK", "all-events": "All events"}
	for _, v := range views.All() {
		list.add(v.Name, v.Description)
	}
	if word != "" {
		aboutTypes(args, func(t mmapjfr.Type) {
			if t.IsEvent() {
				list.add(t.Name(), t.Label())
				list.add(t.SimpleName(), t.Label())
			}
		})
	}
	return list.continuing(word, "")
}
