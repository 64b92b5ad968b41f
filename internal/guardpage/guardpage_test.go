//go:build jfrdebug && (linux || darwin || freebsd || netbsd || openbsd)

package guardpage_test

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/mmapjfr/jfr/internal/guardpage"
)

var sink byte

// faults reports whether do touches inaccessible bytes.
func faults(do func()) (fault bool) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		_, fault = recover().(interface{ Addr() uintptr })
	}()
	do()
	return false
}

func TestCopy(t *testing.T) {
	page := os.Getpagesize()
	for _, size := range []int{1, 17, page - 1, page, page + 1, 5 * page} {
		data := bytes.Repeat([]byte{7}, size)
		f := guardpage.Copy(data)
		require.NotNil(t, f)
		b := f.Bytes()
		assert.Equal(t, data, b)
		assert.Equal(t, size, cap(b), "nothing can be appended in place")
		assert.True(t, faults(func() { b[0] = 1 }), "written to")
		for range 2 {
			f.Close()
		}
		for _, at := range []int{0, size - 1} {
			assert.True(t, faults(func() { sink ^= b[at] }), "%d of %d", at, size)
		}
	}
	assert.Nil(t, guardpage.Copy(nil))
	guardpage.Copy(nil).Close()
}

// TestReadingPastTheEndFaults: the guard page follows the last byte.
func TestReadingPastTheEndFaults(t *testing.T) {
	assert.True(t, faults(func() { sink ^= guardpage.After(guardpage.Copy(make([]byte, 17)).Bytes()) }))
}

// TestManyBuffers: there are more than a system has maps for.
func TestManyBuffers(t *testing.T) {
	for range 70_000 {
		f := guardpage.Copy([]byte("some bytes"))
		require.NotNil(t, f)
		f.Close()
	}
}

// TestHold: others do not get the addresses of a map that was given up.
func TestHold(t *testing.T) {
	if !guardpage.Holds {
		t.Skip("holding addresses takes unsafe code")
	}
	pages, err := unix.Mmap(-1, 0, 3*os.Getpagesize(), unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	require.NoError(t, guardpage.Hold(pages[100:], func() error { return unix.Munmap(pages) }))
	for range 100 {
		other, err := unix.Mmap(-1, 0, 3*os.Getpagesize(), unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
		require.NoError(t, err)
		defer func() { assert.NoError(t, unix.Munmap(other)) }()
	}
	assert.True(t, faults(func() { sink ^= pages[0] }))
	assert.True(t, faults(func() { sink ^= pages[len(pages)-1] }))
	failed := errors.New("of unmap")
	assert.ErrorIs(t, guardpage.Hold(nil, func() error { return failed }), failed)
}

// TestNothingIsHeldOfNoBytes: an empty slice can point into memory that is in use.
func TestNothingIsHeldOfNoBytes(t *testing.T) {
	used := make([]byte, 2*os.Getpagesize())
	for at := range len(used) {
		require.NoError(t, guardpage.Hold(used[at:at], func() error { return nil }))
	}
	assert.False(t, faults(func() { used[0], used[len(used)/2], used[len(used)-1] = 1, 1, 1 }))
}

// TestHoldLeavesNoGap: while maps are given up others look for addresses all the time.
func TestHoldLeavesNoGap(t *testing.T) {
	if !guardpage.Holds {
		t.Skip("holding addresses takes unsafe code")
	}
	stop := make(chan struct{})
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				other, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
				if assert.NoError(t, err) {
					runtime.Gosched()
					assert.NoError(t, unix.Munmap(other))
				}
			}
		})
	}
	for range 20_000 {
		pages, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
		require.NoError(t, err)
		require.NoError(t, guardpage.Hold(pages, func() error { return unix.Munmap(pages) }))
		if !assert.True(t, faults(func() { sink ^= pages[0] })) {
			break
		}
	}
	close(stop)
	others.Wait()
}
