package stream_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// No test may leak a goroutine.
func TestMain(m *testing.M) {
	if os.Getenv(processEnv) != "" {
		beProcess()
		return
	}
	goleak.VerifyTestMain(m)
}
