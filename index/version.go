package index

import (
	"fmt"
	"strings"

	"github.com/mmapjfr/jfr/internal/wire"
)

// CheckVersion returns nil if chunks of the version of the header can be read, and an
// error that matches [ErrUnsupported] if not. The error says which programs write that
// version, as far as that is known, and what to do.
func CheckVersion(h wire.Header) error {
	if h.Readable() {
		return nil
	}
	writer, advice := "", "it is damaged, or newer than this reader"
	if h.Major == 0 {
		writer, advice = " of Oracle JDK 7 or 8", "open it with JDK Mission Control, or record with OpenJDK 8u262, JDK 9 or later"
	}
	return fmt.Errorf("%w: format version %d.%d%s, only 1.x and 2.x can be read; %s", ErrUnsupported, h.Major, h.Minor, writer, advice)
}

// renamed is how names begin that JDK 9 and 10 give to classes, and how they begin in
// recordings of later ones.
var renamed = []struct{ old, current string }{
	{"com.oracle.jfr.types.", "jdk.types."},
	{"com.oracle.jdk.AllocationRequiringGc", "jdk.AllocationRequiringGC"},
	{"com.oracle.jdk.GCG1MMU", "jdk.G1MMU"},
	{"com.oracle.jdk.", "jdk."},
}

// currentName returns the name that JDK 11 and later give a class.
func currentName(name string) string {
	for _, r := range renamed {
		if rest, ok := strings.CutPrefix(name, r.old); ok {
			return r.current + rest
		}
	}
	return name
}

// CurrentName returns the name that JDK 11 and later give the class: jdk.types.Method for
// com.oracle.jfr.types.Method, and jdk.CPULoad for com.oracle.jdk.CPULoad, as JDK 9 and 10
// call them (FORMAT.md, section 9.6). For other classes it is Name.
func (c *Type) CurrentName() string {
	if c.current == "" {
		return c.Name
	}
	return c.current
}
