package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// report is the result for a file, as mjfr index --json prints it.
type report struct {
	File      string `json:"file"`
	Index     string `json:"index,omitempty"` // path of the index
	Error     string `json:"error,omitempty"`
	Saved     bool   `json:"saved"`   // mjfr has saved an index
	Removed   bool   `json:"removed"` // mjfr has removed the index
	Usable    bool   `json:"usable"`  // the index can be used
	Recording int64  `json:"recordingSize,omitempty"`
	Size      uint64 `json:"size,omitempty"`
	Blocks    uint64 `json:"blocksSize,omitempty"`
	Constants uint64 `json:"constantsSize,omitempty"`
	Chunks    int    `json:"chunks,omitempty"`
	In        int    `json:"chunksInIndex,omitempty"`
	// Made is when the index was written, and Took how long mjfr took to make it.
	Made  string      `json:"made,omitempty"`
	Took  int64       `json:"tookNanos,omitempty"`
	Parts []chunkPart `json:"parts,omitempty"`
}

// chunkPart is the part of an index about a chunk. It is 0 for a chunk that is left out.
type chunkPart struct {
	Chunk         int    `json:"chunk"`
	Offset        uint64 `json:"offset"`
	Size          uint64 `json:"size"`
	Events        uint64 `json:"events"`
	Blocks        int    `json:"blocks"`
	BlocksSize    uint64 `json:"blocksSize"`
	Constants     uint64 `json:"constants"`
	ConstantsSize uint64 `json:"constantsSize"`
}

// indexFile saves, shows, checks or removes the index of a file.
func indexFile(ctx context.Context, a *cli.App, r *report, o *options) (err error) {
	if err := plainFile(r.File); err != nil {
		return err
	}
	if r.Index, err = mmapjfr.IndexPath(r.File, o.place()); err != nil {
		return err
	}
	if o.remove {
		err := mmapjfr.RemoveIndex(r.File, o.place())
		if errors.Is(err, fs.ErrNotExist) {
			return errors.New("there is no saved index")
		}
		r.Removed = err == nil
		return err
	}
	if err := input.CheckFile(r.File, func(string) string { return "unpack it first: only plain files have an index" }); err != nil {
		return err
	}
	rec, err := mmapjfr.Open(r.File)
	if err != nil {
		return input.OpenError(err)
	}
	defer rec.Close() // only read
	r.Recording = rec.Size()
	if !o.show && !o.check {
		if err := save(ctx, a, rec, r, o.place()); err != nil {
			return err
		}
	}
	return r.look(rec, o)
}

// save saves the index of a recording.
func save(ctx context.Context, a *cli.App, rec *mmapjfr.Recording, r *report, at mmapjfr.IndexLocation) error {
	// Each byte is read twice: for the events, and for the constants.
	bar := a.Progress(r.File, 2*rec.Size(), cli.AtEnd)
	defer bar.Done()
	start := time.Now()
	_, err := rec.SaveIndexContext(ctx, at, bar.Add)
	r.Took = int64(time.Since(start))
	if errors.Is(err, mmapjfr.ErrUnfinished) {
		if end := cli.CutOff(rec); end != nil {
			return fmt.Errorf("it has no whole chunk: %w", end)
		}
		return errors.New("it has no finished chunk yet; end the recording, or dump it with jcmd PID JFR.dump, and take that")
	}
	r.Saved = err == nil
	return err
}

// look reads the index of a recording and checks whether it can be used.
func (r *report) look(rec *mmapjfr.Recording, o *options) error {
	info, err := rec.CheckIndex(o.place())
	r.Size, r.Blocks, r.Constants, r.Chunks, r.In = info.Size, info.Blocks, info.Constants, info.Chunks, info.Saved
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no saved index; mjfr index makes one")
	case err != nil:
		return fmt.Errorf("%w; mjfr index makes it anew", err)
	}
	r.Usable = true
	if file, err := os.Stat(r.Index); err == nil {
		r.Made = file.ModTime().UTC().Format(jsonout.Time)
	}
	if !o.show && !o.stats {
		return nil
	}
	saved, err := cli.ReadFile(r.Index, int64(info.Size))
	if err != nil {
		return err
	}
	parts, err := index.ReadSavedChunks(saved)
	if err != nil {
		return err
	}
	return r.count(o.place(), parts)
}

// count opens the recording with its index, and counts events, blocks and constants.
func (r *report) count(at mmapjfr.IndexLocation, parts []index.SavedChunkInfo) error {
	rec, err := mmapjfr.Open(r.File, mmapjfr.ReadSavedIndex(at))
	if err != nil {
		return err
	}
	defer rec.Close() // only read
	if state := rec.IndexState(); !state.Used {
		return fmt.Errorf("the index cannot be used any more: %w", state.LoadErr)
	}
	return rec.Protect(func() error {
		r.Parts = chunkParts(rec, parts)
		return nil
	})
}

func chunkParts(rec *mmapjfr.Recording, parts []index.SavedChunkInfo) (list []chunkPart) {
	for i, c := range rec.Index().Chunks() {
		p := chunkPart{
			Chunk: i, Offset: c.Offset(), Size: uint64(len(c.Data())), BlocksSize: parts[i].Blocks, ConstantsSize: parts[i].Constants,
		}
		if b := c.CachedBlocks(); b != nil {
			p.Blocks, p.Events = b.Len(), b.Events()
			p.Constants = constantsIn(c)
		}
		list = append(list, p)
	}
	return list
}

// constantsIn returns the number of constants of a chunk.
func constantsIn(c *index.Chunk) (n uint64) {
	k, err := c.Constants()
	if err != nil {
		return 0
	}
	types, err := c.Types()
	if err != nil {
		return 0
	}
	for _, class := range types.Types {
		n += uint64(k.Len(class))
	}
	return n
}
