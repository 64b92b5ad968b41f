package repository

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// findProcess looks for a process.
func findProcess(pid int) (process, tristate) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	switch {
	case errors.Is(err, windows.ERROR_INVALID_PARAMETER):
		return process{}, no
	case errors.Is(err, windows.ERROR_ACCESS_DENIED): // it exists
		return process{age: -1}, yes
	case err != nil:
		return process{}, unsure
	}
	defer windows.CloseHandle(h)
	// A handle keeps the number of a process that has ended.
	if wait, err := windows.WaitForSingleObject(h, 0); err == nil && wait == windows.WAIT_OBJECT_0 {
		return process{}, no
	}
	var began, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &began, &ended, &kernel, &user) != nil {
		return process{age: -1}, yes
	}
	id := uint64(began.HighDateTime)<<32 | uint64(began.LowDateTime)
	return process{id: id, age: max(0, time.Since(time.Unix(0, began.Nanoseconds())))}, yes
}

// mayRecordInto reports whether a process may have made a directory.
func mayRecordInto(_ int, p process, dir string) tristate {
	info, err := os.Stat(dir)
	if err != nil {
		return unsure
	}
	if made, ok := info.Sys().(*syscall.Win32FileAttributeData); ok &&
		p.youngerThan(time.Unix(0, made.CreationTime.Nanoseconds())) {
		return no
	}
	return yes
}
