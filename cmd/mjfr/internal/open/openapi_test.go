package open

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// schema is a part of a description of answers.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       any               `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
}

// described is the part of openapi.json that is tested.
type described struct {
	Paths map[string]struct {
		Get, Post operation
	} `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

// operation is a request of a path.
type operation struct {
	Parameters []struct {
		Name string `json:"name"`
	} `json:"parameters"`
	Responses map[string]struct {
		Content map[string]struct {
			Schema schema `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

// schema returns what the answer to an operation is.
func (o operation) schema() schema { return o.Responses["200"].Content["application/json"].Schema }

// check fails if a value is not as the description says.
func (d *described) check(t *testing.T, s schema, value any, at string) {
	t.Helper()
	if name, is := strings.CutPrefix(s.Ref, "#/components/schemas/"); is {
		s, is = d.Components.Schemas[name]
		require.True(t, is, "%s: there is no %s", at, name)
	}
	kinds, several := s.Type.([]any)
	if !several {
		kinds = []any{s.Type}
	}
	switch value := value.(type) {
	case nil:
		assert.Contains(t, kinds, "null", at)
	case string:
		assert.Contains(t, kinds, "string", at)
	case bool:
		assert.Contains(t, kinds, "boolean", at)
	case float64:
		assert.True(t, slices.Contains(kinds, any("number")) || slices.Contains(kinds, any("integer")) && value == float64(int64(value)), "%s: %v", at, value)
	case []any:
		require.Contains(t, kinds, "array", at)
		if s.Items != nil {
			for i, v := range value {
				d.check(t, *s.Items, v, fmt.Sprintf("%s[%d]", at, i))
			}
		}
	case map[string]any:
		require.Contains(t, kinds, "object", at)
		for name, v := range value {
			if of, ok := s.Properties[name]; assert.True(t, ok, "%s.%s is not described", at, name) {
				d.check(t, of, v, at+"."+name)
			}
		}
		for _, name := range s.Required {
			assert.Contains(t, value, name, at)
		}
	}
}

// TestDescription asks for each path, and compares the answer with the description.
func TestDescription(t *testing.T) {
	var d described
	require.NoError(t, json.Unmarshal(description, &d))
	x := explore(t, "jdk25-profile.jfr")
	page := must(t, x, "/api/events", "type", "jdk.ThreadPark")
	offset := page["at"].([]any)[0].(map[string]any)["offset"].(string)
	parameters := map[string][]string{
		"/api/query":  {"view", "gc"},
		"/api/events": {"type", "jdk.ThreadPark"},
		"/api/event":  {"offset", offset},
		"/api/lane":   {"name", "main", "id", "1", "around", "1e5", "at", fmt.Sprintf("%f", must(t, x, "/api/recording")["start"])},
	}
	for path, of := range d.Paths {
		if path == "/flamegraph" || path == "/api/live" || strings.HasPrefix(path, "/api/jvm") {
			continue // no JSON, and those of running JVMs
		}
		d.check(t, of.Get.schema(), any(must(t, x, path, parameters[path]...)), path)
		for _, p := range parameters[path] {
			assert.NotEmpty(t, p)
		}
	}
	for _, wrong := range [][]string{{"/api/query", "q", "nonsense"}, {"/api/events"}, {"/api/nothing"}} {
		status, answer := ask(t, x, wrong[0], wrong[1:]...)
		assert.NotEqual(t, http.StatusOK, status)
		d.check(t, d.Components.Schemas["error"], any(answer), wrong[0])
	}
	assert.Len(t, d.Paths, 18, "each path of the handler is described")
}
