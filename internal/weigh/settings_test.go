package weigh

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLatestSettings keeps the last of each, and no more than there may be, whatever is left out on the way.
func TestLatestSettings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var all, short []SettingAt
	for i := range 50_000 {
		at := SettingAt{offset: uint64(rng.Int64N(1 << 40)), key: settingKey{rng.Int64N(5000), "period"}, value: strconv.Itoa(i)}
		if all, short = append(all, at), append(short, at); len(short) > 2000 {
			short = latest(short)
		}
	}
	old := Settings{{3, "period"}: "3", {4000, "period"}: "4", {6000, "period"}: "5"}
	got := old.With(short)
	assert.Equal(t, old.With(all), got)
	assert.Len(t, got, mostSettings)
}
