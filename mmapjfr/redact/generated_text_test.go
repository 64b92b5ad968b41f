package redact

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// TestTextsTogether makes texts of tokens, keys, addresses and what may stand between them, without a space if it so happens.
// No token is left, and nothing more is found in what a text becomes.
func TestTextsTogether(t *testing.T) {
	edit, forms := ownOf(t).add, exampleForms(t)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(forms)), func(name string) bool {
		return slices.Contains(notFound, name) || slices.Contains(foundApart, name)
	})
	random := rand.New(rand.NewPCG(1, 2))
	among := func(list []string) string { return list[random.IntN(len(list))] }
	signs := []string{"=", ": ", "|", " ", "%3D", `":"`}
	others := []string{
		"ann@acme.com", "10.1.2.3", "/home/annlee/x", "https://u:p@h/x?y=z", "select a from t where b='c'", "user=annlee", "Cookie: a=b; c=d", "Authorization: Odd xyz123",
		"password is hunter2", "password for ann: swordfish", "alter user a identified with x by 'b''c'", "SET PASSWORD = 'x'", "declare @a = N'b'", "select 'x', 5", "API key: abc", "secret (3 bytes)",
		"seed phrase: a b c d e f g h i j k l", "password='a''b'", "IDENTIFIED BY ?",
	}
	for range longtest.Cases(1000, 60_000) {
		re := forms[among(names)]
		token := mixed(re, random)
		parts := []string{token}
		for range 1 + random.IntN(5) {
			parts = append(parts, among([]string{among(before), among(after), among(generatedKeys) + among(signs), among(others), among(generatedValues)}))
		}
		random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		text := strings.Join(parts, "")
		is := edit(text)
		assert.False(t, isLeft(is, strings.TrimPrefix(token, literalStart(re))), "%q became %q", text, is)
	}
}
