package stream

import (
	"context"
	"io"
	"os"

	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// chunks are those that a virtual machine has at a moment.
type chunks struct {
	dir   string // "" before it has recorded anything
	files []repository.File
}

// chunksOf returns those of a virtual machine.
func chunksOf(ctx context.Context, vm *attach.VM) (chunks, error) {
	dir, err := vm.Repository(ctx)
	if err != nil || dir == "" {
		return chunks{}, err
	}
	repo := repository.Open(dir)
	if err := repo.Scan(); err != nil {
		return chunks{}, err
	}
	return chunks{dir, repo.Files()}, nil
}

// since returns the first chunk that was not there before. It is false if there is none.
func (c chunks) since(before chunks) (repository.File, bool) {
	old := make(map[string]bool)
	for _, f := range before.files {
		old[f.Path] = true
	}
	for _, f := range c.files {
		if !old[f.Path] {
			return f, true
		}
	}
	return repository.File{}, false
}

// finished tells whether nobody writes to a chunk any more, as when it has been removed.
func finished(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close() // only read
	var head [wire.HeaderLen]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return false
	}
	h, ok := wire.ReadHeader(head[:])
	return ok && h.Finished()
}
