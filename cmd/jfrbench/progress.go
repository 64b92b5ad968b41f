package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
)

// showStage shows that one of the stages of a file begins.
func showStage(show *progress.Bar, name string, size int64) {
	show.Stage(fmt.Sprintf("%d/%d %-6s", slices.Index(stageNames, name)+1, len(stageNames), name), size)
}

// oneStage shows progress of something that has just one stage.
func oneStage(w io.Writer, name string, size int64) *progress.Bar {
	show := progress.New(w)
	show.Stage(name, size)
	return show
}
