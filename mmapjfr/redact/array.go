package redact

import (
	"context"

	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// Array returns what edits an array of integers that may hold a text, as an array of byte does: of the pieces that rules
// find only zeros are left, whatever their actions are, so that the array is as long as before.
func (r *Redactor) Array(of rewrite.Place) rewrite.ArrayEdit {
	f := r.field(of)
	if len(f.prog.steps) == 0 || f.numberRule(of) >= 0 {
		return nil
	}
	return f.editArray
}

// editArray edits numbers that are characters of ASCII or bytes of UTF-8, alone or with a zero before or after each.
func (f *field) editArray(ctx context.Context, numbers []int64) bool {
	if len(numbers) < shortestText {
		return false
	}
	changed := f.editUnits(ctx, numbers, 1)
	for first := range 2 {
		changed = isWide(numbers, first) && f.editUnits(ctx, numbers[first:], 2) || changed
	}
	return changed
}

// isWide reports whether every second number is zero, and those from first are characters.
func isWide(numbers []int64, first int) bool {
	zeros := 0
	for i := 1 - first; i < len(numbers); i += 2 {
		if numbers[i] == 0 {
			zeros++
		}
	}
	return len(numbers) >= 2*shortestText && zeros >= len(numbers)/4
}

// editUnits edits the text of which each character is width numbers after the one before.
func (f *field) editUnits(ctx context.Context, numbers []int64, width int) bool {
	text := make([]byte, 0, (len(numbers)+width-1)/width)
	for i := 0; i < len(numbers); i += width {
		switch n := numbers[i]; {
		case 0 <= n && n < 0x80, -0x80 <= n && n < 0:
			text = append(text, byte(n))
		default:
			text = append(text, 0x80) // a part of a word, as all that is not ASCII
		}
	}
	s := searches.Get().(*search)
	defer searches.Put(s)
	s.pieces = s.pieces[:0]
	view := string(text)
	has, digits := featuresOf(view)
	f.prog.search(ctx, s, view, has, digits)
	changed := false
	for _, p := range ordered(s.pieces) {
		if f.r.env.isMark(view[p.from:p.to]) {
			continue
		}
		f.counts[p.rule].Add(1)
		for i := p.from; i < p.to; i++ {
			changed = changed || numbers[i*width] != 0
			numbers[i*width] = 0
		}
	}
	return changed
}
