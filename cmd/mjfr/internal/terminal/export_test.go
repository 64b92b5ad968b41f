package terminal

import "io"

// Guarded returns a writer and a style as they are for a terminal of that width.
func Guarded(w io.Writer, width int) (io.Writer, Style) {
	s := Style{Aligned: true, Color: true, Width: width, key: "K3Y"}
	return &guard{w: w, key: s.key}, s
}
