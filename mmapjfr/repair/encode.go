package repair

import (
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/metatree"
	"github.com/mmapjfr/jfr/internal/wire"
)

// readMetadata reads the string table where the cursor stands, and the tree after it.
// It returns nil if they do not fit, or if a text is null or a constant: the JDK cannot read that.
func readMetadata(cur wire.Cursor) *metatree.Element {
	refused := false
	root, wrong := metatree.Read(&cur, func(_, _ int, t wire.Text) {
		refused = refused || t.Encoding == wire.Null || t.Encoding == wire.Constant
	})
	if wrong != "" || refused {
		return nil
	}
	for region := range root.Named("region") {
		if _, ok := region.Get("dst"); !ok { // as older virtual machines write it
			region.Set("dst", "0")
		}
	}
	return root
}

// same reports whether two elements mean the same. The order of attributes has no meaning, nor has
// that of children with different names.
func same(a, b *metatree.Element) bool {
	return a.Name == b.Name && slices.Equal(sorted(a), sorted(b)) && slices.EqualFunc(grouped(a), grouped(b), same)
}

// layout returns the element of a type without settings and annotations, which do not change how
// values are written.
func layout(e *metatree.Element) *metatree.Element {
	l := &metatree.Element{Name: e.Name, Attrs: e.Attrs}
	for field := range e.Named("field") {
		l.Children = append(l.Children, layout(field))
	}
	return l
}

func grouped(e *metatree.Element) []*metatree.Element {
	return slices.SortedStableFunc(slices.Values(e.Children), func(a, b *metatree.Element) int { return strings.Compare(a.Name, b.Name) })
}

func sorted(e *metatree.Element) []metatree.Attribute {
	return slices.SortedFunc(slices.Values(e.Attrs), func(a, b metatree.Attribute) int {
		return strings.Compare(a.Name+"\x00"+a.Value, b.Name+"\x00"+b.Value)
	})
}
