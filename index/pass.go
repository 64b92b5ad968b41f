package index

// pass is work that goes through much of a chunk and is done once: what it finds is
// kept. A file that is cut while it is mapped ends such work by a panic, each time that
// it is tried. So the panic is kept, too, and those who ask again get it at once: what a
// reader of many values costs stays in proportion to the bytes.
//
// The mutex of the chunk guards it.
type pass struct {
	failure any
}

// run calls do, unless it has panicked before: then it panics with the same value.
func (p *pass) run(do func()) {
	if p.failure != nil {
		panic(p.failure)
	}
	defer func() {
		if failure := recover(); failure != nil {
			p.failure = failure
			panic(failure)
		}
	}()
	do()
}
