package main

import (
	"os"
	"time"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// result is all that was found out about a file.
type result struct {
	file     string
	size     int64
	chunks   int
	start    time.Time
	duration time.Duration
	events   uint64
	types    map[string]count
	stages   []measurement
	index    indexSize
	checksum uint64
	cut      uint64 // events of which not all was read
	damage   damage
}

// indexSize is the memory that the index takes, in bytes.
type indexSize struct {
	constants, blocks int
}

func (s indexSize) bytes() int { return s.constants + s.blocks }

// stageNames are the stages in their order.
var stageNames = []string{"open", "sweep", "walk", "blocks", "layout", "read"}

// often is after how many events, a power of two, progress is told.
const often = 4096

// bencher takes a file through the stages.
type bencher struct {
	result

	rec  *mmapjfr.Recording
	show *progress
}

// bench measures a file. The error says why it could not be opened; what is
// wrong inside it is part of the result.
func bench(file string, show *progress) (*result, error) {
	b := &bencher{result: result{file: file}, show: show}
	defer show.clear()
	if info, err := os.Stat(file); err == nil {
		b.size = info.Size()
	}
	if err := b.stage("open", b.open); err != nil {
		return &b.result, err
	}
	defer b.rec.Close() // only read
	b.describe()
	for _, s := range []struct {
		name string
		run  func() error
	}{
		{"sweep", b.sweep}, {"walk", b.walk}, {"blocks", b.blocks}, {"layout", b.layout}, {"read", b.read},
	} {
		if err := b.stage(s.name, s.run); err != nil {
			b.damage.add(err)
			break // the file is no longer what it was
		}
	}
	return &b.result, nil
}

func (b *bencher) stage(name string, run func() error) error {
	b.show.stage(name, b.size)
	m, err := measure(name, run)
	if err == nil {
		b.stages = append(b.stages, m)
	}
	return err
}

func (b *bencher) open() (err error) {
	b.rec, err = mmapjfr.Open(b.file)
	return err
}

func (b *bencher) describe() {
	if b.size == 0 {
		b.size = b.rec.Size() // a pipe
	}
	b.chunks = len(b.rec.Index().Chunks())
	b.start, b.duration = b.rec.Start(), b.rec.Duration()
}

// sweep leaves errors alone: the cursor tells them once more.
func (b *bencher) sweep() error {
	for _, c := range b.rec.Index().Chunks() {
		if k, err := c.Constants(); err == nil {
			b.index.constants += k.Bytes()
		}
		b.show.at(end(c))
	}
	return nil
}

func (b *bencher) walk() error {
	t := newTally()
	for _, c := range b.rec.Index().Chunks() {
		t.add(c, b.show.at)
	}
	b.types, b.events = t.byName, t.events
	return nil
}

func (b *bencher) blocks() error {
	for _, c := range b.rec.Index().Chunks() {
		b.index.blocks += c.Blocks().Bytes()
		b.show.at(end(c))
	}
	return nil
}

func end(c *index.Chunk) uint64 { return c.Offset() + uint64(len(c.Data())) }

func (b *bencher) layout() error {
	cur := b.rec.Cursor()
	for n := 1; ; {
		for ; cur.Next(); n++ {
			if n%often == 0 {
				b.show.at(cur.Event().Offset())
			}
		}
		if cur.Err() == nil {
			return nil
		}
		b.damage.add(cur.Err())
	}
}

func (b *bencher) read() error {
	var r reader
	cur := b.rec.Cursor()
	for n := 1; ; {
		for ; cur.Next(); n++ {
			r.event(cur.Event())
			if n%often == 0 {
				b.show.at(cur.Event().Offset())
			}
		}
		if cur.Err() == nil {
			b.checksum, b.cut = r.sum, r.cut
			return nil
		}
	}
}
