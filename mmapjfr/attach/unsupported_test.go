package attach_test

import (
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

func TestWhereThereIsNothing(t *testing.T) {
	if runtime.GOOS == "linux" || runtime.GOOS == "darwin" {
		t.Skip("JVMs can be attached to here")
	}
	_, err := attach.List()
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = attach.Open(t.Context(), os.Getpid())
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}
