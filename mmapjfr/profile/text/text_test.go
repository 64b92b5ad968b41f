package text_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/text"
)

func TestWrite(t *testing.T) {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	for stack, n := range map[string]int64{"a;b": 50, "a;b;c": 20, "a;d": 10, "e": 15, "f": 4, "g": 1} {
		s := profile.StackID(0)
		for name := range strings.SplitSeq(stack, ";") {
			s = p.Push(s, p.AddText(name))
		}
		p.Add(k.Name, s, p.AddLabels(profile.Labels{}), 1, n)
	}
	var out bytes.Buffer
	o := text.Options{Column: profile.Column{Kind: &k, Value: 1}, Least: 0.05, Number: func(n int64) string { return strconv.FormatInt(n, 10) }, Name: strings.ToUpper}
	require.NoError(t, text.Write(&out, p, o))
	assert.Equal(t, `100.0%  100
├─ 80.0%  80  A
│  ├─ 70.0%  70  B
│  │  └─ 20.0%  20  C
│  └─ 10.0%  10  D
├─ 15.0%  15  E
└─ (2 smaller)
`, out.String())
}
