package progress

import (
	"io"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// line is a line of a terminal that is written again and again. It writes nothing before a point in
// time. It never writes more than fits, because the rest would go to the next line and stay there.
type line struct {
	w     io.Writer
	from  time.Time
	width func() int // tests set it
}

func (l *line) Write(p []byte) (int, error) {
	if time.Now().Before(l.from) {
		return len(p), nil
	}
	text := string(p)
	if width := l.columns(); width > 1 { // the last column stays free
		if strings.Trim(text, " \r") == "" {
			// Clear the whole line, with anything that the terminal has put after the bar, such as
			// ^C.
			text = "\r" + strings.Repeat(" ", width-1) + "\r"
		}
		text = fit(text, width-1)
	}
	if _, err := io.WriteString(l.w, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// columns asks each time, because people resize windows.
func (l *line) columns() int {
	if l.width != nil {
		return l.width()
	}
	if f, ok := l.w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// fit shortens each part between carriage returns to the width.
func fit(text string, width int) string {
	cut, column := make([]rune, 0, len(text)), 0
	for _, r := range text {
		if r == '\r' {
			column = 0
		} else if column += runewidth.RuneWidth(r); column > width {
			continue
		}
		cut = append(cut, r)
	}
	return string(cut)
}
