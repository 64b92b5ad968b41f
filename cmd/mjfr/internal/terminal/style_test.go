package terminal_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

func noEnv(string) string { return "" }

func TestWhenThereAreColours(t *testing.T) {
	for when, want := range map[terminal.When]terminal.Style{
		terminal.Auto:   {},
		terminal.Never:  {},
		terminal.Always: {Aligned: true, Color: true},
	} {
		t.Run(string(when), func(t *testing.T) {
			var out bytes.Buffer // is no terminal
			w, s := terminal.Open(&out, when, noEnv)
			assert.Equal(t, want.Aligned, s.Aligned)
			assert.Equal(t, want.Color, s.Color)
			assert.Zero(t, s.Width)
			_, err := w.Write([]byte("\x1b"))
			require.NoError(t, err)
			if want.Aligned {
				assert.NotContains(t, out.String(), "\x1b")
			} else {
				assert.Equal(t, "\x1b", out.String(), "programs get what there is")
			}
		})
	}
}

func TestAlwaysMeansAlways(t *testing.T) {
	_, s := terminal.Open(new(bytes.Buffer), terminal.Always, func(string) string { return "1" })
	assert.True(t, s.Color)
}

func TestWhenAsAFlag(t *testing.T) {
	w := terminal.Auto
	for _, text := range []string{"never", "always", "auto"} {
		require.NoError(t, w.Set(text))
		assert.Equal(t, text, w.String())
	}
	assert.EqualError(t, w.Set("yes"), "it must be auto, always or never")
	assert.Equal(t, terminal.Auto, w)
}

func TestPaint(t *testing.T) {
	coloured := terminal.Style{Aligned: true, Color: true}
	assert.Equal(t, "\x1b[31m100%\x1b[0m", coloured.Paint(terminal.Red, "100%"))
	assert.Equal(t, "plain", coloured.Paint(terminal.NoHue, "plain"))
	assert.Empty(t, coloured.Paint(terminal.Red, ""))
	assert.Equal(t, "\x1b[32m\\x1b[2J\x1b[0m", coloured.Paint(terminal.Green, "\x1b[2J"))
	assert.Equal(t, `\x1b`, terminal.Style{Aligned: true}.Paint(terminal.Red, "\x1b"))
	assert.Equal(t, "\x1b", terminal.Style{}.Paint(terminal.Red, "\x1b"), "programs get what there is")
	seen := map[string]bool{}
	for _, h := range []terminal.Hue{terminal.NoHue, terminal.Bold, terminal.Faint, terminal.Red, terminal.Green, terminal.Yellow, terminal.Blue, terminal.Cyan} {
		text := coloured.Paint(h, "x")
		assert.False(t, seen[text], "differs from others")
		seen[text] = true
	}
}
