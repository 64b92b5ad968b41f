package at

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/timespec"
)

// position is a position in a recording as people name it.
type position struct {
	text string
	kind kind
	n    uint64 // the offset or the ordinal
}

// kind is what a position names.
type kind uint8

const (
	byOffset kind = iota
	byOrdinal
	byTime
)

const positionForms = "take an offset such as 0x6afc, '#5' for the event with five others before it, or " + timespec.Forms

// parsePosition reads a position.
func parsePosition(text string) (p position, err error) {
	p.text = text
	if ordinal, ok := strings.CutPrefix(text, "#"); ok {
		p.kind = byOrdinal
		p.n, err = strconv.ParseUint(ordinal, 10, 64)
	} else if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		p.n, err = strconv.ParseUint(hex, 16, 64)
	} else if p.n, err = strconv.ParseUint(text, 10, 64); err != nil {
		p.kind = byTime
		var some time.Time // whether it is a time does not depend on the recording
		_, err = timespec.Parse(text, some, some, time.UTC)
	}
	if err != nil {
		return p, fmt.Errorf("%q is not a position; %s", text, positionForms)
	}
	return p, nil
}
