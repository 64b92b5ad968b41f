package oracle

import "bytes"

// Cut describes a piece of a file to tests of this package's callers.
type Cut struct {
	Offset, Size int64
	State        byte
}

// Cuts returns the pieces of a file, as they are or as finished.
func Cuts(file []byte, finished bool) []Cut {
	list, err := pieces(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		panic(err)
	}
	if finished {
		list = finishedPieces(list)
	}
	var out []Cut
	for _, p := range list {
		out = append(out, Cut{p.offset, p.size, p.state})
	}
	return out
}

// WriteFinished writes the finished pieces of a file to path.
func WriteFinished(path string, file []byte) error {
	r := bytes.NewReader(file)
	list, err := pieces(r, int64(len(file)))
	if err != nil {
		return err
	}
	return writePieces(path, r, finishedPieces(list)...)
}

var EventFilter = eventFilter
