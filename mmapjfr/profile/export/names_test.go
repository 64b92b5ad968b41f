package export

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestParseFrame takes names apart, of Java and of others.
func TestParseFrame(t *testing.T) {
	for name, want := range map[string]profile.Method{
		"java/lang/Thread.run":                            {Class: "java/lang/Thread", Name: "run"},
		"java.lang.Thread.run":                            {Class: "java.lang.Thread", Name: "run"},
		"Thread.<init>":                                   {Class: "Thread", Name: "<init>"},
		"java/lang/String.indexOf(java.lang.String,int)":  {Class: "java/lang/String", Name: "indexOf(java.lang.String,int)"},
		"gen.Locks$$Lambda$98+0x00007fcf7400dc98/163.run": {Class: "gen.Locks$$Lambda$98+0x00007fcf7400dc98/163", Name: "run"},
		"a/B$$Lambda.0x0000c0.run":                        {Class: "a/B$$Lambda.0x0000c0", Name: "run"},
		"java.lang.String":                                {Name: "java.lang.String"},
		"byte[]":                                          {Name: "byte[]"},
		"net/http.(*Server).Serve":                        {Name: "net/http.(*Server).Serve"},
		"github.com/acme/tool.Run":                        {Name: "github.com/acme/tool.Run"},
		"std::sort":                                       {Name: "std::sort"},
		"/usr/lib/Foo.so":                                 {Name: "/usr/lib/Foo.so"},
		"libc.so.6":                                       {Name: "libc.so.6"},
		"a b:7":                                           {Name: "a b:7"},
		"":                                                {},
	} {
		m, line := parseFrame(name)
		assert.Equal(t, want, m, name)
		assert.Zero(t, line)
	}
	native := namedFrame("jdk/internal/misc/Unsafe.park", profile.Native)
	assert.Equal(t, "jdk.internal.misc.Unsafe.park", profile.Names{Dots: true}.Frame(native))
	library := profile.Frame{Method: profile.Method{Class: "/usr/lib64/libpthread-2.17.so", Name: "read"}, Kind: profile.Native}
	assert.Equal(t, "read", profile.Names{}.Frame(library))
	m, line := parseFrame("java/lang/Thread.run:840")
	assert.Equal(t, profile.Method{Class: "java/lang/Thread", Name: "run"}, m)
	assert.Equal(t, int32(840), line)
}

// TestThreadsWithoutAName are called as async-profiler and JVMs call them, and are read back.
func TestThreadsWithoutAName(t *testing.T) {
	for want, l := range map[string]profile.Labels{
		"[tid=1349]":     {Thread: "[tid=1349]"},
		"[tid=7]":        {Thread: "[tid=7]", ThreadID: 7},
		"[tid=8]":        {ThreadID: 8},
		"[main tid=1]":   {Thread: "main", ThreadID: 1},
		"[main]":         {Thread: "main"},
		"[no thread]":    {},
		"[[x] tid=2]":    {Thread: "[x]", ThreadID: 2},
		"[[tid=x tid=3]": {Thread: "[tid=x", ThreadID: 3},
	} {
		assert.Equal(t, want, l.ThreadName())
		if read, ok := parseThread(want); ok {
			assert.Equal(t, want, read.ThreadName())
		}
	}
	read, ok := parseThread("[tid=8]")
	assert.True(t, ok)
	assert.Equal(t, profile.Labels{ThreadID: 8}, read)
}
