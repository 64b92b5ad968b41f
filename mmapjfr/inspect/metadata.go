package inspect

import (
	"fmt"
	"strconv"
)

// maxElements bounds how deep elements may nest; package index reads no more.
const maxElements = 64

// metadataHead explains a metadata event up to its strings (FORMAT.md, section
// 4.1), and returns how many there are.
func (a *annotator) metadataHead() int {
	a.head(func(int64) string { return "metadata" })
	a.long("start", "long", a.time)
	a.long("duration", "long", a.span)
	a.long("id", "long", nil)
	return a.count("strings")
}

// metadata explains a metadata event.
func (a *annotator) metadata() {
	n := a.metadataHead()
	var texts []string
	a.depth++
	for i := range n {
		if !a.live() {
			break
		}
		texts = append(texts, a.text(fmt.Sprintf("strings[%d]", i), noType))
	}
	a.depth--
	a.element(texts, 0)
	a.rest("behind the last element")
}

// element explains an element with all inside it.
func (a *annotator) element(texts []string, depth int) {
	if depth > maxElements {
		a.fail(fmt.Sprintf("elements nest deeper than %d", maxElements))
	}
	if !a.live() {
		return
	}
	text := func(i int64) string {
		if i < 0 || i >= int64(len(texts)) {
			a.fail(fmt.Sprintf("there is no string %d", i))
			return ""
		}
		return strconv.Quote(texts[i])
	}
	name := ""
	a.integer("element", func(i int64) string { name = text(i); return name })
	n := a.count("attributes")
	for range n {
		if !a.live() {
			return
		}
		a.integer("attribute", text)
		a.integer("value", text)
	}
	n = a.count("children")
	a.depth++
	for range n {
		if !a.live() {
			break
		}
		a.element(texts, depth+1)
	}
	a.depth--
}
