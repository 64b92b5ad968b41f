package mmapjfr

import (
	"errors"
	"math"

	"golang.org/x/sys/windows"
)

// promised tells why the system would not give n bytes of memory.
func promised(n int64) error {
	if n > math.MaxInt {
		return windows.ERROR_NOT_ENOUGH_MEMORY
	}
	probe, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return err
	}
	return windows.VirtualFree(probe, 0, windows.MEM_RELEASE)
}

// noRoom tells whether an error says that there are no addresses left.
func noRoom(err error) bool {
	return errors.Is(err, windows.ERROR_NOT_ENOUGH_MEMORY) || errors.Is(err, windows.ERROR_COMMITMENT_LIMIT)
}
