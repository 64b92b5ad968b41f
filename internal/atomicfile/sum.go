package atomicfile

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

// SumLength is how many characters a checksum of [Sum] has.
const SumLength = 16

// Sum returns a checksum of the bytes of a file for the name of another one: 16 hexadecimal digits
// of its SHA-256. It reads all of the file.
func Sum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:SumLength/2]), nil
}
