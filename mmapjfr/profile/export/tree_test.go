package export_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// TestTree draws what weighs most first, and counts what weighs too little.
func TestTree(t *testing.T) {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	for stack, n := range map[string]int64{"a;b": 5000, "a;b;c": 2000, "a;d": 1000, "e": 1500, "f": 40, "g": 1} {
		s := profile.StackID(0)
		for name := range strings.SplitSeq(stack, ";") {
			s = p.Push(s, p.AddText(name))
		}
		p.Add(k.Name, s, p.AddLabels(profile.Labels{}), 1, n)
	}
	var out bytes.Buffer
	o := export.Options{Column: profile.Column{Kind: &k, Value: 1}, Number: func(n int64) string { return strconv.FormatInt(n, 10) }, Name: strings.ToUpper}
	require.NoError(t, export.Write(t.Context(), &out, "tree", p, o))
	assert.Equal(t, `100.0%  9541
├─ 83.8%  8000  A
│  ├─ 73.4%  7000  B
│  │  └─ 21.0%  2000  C
│  └─ 10.5%  1000  D
├─ 15.7%  1500  E
└─ (2 smaller)
`, out.String())
}
