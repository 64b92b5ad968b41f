package summary

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// version returns the version of a chunk's format.
func version(c mmapjfr.Chunk) string {
	major, minor := c.Version()
	return fmt.Sprintf("%d.%d", major, minor)
}

// The head of the table: what stands above the names and above the numbers.
const (
	typesHead  = " Event Type"
	countsHead = "      Count  Size (bytes) "
)

// WriteText writes what the JDK's jfr summary prints, to the byte. It differs where
// that command is wrong: in recordings of several virtual machines, whose numbers of
// types it takes for those of the first one.
func (s *Summary) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	seconds := (s.Duration().Nanoseconds() + 500_000_000) / 1_000_000_000
	fmt.Fprintf(out, "\n Version: %s\n Chunks: %d\n Start: %s (UTC)\n Duration: %d s\n",
		s.Version(), len(s.Chunks), s.Start().UTC().Format("2006-01-02 15:04:05"), seconds)

	if s.Selection != "" {
		fmt.Fprintf(out, " Selected: %s\n", oneLine(s.Selected()))
	}
	fmt.Fprintln(out)

	width := units(typesHead)
	for _, t := range s.counted() {
		if t.Type.IsEvent() {
			width = max(width, units(t.Name))
		}
	}
	pad := func(name string) string { return strings.Repeat(" ", max(width-units(name), 0)) }
	fmt.Fprintf(out, "%s%s%s\n", typesHead, pad(typesHead), countsHead)
	fmt.Fprintln(out, strings.Repeat("=", width+len(countsHead)))
	for _, t := range s.counted() {
		fmt.Fprintf(out, " %s%s%10d  %12d\n", t.Name, pad(t.Name), t.Events, t.Bytes)
	}
	return out.Flush()
}
