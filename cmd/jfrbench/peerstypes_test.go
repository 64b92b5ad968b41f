package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/oracle"
)

func TestOnePercent(t *testing.T) {
	for name, c := range map[string]struct {
		types  map[string]uint64
		events uint64
		want   string
	}{
		"nearest":        {map[string]uint64{"a": 880, "b": 14, "c": 7, "d": 99}, 1000, "c"},
		"exactly":        {map[string]uint64{"a": 985, "b": 10, "c": 5}, 1000, "b"},
		"first by name":  {map[string]uint64{"c": 8, "b": 12, "a": 980}, 1000, "b"},
		"rare is better": {map[string]uint64{"a": 999, "b": 1}, 1000, "b"},
		"only one":       {map[string]uint64{"a": 3, "z": 0}, 3, "a"},
		"settings":       {map[string]uint64{"a": 990, settingName: 10}, 1000, "a"},
		"format":         {map[string]uint64{"a": 990, metadataName: 10, checkpointName: 10}, 990, "a"},
		"format 1.0":     {map[string]uint64{"a": 990, "com.oracle." + metadataName: 10, "com.oracle." + checkpointName: 10, "com.oracle." + settingName: 10}, 1000, "a"},
		"nameless":       {map[string]uint64{"a": 990, "7 (missing event metadata)": 10}, 1000, "a"},
		"none":           {map[string]uint64{"a": 0, metadataName: 1}, 0, ""},
		"only settings":  {map[string]uint64{settingName: 10}, 10, ""},
	} {
		t.Run(name, func(t *testing.T) {
			types := map[string]index.EventCount{}
			for name, n := range c.types {
				types[name] = index.EventCount{Events: n}
			}
			require.Equal(t, c.want, onePercent(types, c.events))
		})
	}
}

func TestDifferentTypes(t *testing.T) {
	theirs := map[string]oracle.Count{"a": {Events: 1, Bytes: 10}, "b": {Events: 2, Bytes: 20}, "only theirs": {}}
	ours := map[string]typeJSON{"a": {1, 10}, "b": {2, 20}, "only ours": {}}
	require.NoError(t, differentTypes(theirs, ours))

	ours["b"] = typeJSON{2, 21}
	require.EqualError(t, differentTypes(theirs, ours), "of b the JDK has 2 events in 20 bytes, jfrbench 2 events in 21 bytes")
	ours["a"] = typeJSON{2, 10}
	require.EqualError(t, differentTypes(theirs, ours),
		"of a the JDK has 1 event in 10 bytes, jfrbench 2 events in 10 bytes; 1 more type differ, too")
	delete(ours, "a")
	require.ErrorContains(t, differentTypes(theirs, ours), "jfrbench 0 events in 0 bytes")

	ours = map[string]typeJSON{"a": {1, 10}, "b": {2, 20}, "c": {1, 5}}
	require.ErrorContains(t, differentTypes(theirs, ours), "of c the JDK has 0 events")
}
