package summary

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/javatext"
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

	width := javatext.Len(typesHead)
	for _, t := range s.counted() {
		if t.Type.IsEvent() {
			width = max(width, javatext.Len(t.Name))
		}
	}
	pad := func(name string) string { return strings.Repeat(" ", max(width-javatext.Len(name), 0)) }
	fmt.Fprintf(out, "%s%s%s\n", typesHead, pad(typesHead), countsHead)
	fmt.Fprintln(out, strings.Repeat("=", width+len(countsHead)))
	for _, t := range s.counted() {
		fmt.Fprintf(out, " %s%s%10d  %12d\n", t.Name, pad(t.Name), t.Events, t.Bytes)
	}
	return out.Flush()
}

// sort puts the types in the order in which the JDK prints them.
func (s *Summary) sort(m *javaMap) {
	slices.SortStableFunc(s.Types, func(a, b *Type) int {
		return cmp.Or(
			cmp.Compare(b.Events, a.Events),
			javatext.Compare(a.Name, b.Name),
			cmp.Compare(m.place(a.ID), m.place(b.ID)),
		)
	})
}

// javaMap is how large Java's HashMap is in which the JDK has the types by their
// numbers: types of one name, and of equally many events, are printed in the order in
// which they lie there. It is larger, or not yet, depending on how they came there.
type javaMap struct {
	entries int
	places  int // a power of two, 16 at first
}

// grow makes room for more if it is due. That is before the JDK adds a type that a
// chunk describes, or finds it to be there, and after it adds one that none does.
func (m *javaMap) grow() {
	if 4*m.entries > 3*m.places {
		m.places *= 2
	}
}

// place returns where a Long lies.
func (m *javaMap) place(id int64) uint32 {
	hash := uint32(id ^ int64(uint64(id)>>32))
	return (hash ^ hash>>16) & uint32(m.places-1)
}
