// Package docs has pages of documentation that commands show.
package docs

import (
	"embed"
	"regexp"
)

//go:embed QUERY.md COLUMNS.md SQL.md
var pages embed.FS

var link = regexp.MustCompile(`\[([^\]\n]+)\]\([^)\n]+\)`)

// Text returns a page of this folder, such as SQL.md, for a terminal: links are their texts alone.
// It is empty if no command shows that page.
func Text(name string) string {
	page, _ := pages.ReadFile(name)
	return link.ReplaceAllString(string(page), "$1")
}
