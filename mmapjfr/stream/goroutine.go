package stream

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutine returns the number of the goroutine that it is called in, which no other one ever
// has. There is no other way to tell a handler that waits for itself from somebody else who
// waits while a handler is under way. It is 0, the number of none, should the runtime write
// stacks in another way than it does.
func goroutine() uint64 {
	var stack [64]byte
	text := stack[:runtime.Stack(stack[:], false)]
	text, _ = bytes.CutPrefix(text, []byte("goroutine "))
	digits, _, _ := bytes.Cut(text, []byte(" "))
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
