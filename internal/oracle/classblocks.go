package oracle

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// ClassText is one block of jfr metadata. Text is overwritten when the next block is asked for.
type ClassText struct {
	Name string // with its package
	Text []byte // canonical
}

var errClassBlock = errors.New("oracle: not the output of jfr metadata")

// SplitClasses returns the blocks in the output of jfr metadata, in its order. The
// last pair has an error if reading fails or the output is not of the expected form.
//
// The output quotes nothing, so a label that spans lines is taken as it comes; only one that
// contains a line with a single brace, followed by an empty line, would cut its block in two.
func SplitClasses(r io.Reader) iter.Seq2[ClassText, error] {
	return func(yield func(ClassText, error) bool) {
		if err := splitClasses(bufio.NewReader(r), yield); err != nil {
			yield(ClassText{}, err)
		}
	}
}

func splitClasses(r *bufio.Reader, yield func(ClassText, error) bool) error {
	var block []byte
	braced := false // the last line of block is a closing brace
	for {
		line, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("oracle: reading classes: %w", err)
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) > 0 || len(block) > 0 && !braced {
			block = append(append(block, line...), '\n')
			braced = string(line) == "}"
		}
		if braced && (len(line) == 0 || err == io.EOF) {
			block = bytes.TrimSuffix(block, []byte("\n"))
			name, nerr := className(block)
			if nerr != nil {
				return nerr
			}
			if !yield(ClassText{name, block}, nil) {
				return nil
			}
			block, braced = block[:0], false
		}
		if err == io.EOF {
			break
		}
	}
	if len(block) > 0 {
		return fmt.Errorf("%w: a block that does not end: %.100q", errClassBlock, block)
	}
	return nil
}

// className returns the full name of a block. It is in the @Name that comes first;
// a class outside packages has none and is named by its class line alone.
func className(block []byte) (string, error) {
	first, _, _ := strings.Cut(string(block), "\n")
	if name, ok := cutAround(first, `@Name("`, `")`); ok {
		return name, nil
	}
	for line := range strings.Lines(string(block)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := cutAround(line, "class ", " {"); ok {
			if i := strings.LastIndex(name, " extends "); i >= 0 {
				name = name[:i]
			}
			return name, nil
		}
	}
	return "", fmt.Errorf("%w: a block without a class: %.100q", errClassBlock, block)
}

func cutAround(s, prefix, suffix string) (string, bool) {
	s, ok := strings.CutPrefix(s, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(s, suffix)
}
