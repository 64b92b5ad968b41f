package attach_test

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

func perfFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return b
}

func TestPerfData(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"jdk17.hsperfdata": {
			"java.property.java.version":    "17.0.15",
			"java.property.java.vm.version": "17.0.15+6-Debian-1deb12u1",
			"sun.rt.javaCommand":            "jdk.compiler/com.sun.tools.javac.launcher.Main Sleeper.java one two three",
		},
		"jdk25.hsperfdata": {
			"java.property.java.version":    "25.0.3",
			"java.property.java.vm.version": "25.0.3+9-LTS",
			"sun.rt.javaCommand":            "jdk.compiler/com.sun.tools.javac.launcher.SourceLauncher Sleeper.java one two three",
		},
	} {
		t.Run(name, func(t *testing.T) {
			texts, err := attach.ParsePerfData(perfFile(t, name))
			require.NoError(t, err)
			want["java.property.java.vm.name"] = "OpenJDK 64-Bit Server VM"
			want["java.rt.vmArgs"] = "-Xmx64m -Dgreeting=Grüße --add-modules=ALL-DEFAULT"
			for key, value := range want {
				assert.Equal(t, value, texts[key], key)
			}
			assert.Equal(t, byte('1'), texts["sun.rt.jvmCapabilities"][0])
			assert.NotContains(t, texts, "sun.rt._sync_Inflations", "numbers are no texts")
		})
	}
}

// TestPerfDataOfTheOtherByteOrder turns the numbers of a file around.
func TestPerfDataOfTheOtherByteOrder(t *testing.T) {
	b := perfFile(t, "jdk25.hsperfdata")
	want, err := attach.ParsePerfData(b)
	require.NoError(t, err)
	turn := func(at uint32) uint32 {
		n := binary.LittleEndian.Uint32(b[at:])
		binary.BigEndian.PutUint32(b[at:], n)
		return n
	}
	b[4] = 0
	turn(8)
	for at := turn(24); at < uint32(len(b)); {
		length := turn(at)
		for _, field := range []uint32{4, 8, 16} {
			turn(at + field)
		}
		at += length
	}
	got, err := attach.ParsePerfData(b)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestPerfDataRejects(t *testing.T) {
	for name, change := range map[string]func([]byte) []byte{
		"nothing":                func([]byte) []byte { return nil },
		"half of the prologue":   func(b []byte) []byte { return b[:20] },
		"another magic number":   func(b []byte) []byte { b[0] = 0; return b },
		"another version":        func(b []byte) []byte { b[5] = 3; return b },
		"a JVM that starts":      func(b []byte) []byte { b[7] = 0; return b },
		"hardly any used":        func(b []byte) []byte { copy(b[8:], "\x10\x00\x00\x00"); return b },
		"an entry that is cut":   func(b []byte) []byte { return b[:len(b)-8] },
		"an entry head cut":      func(b []byte) []byte { return b[:32+10] },
		"an entry of 5 bytes":    func(b []byte) []byte { b[32] = 5; return b },
		"an entry of 4 GB":       func(b []byte) []byte { copy(b[32:], "\xff\xff\xff\xff"); return b },
		"a text beyond its end":  func(b []byte) []byte { copy(textEntry(b)[16:], "\xff\xff\xff\x7f"); return b },
		"a text longer than all": func(b []byte) []byte { copy(textEntry(b)[8:], "\xff\xff\xff\xff"); return b },
		"a name in the head":     func(b []byte) []byte { copy(textEntry(b)[4:], "\x02\x00\x00\x00"); return b },
		"a name after its text":  func(b []byte) []byte { copy(textEntry(b)[4:], "\xff\x00\x00\x00"); return b },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := attach.ParsePerfData(change(perfFile(t, "jdk17.hsperfdata")))
			assert.ErrorContains(t, err, "not an hsperfdata file")
		})
	}
}

// textEntry returns a file from its first text on.
func textEntry(b []byte) []byte {
	for at := uint32(32); ; at += binary.LittleEndian.Uint32(b[at:]) {
		if b[at+12] == 'B' {
			return b[at:]
		}
	}
}

func FuzzPerfData(f *testing.F) {
	f.Add(perfFile(f, "jdk17.hsperfdata"))
	f.Add(perfFile(f, "jdk25.hsperfdata")[:2000])
	f.Fuzz(func(t *testing.T, b []byte) {
		texts, err := attach.ParsePerfData(b)
		if err == nil {
			assert.NotNil(t, texts)
		}
	})
}
