package attach_test

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/leaktest"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// TestLeavesNothingOpen attaches to virtual machines of all manners, and to what is none.
func TestLeavesNothingOpen(t *testing.T) {
	m := newMachine(t)
	m.patience = 50 * time.Millisecond
	f := m.self()
	f.answers["VM.version"] = "0\nit\n"
	open := func() (*attach.VM, error) { return m.host().Open(t.Context(), f.pid) }
	m.quit = func(int) {}
	leaktest.Check(t, func() { // nothing listens
		_, err := open()
		assert.ErrorIs(t, err, attach.ErrNoAnswer)
		_, err = m.host().Open(t.Context(), 1<<30)
		assert.ErrorIs(t, err, attach.ErrNoProcess)
	})
	left, err := filepath.Glob(f.path("cwd/.attach_pid*"))
	require.NoError(t, err)
	assert.Empty(t, left)

	vm := f.open()
	for name, c := range map[string]struct {
		raw  func(net.Conn)
		good bool
	}{
		"an answer":  {nil, true},
		"no answer":  {func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, false},
		"the end":    {func(net.Conn) {}, false},
		"no number":  {func(c net.Conn) { _, _ = io.WriteString(c, "never\nmind") }, false},
		"an error":   {func(c net.Conn) { _, _ = io.WriteString(c, "1\nno\n") }, false},
		"half of it": {func(c net.Conn) { _, _ = io.WriteString(c, "0") }, false},
	} {
		f.misbehave(c.raw)
		leaktest.Check(t, func() {
			patience := time.Minute
			if name == "no answer" {
				patience = 50 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			_, err := vm.Command(ctx, "VM.version")
			assert.Equal(t, c.good, err == nil, "%s: %v", name, err)
			_, err = open()
			assert.Equal(t, c.good || name == "an error", err == nil, "%s: %v", name, err)
			cancel()
			_, err = vm.Command(ctx, "VM.version")
			assert.Error(t, err)
		})
	}
	leaktest.Check(t, func() { // an impostor
		require.NoError(t, os.Rename(f.socket(), f.socket()+".away"))
		require.NoError(t, os.WriteFile(f.socket(), nil, 0o600))
		_, err := open()
		assert.ErrorIs(t, err, attach.ErrNotOurs)
		_, err = vm.Command(t.Context(), "VM.version")
		assert.ErrorIs(t, err, attach.ErrNoAnswer)
	})
}
