package index

import (
	"cmp"

	"github.com/mmapjfr/jfr/index/schema"
)

// NewestTypes returns the classes that the newest metadata event of the chunk describes,
// without those that only older ones do. It reads that event again, and allocates.
func (c *Chunk) NewestTypes() ([]*schema.Type, error) {
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
	return types.DescribedBy(t), nil
}
