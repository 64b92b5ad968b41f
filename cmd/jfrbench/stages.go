package main

import (
	"context"
	"os"
	"time"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
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
	types    map[string]index.EventCount
	stages   []measurement
	index    indexSize
	checksum uint64
	damage   damage
}

// indexSize is the memory that the index takes, in bytes, and how many constants
// and blocks that is for.
type indexSize struct {
	constants, blocks int
	keys, number      int
	events            uint64 // in these blocks
}

func (s indexSize) bytes() int { return s.constants + s.blocks }

// stageNames are the stages in their order.
var stageNames = []string{"open", "sweep", "walk", "blocks", "layout", "read"}

// bencher takes a file through the stages.
type bencher struct {
	result

	rec     *mmapjfr.Recording
	workers int // 0 for as many as there are processors
	show    *progress.Bar
}

// bench measures a file. The error says why it could not be opened; what is
// wrong inside it is part of the result.
func bench(file string, workers int, show *progress.Bar) (*result, error) {
	b := &bencher{result: result{file: file}, workers: workers, show: show}
	defer show.Done()
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
	showStage(b.show, name, b.size)
	m, err := measure(name, run)
	if err == nil {
		b.stages = append(b.stages, m)
	}
	return err
}

func (b *bencher) open() (err error) {
	b.rec, err = mmapjfr.Open(b.file, mmapjfr.Workers(b.workers))
	return err
}

func (b *bencher) describe() {
	if b.size == 0 {
		b.size = b.rec.Size() // a pipe
	}
	boundMemory(b.size)
	b.chunks = len(b.rec.Index().Chunks())
	b.start, b.duration = b.rec.Start(), b.rec.Duration()
}

// sweep leaves errors alone: the layout tells them once more.
func (b *bencher) sweep() error {
	x := b.rec.Index()
	_ = index.Sweep(context.Background(), x.Chunks(), b.rec.Workers(), b.show.Add)
	return nil
}

func (b *bencher) walk() error {
	types, s := count(b.rec, b.show.Add)
	b.types, b.events = types, s.Events
	return lost(s.Faults)
}

func (b *bencher) blocks() error {
	for _, c := range b.rec.Index().Chunks() {
		c.BuildBlocks(b.rec.Workers())
		b.show.Add(uint64(len(c.Data())))
	}
	b.weigh()
	return nil
}

// weigh measures the index when all has been found. What has been
// forgotten to save memory is not part of it.
func (b *bencher) weigh() {
	for _, c := range b.rec.Index().Chunks() {
		if blocks := c.CachedBlocks(); blocks != nil {
			b.index.blocks += blocks.Bytes()
			b.index.number += blocks.Len()
			b.index.events += blocks.Events()
		}
		k := c.CachedConstants()
		types, err := c.Types()
		if k == nil || err != nil {
			continue
		}
		b.index.constants += k.Bytes()
		for _, class := range types.Types {
			b.index.keys += k.Len(class)
		}
	}
}

func (b *bencher) layout() error {
	countSelection(b.rec.Select(), b.rec.Workers(), nil, b.advance, &b.damage)
	return nil
}

func (b *bencher) read() error {
	_, b.checksum, _ = readAll(b.rec, b.advance) // the layout has told of errors
	return nil
}

// advance shows that this number of events more is done.
func (b *bencher) advance(events int) {
	if b.events > 0 {
		b.show.Add(uint64(float64(events) * float64(b.size) / float64(b.events)))
	}
}
