package firefox_test

import (
	"testing"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

// TestHostileRecordings reads the files of recordings that nobody would make.
func TestHostileRecordings(t *testing.T) {
	i := 0
	profiletest.Recordings(t, func(t *testing.T, data []byte) {
		if i++; !longtest.Every(i, 4) {
			return
		}
		rec := opentest.Bytes(t, data)
		write(t, nil, timeline.Options{}, rec)
	})
}
