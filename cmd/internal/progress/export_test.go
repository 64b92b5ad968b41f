package progress

// On makes the bar believe that its terminal is so wide.
func (b *Bar) On(width int) { b.out.width = func() int { return width } }
