package tui

import "time"

// Model is what the screen shows.
type Model = model

// NewModel returns one of that size.
func NewModel(source Source, width, height int) *Model {
	m := newModel(source)
	m.resize(width, height)
	return m
}

// Press presses keys and reports whether the screen is to end.
func (m *model) Press(keys ...string) (quit bool) {
	for _, key := range keys {
		text := ""
		if len([]rune(key)) == 1 {
			text = key
		}
		quit = m.press(key, text)
	}
	return quit
}

// Paste pastes a text.
func (m *model) Paste(text string) { m.paste(text) }

// Refresh looks at the source.
func (m *model) Refresh() { m.refresh() }

// Resize makes it another size.
func (m *model) Resize(width, height int) { m.resize(width, height) }

// Render returns the screen.
func (m *model) Render() string { return m.render() }

// How numbers and names are written.
var (
	Rate    = rate
	Percent = percent
	Span    = duration
	Age     = func(d time.Duration) string { return age(d) }
	Bytes   = bytes
	Shorten = shorten
	Spark   = spark
	Bar     = bar
)
