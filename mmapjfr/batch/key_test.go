package batch_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// TestOrderOfValues has lists in the order in which people read them.
func TestOrderOfValues(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, want := range [][]string{
		{"", "1.9", "1.9.1", "1.10-SNAPSHOT", "1.10-rc1", "1.10-rc2", "1.10-rc10", "1.10", "1.10-1", "1.10.1", "2"},
		{"2026-11", "2026-11-02", "2026-11-20", "2026-12-01"},
		{"001", "01", "1", "2", "18446744073709551615", "18446744073709551616", "100000000000000000000"},
		{"Shop", "cart", "cart2", "cart10", "shop", "shop-eu", "ä"},
		{"17.0.9+9", "17.0.10+7", "21-ea", "21", "21.0.1"},
		{"-", "-1", "-a", "1-", "1-2", "1.", "1a"},
	} {
		for range 50 {
			got := slices.Clone(want)
			random.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
			slices.SortFunc(got, batch.CompareValues)
			require.Equal(t, want, got)
		}
	}
}

// TestOrderOfValuesIsOne compares many values of few letters with each other: their order is one that can be sorted by.
func TestOrderOfValuesIsOne(t *testing.T) {
	list := []string{""}
	for i := 0; len(list) < 600; i++ {
		for _, c := range []string{"0", "1", "9", "-", "a", "."} {
			list = append(list, list[i]+c)
		}
	}
	slices.SortFunc(list, batch.CompareValues)
	for i := range list {
		for j := range list {
			if got, want := batch.CompareValues(list[i], list[j]), min(max(i-j, -1), 1); got != want {
				t.Fatalf("%q and %q: %d, not %d", list[i], list[j], got, want)
			}
		}
	}
}

func TestOrderOfKeys(t *testing.T) {
	key := func(service, version string) []batch.Label {
		return []batch.Label{{Name: "service", Value: service}, {Name: "version", Value: version}}
	}
	assert.Negative(t, batch.CompareKeys(key("a", "1.9"), key("a", "1.10")))
	assert.Negative(t, batch.CompareKeys(key("a", "2"), key("b", "1")))
	assert.Zero(t, batch.CompareKeys(key("a", "2"), key("a", "2")))
	assert.Zero(t, batch.CompareKeys(nil, nil))
}

// TestDifferentKeysHaveDifferentTexts has values that look like other labels.
func TestDifferentKeysHaveDifferentTexts(t *testing.T) {
	values := []string{"", "x", "x date=y", "y date=z", "z", `"x"`, `"x date=y"`, "x ", "date=z", `x\" date=y`, "büro", "a b"}
	seen := make(map[string][2]string)
	for _, a := range values {
		for _, b := range values {
			text := batch.KeyText([]batch.Label{{Name: "service", Value: a}, {Name: "date", Value: b}})
			require.NotContains(t, seen, text, "%q %q", a, b)
			seen[text] = [2]string{a, b}
		}
	}
	assert.Equal(t, "service=shop date=2026-11-20", batch.KeyText([]batch.Label{{Name: "service", Value: "shop"}, {Name: "date", Value: "2026-11-20"}}))
}
