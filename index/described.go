package index

import "cmp"

// Described returns the classes that the newest metadata event of the chunk describes,
// without those that only older ones do. It reads that event again, and allocates.
func (c *Chunk) Described() ([]*Class, error) {
	if c.lender != nil {
		return c.lender.Described()
	}
	types, err := c.Types()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	ev, err := c.readMetadataEvent(cmp.Or(c.older, c.metadataOffset()))
	if err != nil {
		return nil, err
	}
	t, err := c.readTree(ev)
	if err != nil {
		return nil, err
	}
	var classes []*Class
	seen := make(map[*Class]bool)
	t.children(0, "metadata", func(metadata int) {
		t.children(metadata, "class", func(e int) {
			id, ok := t.elements[e].id("id")
			if class := types.Class(id); ok && class != nil && !seen[class] {
				seen[class] = true
				classes = append(classes, class)
			}
		})
	})
	return classes, nil
}
