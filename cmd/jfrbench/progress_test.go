package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
)

func TestStagesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		show := progress.New(&out)
		time.Sleep(2 * progress.Patience)
		showStage(show, "layout", 4_000_000_000)
		show.Set(1_000_000_000)
		time.Sleep(progress.Patience)
		show.Set(2_000_000_000)
		assert.Contains(t, out.String(), "5/6 layout")
		assert.Contains(t, out.String(), " 50% ")
	})
}

func TestGenProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		show := newWriting(&out, 4_000_000_000)
		show.Set(1)
		assert.Empty(t, out.String(), "too early")
		time.Sleep(2 * progress.Patience)
		show.Set(2_000_000_000)
		assert.Contains(t, out.String(), "writing")
		assert.Contains(t, out.String(), " 50% ")
		show.Done()
		shown := out.String()
		assert.Equal(t, "\r", shown[len(shown)-1:])
	})
}
