package firefox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

// TestHostileRecordings reads the files of recordings that nobody would make.
func TestHostileRecordings(t *testing.T) {
	i := 0
	profiletest.Recordings(t, func(t *testing.T, data []byte) {
		if i++; !longtest.Every(i, 4) {
			return
		}
		rec, err := mmapjfr.OpenBytes(data)
		require.NoError(t, err)
		defer rec.Close()
		write(t, nil, timeline.Options{}, rec)
	})
}
