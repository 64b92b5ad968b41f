package index

import "cmp"

// NewestTypes returns the classes that the newest metadata event of the chunk describes,
// without those that only older ones do. It reads that event again, and allocates.
func (c *Chunk) NewestTypes() ([]*Type, error) {
	if c.lender != nil {
		return c.lender.NewestTypes()
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
	var classes []*Type
	seen := make(map[*Type]bool)
	t.children(0, "metadata", func(metadata int) {
		t.children(metadata, "class", func(e int) {
			id, ok := t.elements[e].id("id")
			if class := types.ByID(id); ok && class != nil && !seen[class] {
				seen[class] = true
				classes = append(classes, class)
			}
		})
	})
	return classes, nil
}
