package internal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/labels"
)

func TestLabelsPaths(t *testing.T) {
	type values = map[string]string
	for _, c := range []struct {
		template, path string
		want           values
	}{
		{"", "a/b.jfr", values{}},
		{"", "x/zone=eu/k=v.jfr", values{"zone": "eu"}},
		{"{service}/{date}/{host}.jfr", "s3/zone=eu/shop/2026-11-20/h1.jfr.zst", values{"service": "shop", "date": "2026-11-20", "host": "h1", "zone": "eu"}},
		{"{service}/{date}/{host}.jfr", "h1.jfr", values{}},
		{"{service}/*/{a.b-c}-*.jfr", "shop/x/h1-77.jfr", values{"service": "shop", "a.b-c": "h1"}},
		{"{zone}/*.jfr", "zone=eu/us/a.jfr", values{"zone": "us"}},
		{"{s}/{host}/*.jfr", "https://h/zone%3D%C3%A4/shop/gr%C3%B6%C3%9Fe%2Fx/a%20b.jfr?sig=1/2", values{"zone": "ä", "s": "shop", "host": "gr%C3%B6%C3%9Fe%2Fx"}},
		{"{s}/{host}/*.jfr", "s3://b/a%20b/h/x.jfr", values{"s": "a%20b", "host": "h"}},
		{"{a}.{b}.jfr", "x.y.z.jfr", values{"a": "x", "b": "y.z"}},
	} {
		parsed, err := labels.Parse(c.template)
		require.NoError(t, err, c.template)
		assert.Equal(t, c.want, parsed.Of(c.path), c.template)
	}
}

func TestLabelsWrongTemplates(t *testing.T) {
	for template, want := range map[string]string{
		"a/b.jfr": "has no label", "{a": "a brace is missing", "{}/x": "{} is not a label name", "{a b}/x": "is not a label name", "{a}/{a}": "two labels {a}",
	} {
		_, err := labels.Parse(template)
		require.ErrorContains(t, err, want, template)
	}
}
