package javatext

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHashOrder has hashes that were put into maps of Java, and the order in which these had them:
// random ones, many that differ in few bits, as those of methods of hidden classes do, and many in
// one bucket.
func TestHashOrder(t *testing.T) {
	data, err := os.ReadFile("testdata/hashmaps.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		in, out, _ := strings.Cut(strings.TrimSpace(line), ";")
		var hashes []int32
		for _, text := range strings.Fields(in) {
			n, err := strconv.ParseInt(text, 10, 32)
			require.NoError(t, err)
			hashes = append(hashes, int32(n))
		}
		var got []string
		for _, at := range HashOrder(hashes, false) {
			got = append(got, strconv.Itoa(at))
		}
		assert.Equal(t, out, strings.Join(got, " "))
	}
}

// TestHashOrderOfAFullMap puts a key again into a map that the last key has filled, as a map of
// Java 25 has it.
func TestHashOrderOfAFullMap(t *testing.T) {
	hashes := []int32{1, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 21}
	for again, want := range map[bool][]int32{
		false: {16, 1, 18, 19, 21, 8, 9, 10, 11, 12, 13, 14, 15},
		true:  {1, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 21},
	} {
		var got []int32
		for _, at := range HashOrder(hashes, again) {
			got = append(got, hashes[at])
		}
		assert.Equal(t, want, got)
	}
}
