package mmapjfr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/wire"
)

// skipIfChecked skips a test of what holds in ordinary builds alone: those that check
// themselves allocate for it, and panic where others answer with nothing.
func skipIfChecked(t testing.TB, why string) {
	t.Helper()
	if wire.Debug {
		t.Skip("the build checks itself: " + why)
	}
}

// lateUse runs what uses a view when its recording is closed. It ends by itself; in
// builds that check themselves it panics, and says so.
func lateUse(t testing.TB, accessor string, do func()) {
	t.Helper()
	if !wire.Debug {
		do()
		return
	}
	defer func() {
		t.Helper()
		require.Regexp(t, "^mmapjfr: "+accessor+" is called (after|on) ", recover())
	}()
	do()
	require.Fail(t, "it goes on", accessor)
}
