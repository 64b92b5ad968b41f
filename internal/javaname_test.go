package internal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/javaname"
)

func TestJavanameAppendClass(t *testing.T) {
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

func TestJavanameAppendParameters(t *testing.T) {
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

func TestJavanameStable(t *testing.T) {
	for name, want := range map[string]string{
		"T$$Lambda+0x00000000b8001200":                "T$$Lambda",
		"T$$Lambda/0x00000000b8001200":                "T$$Lambda",
		"a.T$$Lambda.0x00000000b8001200":              "a.T$$Lambda",
		"T$$Lambda$88+0x00007f042c007a08.360062456":   "T$$Lambda",
		"T$$Lambda$14/1234567":                        "T$$Lambda",
		"java.lang.invoke.LambdaForm$MH+0x0000Ab/123": "java.lang.invoke.LambdaForm$MH",
		"a.B":       "a.B",
		"a.B$1":     "a.B$1",
		"a.B$$1":    "a.B$$1",
		"a.b2.C3":   "a.b2.C3",
		"":          "",
		"a.":        "a.",
		"[B":        "[B",
		"a.B+2x":    "a.B+2x",
		"x.0xZ":     "x.0xZ",
		"Größe/0x1": "Größe",
	} {
		assert.Equal(t, want, javaname.Stable(name), name)
	}
}
