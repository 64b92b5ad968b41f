package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/parallel"
)

// limits are how fast this machine gives the bytes of a file to a program that does nothing with
// them, each the median of the runs.
type limits struct {
	workers int
	// touch is the time to map the file and to read a byte of each page; read is that to read
	// all of it by pread into buffers that are used again.
	touch, read time.Duration
}

// measureLimits measures them on as many goroutines as jfrbench reads with. Both read the file
// in parts of [parallel.PartSize].
func measureLimits(file string, runs int) (l limits, err error) {
	l.workers = parallel.Workers(0)
	buffers := make([]byte, l.workers*parallel.PartSize)
	for i := 0; i < len(buffers); i += os.Getpagesize() {
		buffers[i] = 1 // so that the memory is there before it is measured
	}
	var touches, reads []lap
	for range runs {
		var touch, read time.Duration
		err := guarded(func() (err error) {
			touch, err = touchPages(file, l.workers)
			return err
		})
		if err == nil {
			read, err = readParts(file, l.workers, buffers)
		}
		if err != nil {
			return l, fmt.Errorf("the limits of this machine could not be measured: %w", err)
		}
		touches, reads = append(touches, lap{loop: touch}), append(reads, lap{loop: read})
	}
	l.touch, l.read = median(touches, loopTime), median(reads, loopTime)
	return l, nil
}

// faster is the time of the faster of the two, 0 if they were not measured.
func (l limits) faster() time.Duration { return min(l.touch, l.read) }

// touched is the sum of what touchPages reads, which the compiler would leave out otherwise.
var touched atomic.Uint64

// touchPages returns how long it takes to map a file and to read a byte of each page.
func touchPages(file string, workers int) (time.Duration, error) {
	start := time.Now()
	m, err := mapfile.Open(file, mapfile.Options{})
	if err != nil {
		return 0, err
	}
	defer m.Close() // only read
	data, page := m.Data(), os.Getpagesize()
	parallel.ForEach(workers, parts(int64(len(data))), func(_, part int) {
		sum := byte(0)
		for i := part * parallel.PartSize; i < min(len(data), (part+1)*parallel.PartSize); i += page {
			sum += data[i]
		}
		touched.Add(uint64(sum))
	})
	return time.Since(start), nil
}

// readParts returns how long it takes to open a file and to read all of it, each worker into a
// part of the buffers.
func readParts(file string, workers int, buffers []byte) (time.Duration, error) {
	start := time.Now()
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close() // only read
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	errs := make([]error, workers)
	parallel.ForEach(workers, parts(info.Size()), func(worker, part int) {
		buffer := buffers[worker*parallel.PartSize:][:parallel.PartSize]
		if _, err := f.ReadAt(buffer, int64(part)*parallel.PartSize); err != nil && !errors.Is(err, io.EOF) { // the last part is shorter
			errs[worker] = err
		}
	})
	return time.Since(start), errors.Join(errs...)
}

// parts returns into how many parts a file of that size is divided.
func parts(size int64) int { return int((size + parallel.PartSize - 1) / parallel.PartSize) }
