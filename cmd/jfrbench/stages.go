package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// result is all that was found out about a file.
type result struct {
	file     string
	size     int64
	chunks   int
	start    time.Time
	duration time.Duration
	events   uint64
	stages   []measurement
	index    indexSize
	checksum uint64
	err      error // what is wrong inside the file
}

// indexSize is the memory that the index takes, in bytes, and how many constants
// and blocks that is for.
type indexSize struct {
	constants, blocks int
	keys, number      int
	events            uint64 // in these blocks
}

// bencher takes a file through the stages.
type bencher struct {
	result

	rec     *mmapjfr.Recording
	workers int // 0 for as many as there are processors
}

// bench measures a file. The error says why it could not be opened; what is
// wrong inside it is part of the result.
func bench(file string, workers int) (*result, error) {
	b := &bencher{result: result{file: file}, workers: workers}
	if info, err := os.Stat(file); err == nil {
		b.size = info.Size()
	}
	if err := b.stage("open", b.open); err != nil {
		return nil, err
	}
	defer b.rec.Close() // only read
	for _, s := range []struct {
		name string
		run  func() error
	}{
		{"sweep", b.sweep}, {"walk", b.walk}, {"blocks", b.blocks}, {"layout", b.layout}, {"read", b.read},
	} {
		if err := b.stage(s.name, s.run); err != nil {
			b.err = errors.Join(b.err, err)
			break // the file is no longer what it was
		}
	}
	return &b.result, nil
}

func (b *bencher) stage(name string, run func() error) error {
	m, err := measure(name, run)
	if err == nil {
		b.stages = append(b.stages, m)
	}
	return err
}

func (b *bencher) open() (err error) {
	if b.rec, err = mmapjfr.Open(b.file, mmapjfr.Workers(b.workers)); err != nil {
		return err
	}
	if b.size == 0 {
		b.size = b.rec.Size() // a pipe
	}
	boundMemory(b.size)
	b.chunks = len(engine.RecordingIndex(b.rec).Chunks())
	b.start, b.duration = b.rec.Start(), b.rec.Duration()
	return nil
}

// sweep leaves errors alone: the layout returns them once more.
func (b *bencher) sweep() error {
	_ = index.Sweep(context.Background(), engine.RecordingIndex(b.rec).Chunks(), engine.RecordingWorkers(b.rec), func(uint64) {})
	return nil
}

// walk fails if the file was truncated while it was read. Other faults have a place in the
// file, and other stages return them, too.
func (b *bencher) walk() error {
	s, _ := summary.Count(context.Background(), []*mmapjfr.Recording{b.rec}, nil) // nobody cancels it
	b.events = s.Events
	for _, f := range s.Faults {
		if !errors.As(f.Err, new(*mmapjfr.FormatError)) {
			return f.Err
		}
	}
	return nil
}

func (b *bencher) blocks() error {
	for _, c := range engine.RecordingIndex(b.rec).Chunks() {
		c.BuildBlocks(engine.RecordingWorkers(b.rec))
	}
	b.weigh()
	return nil
}

// weigh measures the index when all has been found. What has been
// forgotten to save memory is not part of it.
func (b *bencher) weigh() {
	for _, c := range engine.RecordingIndex(b.rec).Chunks() {
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
		for _, t := range types.Types {
			b.index.keys += k.Len(t)
		}
	}
}

func (b *bencher) layout() error {
	_, b.err = count(b.rec.Select(), engine.RecordingWorkers(b.rec), nil)
	return nil
}

func (b *bencher) read() error {
	_, b.checksum, _ = readAll(b.rec) // the layout has returned the errors
	return nil
}
