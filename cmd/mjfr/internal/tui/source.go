package tui

import "github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"

// Source is what is shown. It is asked by one goroutine.
type Source interface {
	// Title is what people call it: the number of a process, or the name of a file.
	Title() string
	// Snapshot is how it is, with the last events of the type that was picked.
	Snapshot() jvmstats.Snapshot
	// Pick chooses a type of events, or none if the name is empty.
	Pick(name string)
}

// Of returns the source that v is, with that title.
func Of(v *jvmstats.Vitals, title string) Source { return titled{v, title} }

type titled struct {
	*jvmstats.Vitals
	title string
}

func (t titled) Title() string { return t.title }
