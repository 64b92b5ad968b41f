package javaname_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/javaname"
)

func TestAppendClass(t *testing.T) {
	for name, want := range map[string]string{
		"java.lang.String":      "java.lang.String",
		"[I":                    "int[]",
		"[[Ljava.util.Map$Set;": "java.util.Map$Set[][]",
		"":                      "",
		// What is no name of an array stays as it is.
		"[":      "[",
		"[Q":     "[Q",
		"[II":    "[II",
		"[Labc":  "[Labc",
		"[Lab;c": "[Lab;c",
	} {
		assert.Equal(t, want, string(javaname.AppendClass(nil, name)), name)
	}
}

func TestAppendParameters(t *testing.T) {
	for descriptor, want := range map[string]string{
		"()V":                                 "()",
		"(I[Ljava/lang/String;)V":             "(int, String[])",
		"(BCDFIJSZ)V":                         "(byte, char, double, float, int, long, short, boolean)",
		"([[Ljava/util/Map$Entry;LFoo;)LBar;": "(Map$Entry[][], Foo)",
		"(L;)V":                               "()",
		// What is no descriptor stays as it is.
		"":       "",
		"I":      "I",
		"(I":     "(I",
		"(":      "(",
		"(Lab)V": "(Lab)V",
		"([)V":   "([)V",
	} {
		assert.Equal(t, want, string(javaname.AppendParameters(nil, descriptor)), descriptor)
	}
	assert.Equal(t, "run(int)", string(javaname.AppendParameters([]byte("run"), "(I)V")))
}
