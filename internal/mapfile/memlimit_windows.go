package mapfile

import (
	"errors"
	"math"

	"golang.org/x/sys/windows"
)

// askForMemory returns why the system would not give the program n bytes of memory.
func askForMemory(n int64) error {
	if n > math.MaxInt {
		return windows.ERROR_NOT_ENOUGH_MEMORY
	}
	probe, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return err
	}
	return windows.VirtualFree(probe, 0, windows.MEM_RELEASE)
}

// isOutOfMemory reports whether an error says that there are no addresses left.
func isOutOfMemory(err error) bool {
	return errors.Is(err, windows.ERROR_NOT_ENOUGH_MEMORY) || errors.Is(err, windows.ERROR_COMMITMENT_LIMIT)
}
