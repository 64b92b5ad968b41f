package terminal_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "",
		"java.lang.String":  "java.lang.String",
		"grün 日本 🙂 \u00a0x": "grün 日本 🙂 \u00a0x",
		`C:\temp "x"`:       `C:\temp "x"`,
		"a\x1b[2Jb":         `a\x1b[2Jb`,
		"\r\n\t\x00\x7f":    `\r\n\t\x00\x7f`,
		"\u009b31m":         `\u009b31m`,
		"\u202eevil\u2028":  `\u202eevil\u2028`,
		"\xff\xc3":          `\xff\xc3`,
		"\ufffd":            "\ufffd",
		"\U000e0001":        `\U000e0001`,
	} {
		assert.Equal(t, want, terminal.Printable(text), "%q", text)
	}
}

// TestGuard writes the same in pieces of any size.
func TestGuard(t *testing.T) {
	var out bytes.Buffer
	_, s := terminal.Guarded(&out, 80)
	text := "a\tgrün 日本\n" + s.Paint(terminal.Red, "red") + "\x1b[31mforged\x1b]0;title\a\r\u202e\xff\x1bK3\x1bK3Y[ " + s.Paint(terminal.Bold, "bold") + ".\n"
	want := "a\tgrün 日本\n\x1b[31mred\x1b[0m" + `\x1b[31mforged\x1b]0;title\a\r\u202e\xff\x1bK3`
	for size := 1; size <= len(text); size++ {
		out.Reset()
		w, _ := terminal.Guarded(&out, 80)
		for rest := text; rest != ""; {
			piece := rest[:min(size, len(rest))]
			n, err := w.Write([]byte(piece))
			require.NoError(t, err)
			require.Equal(t, len(piece), n)
			rest = rest[len(piece):]
		}
		require.True(t, strings.HasPrefix(out.String(), want), "%q", out.String())
		require.True(t, strings.HasSuffix(out.String(), ".\n"))
	}
}

func TestGuardTellsErrors(t *testing.T) {
	w, _ := terminal.Guarded(fullDisk{}, 80)
	_, err := w.Write([]byte("x"))
	assert.ErrorIs(t, err, errFull)
}

// FuzzGuard looks whether anything gets through that it should not.
func FuzzGuard(f *testing.F) {
	f.Add("\x1b[2J", "\x1bK3Y[31m")
	f.Add("\xe6\x97", "\xa5")
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.Contains(a+b, "\x1bK3Y") {
			return // it has the key
		}
		var out bytes.Buffer
		w, _ := terminal.Guarded(&out, 80)
		for _, text := range []string{a, b} {
			_, err := w.Write([]byte(text))
			require.NoError(t, err)
		}
		seen := strings.NewReplacer("\n", "", "\t", "").Replace(out.String())
		require.Equal(t, seen, terminal.Printable(seen), "all of it can be seen")
	})
}
