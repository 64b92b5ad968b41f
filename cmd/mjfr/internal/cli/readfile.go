package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mmapjfr/jfr/internal/javatext"
)

// MaxText is how many bytes a file may have that a person writes: a script, rules, a token.
const MaxText = 16 << 20

// ReadFile reads a file that a flag names, or returns an error if it has more than most bytes: it
// can be a device without end.
func ReadFile(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := ReadAll(f, name, most)
	return data, errors.Join(err, f.Close())
}

// ReadAll does it for what is open already. The name is for errors.
func ReadAll(r io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: it has more than %s, which is too much here; check that it is the right file", name, javatext.Size(most))
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
