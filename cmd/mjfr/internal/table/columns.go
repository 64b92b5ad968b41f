package table

import (
	"fmt"
	"strings"

	"github.com/mmapjfr/jfr/internal/javatext"
)

// InColumns returns texts in columns, one column after the other, each as wide as its longest text.
func InColumns(list []string, columns int) string {
	height := (len(list) + columns - 1) / columns
	var b strings.Builder
	for row := range height {
		for c := range columns {
			part := list[min(c*height, len(list)):min((c+1)*height, len(list))]
			width := 0
			for _, text := range part {
				width = max(width, javatext.Len(text))
			}
			if row < len(part) {
				fmt.Fprintf(&b, " %s%s", part[row], strings.Repeat(" ", width-javatext.Len(part[row])))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
