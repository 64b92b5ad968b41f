package peers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/jfrbench/internal/peers"
)

// TestSourceIsThatOfTheClass: the file must have the class's name for javac, and
// the class must be in no package to be found where javac puts it.
func TestSourceIsThatOfTheClass(t *testing.T) {
	for _, class := range []string{peers.Main, peers.JDKReader, peers.JMCReader, peers.Stacks} {
		source := string(peers.Source(class))
		require.Regexp(t, `(?m)^final class `+class+`( extends Peers.Reader)? \{$`, source)
		require.NotRegexp(t, `(?m)^package `, source)
	}
	require.Panics(t, func() { peers.Source("Nothing") })
}

func TestGrafanaVersion(t *testing.T) {
	require.Regexp(t, `^\d+\.\d+\.\d+$`, peers.GrafanaVersion())
}
