package oracle

// Cut describes a piece of a file to tests of this package's callers.
type Cut struct {
	Offset, Size int
	State        byte
}

// Cuts returns the pieces of a file, as they are or as finished.
func Cuts(file []byte, finished bool) []Cut {
	list := pieces(file)
	if finished {
		list = finishedPieces(list)
	}
	var out []Cut
	for _, p := range list {
		out = append(out, Cut{p.offset, p.size, p.state})
	}
	return out
}

var EventFilter = eventFilter
