package otlp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestHostile has OpenTelemetry's module read profiles that nobody would make.
func TestHostile(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		for _, f := range written(t, p).Dictionary.FunctionTable[1:] {
			require.NotZero(t, f.NameStrindex)
		}
	})
}
