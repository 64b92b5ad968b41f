package schema

// IDTable finds the ordinals of classes, for tests.
type IDTable struct{ t idTable }

// NewIDTable returns a table for n classes.
func NewIDTable(n int) *IDTable { return &IDTable{newIDTable(n)} }

// Set enters an id.
func (t *IDTable) Set(id TypeID, ordinal int) { t.t.set(id, ordinal) }

// Lookup finds an id.
func (t *IDTable) Lookup(id TypeID) (ordinal int, ok bool) { return t.t.lookup(id) }
