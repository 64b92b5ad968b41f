package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// schema is a part of a JSON schema, with the words that speedscope's schema has.
type schema struct {
	Ref         string `json:"$ref"`
	Type        string
	Const       any
	Enum        []any
	Required    []string
	Properties  map[string]*schema
	Items       *schema
	AnyOf       []*schema
	Definitions map[string]*schema
	Title       string
	Schema      string `json:"$schema"`
}

// check returns where a value does not fit, or "".
func (s *schema) check(root *schema, at string, v any) string {
	if s.Ref != "" {
		return root.Definitions[strings.TrimPrefix(s.Ref, "#/definitions/")].check(root, at, v)
	}
	wrong := fmt.Sprintf("%s: %v does not fit", at, v)
	if s.Const != nil && s.Const != v {
		return wrong
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		return wrong
	}
	for _, one := range s.AnyOf {
		if wrong = one.check(root, at, v); wrong == "" {
			break
		}
	}
	if len(s.AnyOf) > 0 && wrong != "" {
		return wrong
	}
	is := ""
	switch v := v.(type) {
	case map[string]any:
		is = "object"
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				return at + " lacks " + name
			}
		}
		for name, value := range v {
			if p := s.Properties[name]; p != nil {
				if wrong := p.check(root, at+"."+name, value); wrong != "" {
					return wrong
				}
			}
		}
	case []any:
		is = "array"
		for i, value := range v {
			if s.Items != nil {
				if wrong := s.Items.check(root, fmt.Sprintf("%s[%d]", at, i), value); wrong != "" {
					return wrong
				}
			}
		}
	case string:
		is = "string"
	case float64:
		is = "number"
	}
	if s.Type != "" && s.Type != is {
		return fmt.Sprintf("%s: %v is no %s", at, v, s.Type)
	}
	return ""
}

// TestSchema checks files against the schema of speedscope 1.25, which its npm package holds.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("testdata/speedscope-schema.json")
	require.NoError(t, err)
	var s schema
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // a newer schema may have words that check does not know
	require.NoError(t, d.Decode(&s))
	check := func(text []byte) string {
		var v any
		require.NoError(t, json.Unmarshal(text, &v))
		return s.check(&s, "file", v)
	}
	for _, name := range []string{"jdk17-profile", "jdk25-profile", "jdk25-cputime", "jdk25-virtual", "jdk25-empty"} {
		rec, err := mmapjfr.Open("../../../testdata/" + name + ".jfr")
		require.NoError(t, err)
		p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, export.Write(t.Context(), &out, "speedscope", p, export.Options{Title: name}))
		assert.Empty(t, check(out.Bytes()), name)
		require.NoError(t, rec.Close())
	}
	// What does not fit is found.
	const fits = `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","name":"x","unit":"none","startValue":0,"endValue":1,"samples":[[0]],"weights":[1]}]}`
	require.Empty(t, check([]byte(fits)))
	for _, change := range [][2]string{{`"none"`, `"count"`}, {`"endValue":1,`, ``}, {`[[0]]`, `[0]`}, {`"name":"a"`, `"name":1`}, {`"sampled"`, `"other"`}, {`"profiles"`, `"profile"`}} {
		assert.NotEmpty(t, check([]byte(strings.Replace(fits, change[0], change[1], 1))), change[1])
	}
}
