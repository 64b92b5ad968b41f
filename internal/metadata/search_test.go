package metadata_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/metadata"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// found returns what a search finds: names of types, and of fields after a dot.
func found(list []metadata.Match) (names []string) {
	for _, m := range list {
		if m.Itself {
			names = append(names, m.Name)
		}
		for _, f := range m.Fields {
			names = append(names, m.Name+"."+f.Name)
		}
	}
	return names
}

func TestSearch(t *testing.T) {
	types := catalog(t, "jdk25-profile").Types(metadata.Options{})
	for text, want := range map[string][]string{
		"NEWRATIO":              {"jdk.YoungGenerationConfiguration.newRatio"},
		"dynamicCOMPILER":       {"jdk.CompilerConfiguration.dynamicCompilerThreadCount"},
		"tlab refill waste":     {"jdk.GCTLABConfiguration.tlabRefillWasteLimit"},
		"recent cpu usage of ":  {"jdk.CPULoad"},
		"gen.stacks$":           {"gen.Stacks$Here"},
		"promoted to Old space": {"jdk.PromoteObjectInNewPLAB.tenured", "jdk.PromoteObjectOutsidePLAB.tenured"},
		"no such text":          nil,
	} {
		got := found(metadata.Search(types, text))
		assert.Equal(t, want, got, text)
	}
	assert.Contains(t, found(metadata.Search(types, "java applic")), "jdk.ThreadStart", "by its category")
	matches := metadata.Search(types, "cpu load")
	require.NotEmpty(t, matches)
	assert.Equal(t, []string{"Operating System", "Processor"}, matches[0].Category)
}

func TestTypesAsJSON(t *testing.T) {
	types := catalog(t, "jdk25-kinds").Types(only(mmapjfr.Types("gen.named.*", "jdk.CPULoad", "*UnsignedNumbers", "*Filtered")))
	require.Len(t, types, 4)
	text, err := json.Marshal(types)
	require.NoError(t, err)
	var list []map[string]any
	require.NoError(t, json.Unmarshal(text, &list))
	byName := map[string]map[string]any{}
	for _, typ := range list {
		byName[typ["name"].(string)] = typ
	}
	load := byName["jdk.CPULoad"]
	assert.Equal(t, "CPU Load", load["label"])
	assert.Equal(t, "jdk.jfr.Event", load["super"])
	assert.Equal(t, []any{"Operating System", "Processor"}, load["category"])
	assert.Equal(t, map[string]any{"name": "jvmUser", "type": "float", "typeId": 236.0, "unit": "percentage", "label": "JVM User",
		"annotations": []any{
			map[string]any{"type": "jdk.jfr.Percentage"},
			map[string]any{"type": "jdk.jfr.Label", "values": map[string]any{"value": "JVM User"}},
		}}, load["fields"].([]any)[1])
	assert.Contains(t, load["settings"], map[string]any{"name": "period", "type": "jdk.settings.Period", "typeId": 1618.0,
		"default": "everyChunk"})
	var everything map[string]any
	for _, a := range byName["gen.named.Some_Name$1"]["annotations"].([]any) {
		if a := a.(map[string]any); a["type"] == "gen.Everything" {
			everything = a["values"].(map[string]any)
		}
	}
	assert.Equal(t, map[string]any{
		"i": -2147483648.0, "b": -128.0, "s": -32768.0, "c": "<", "f": 1.4e-45, "l": -9223372036854775808.0, "d": "NaN",
		"z": true, "text": "\"quotes\" & <tags>\né 日 😀", "ints": []any{1.0, -1.0}, "none": []any{},
		"texts": []any{"one", "", "three"},
	}, everything)
	assert.Contains(t, string(text), `"values":{"i":-2147483648,"b":-128,`, "in the order of the declaration")
	assert.Contains(t, string(text), `"unsigned":true`)
	assert.Contains(t, string(text), `"constant":true`)
}
