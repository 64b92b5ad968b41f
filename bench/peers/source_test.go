package peers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/bench/peers"
)

// TestSourceIsThatOfTheClass: the file must have the class's name for javac, and
// the class must be in no package to be found where javac puts it.
func TestSourceIsThatOfTheClass(t *testing.T) {
	require.Regexp(t, `(?m)^final class `+peers.Class+` \{$`, string(peers.Source))
	require.NotRegexp(t, `(?m)^package `, string(peers.Source))
}
