package peers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/bench/peers"
)

// TestSourceIsThatOfTheClass: the file must have the class's name for javac, and
// the class must be in no package to be found where javac puts it.
func TestSourceIsThatOfTheClass(t *testing.T) {
	for class, source := range map[string][]byte{peers.Class: peers.Source, peers.StacksClass: peers.StacksSource} {
		require.Regexp(t, `(?m)^final class `+class+` \{$`, string(source))
		require.NotRegexp(t, `(?m)^package `, string(source))
	}
}
