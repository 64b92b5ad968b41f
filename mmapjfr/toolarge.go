package mmapjfr

import (
	"fmt"
	"math/bits"
)

// noAddresses returns the error of a file that there are not enough addresses for. The
// cause is what the system said, if it was asked.
func noAddresses(path string, size int64, cause error) error {
	return tooLarge("map", path, size, "the address space that this program has is too small", cause)
}

// noMemory returns the error of a file that there is not enough memory for.
func noMemory(path string, size int64, cause error) error {
	return tooLarge("copy", path, size, "it does not fit into memory", cause)
}

func tooLarge(verb, path string, size int64, why string, cause error) error {
	way := "read it piece by piece through ReadLive, or split it with jfr disassemble"
	if bits.UintSize == 32 {
		way = "open it with a 64-bit program, or " + way
	}
	err := fmt.Errorf("mmapjfr: cannot %s %s, of %d bytes: %w: %s; %s", verb, path, size, ErrUnsupported, why, way)
	if cause != nil {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return err
}
