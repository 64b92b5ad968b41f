package redact

import "strings"

// homes are the folders in which the homes of users lie, with slashes.
var homes = []string{"/home/", "/users/", "/root/"}

// isSeparator reports whether a byte separates the parts of a path.
func isSeparator(b byte) bool { return b == '/' || b == '\\' }

// findPaths finds what follows the folder of homes in a path: the name of the user, and all below.
func findPaths(e *environment, text string, found func(from, to int)) {
	for i := 0; i < len(text); i++ {
		if !isSeparator(text[i]) {
			continue
		}
		home := homeAt(text[i:])
		if home == 0 {
			continue
		}
		from := i + home
		to := pathEnd(text, from, i)
		first := from + indexAny(text[from:to], `/\`)
		// Folders that all users share, and members such as com/example/home/Main.
		if from < to && !e.isMark(text[from:first]) && !strings.HasPrefix(text[from:to], "*.") && text[from:first] != "Shared" && text[from:first] != "Public" && startsPath(text, i) {
			found(from, to)
		}
		i = max(i, to-1)
	}
}

// homeAt returns the length of the folder of homes at the start of a text; 0 if none is there.
func homeAt(text string) int {
	for _, h := range homes {
		if len(text) <= len(h) {
			continue
		}
		n := 1
		for n < len(h)-1 && lower(text[n]) == h[n] {
			n++
		}
		if n == len(h)-1 && isSeparator(text[n]) {
			// A backslash in JSON and properties is written twice.
			return n + run(text, n, isSeparator) - n
		}
	}
	return 0
}

// startsPath reports whether the separator at i begins a path, or follows a drive or a folder that systems have homes
// in. So the class com/example/home/Main is no path.
func startsPath(text string, i int) bool {
	before := text[runBack(text, i, func(b byte) bool { return isWord(b) || b == '-' || b == '.' || isSeparator(b) }):i]
	switch strings.Trim(before, `/\`) {
	case "", "export", "usr", "var", "mnt", "data", "Volumes", "host", "mnt/c", "C", "D":
		return true
	}
	return isSeparator(before[0])
}

// pathEnd returns where a path ends of which more follows from i; it began at start. A path that is all of a text may
// have spaces.
func pathEnd(text string, i, start int) int {
	const ends = "\"'<>|*?,;:\n\r\t"
	whole := start == 0 || start == 2 && text[1] == ':'
	to := run(text, i, func(b byte) bool { return b >= ' ' && strings.IndexByte(ends, b) < 0 })
	if whole && to == len(text) && !strings.Contains(text[i:], " -") && !strings.Contains(text[i:], " /") {
		return to
	}
	end := run(text, i, func(b byte) bool { return b > ' ' && strings.IndexByte(ends+")]}`", b) < 0 })
	// C:\Users\Ann Lee\x: the rest of the name ends with a backslash.
	if end < to && text[end] == ' ' && strings.IndexByte(text[i:end], '\\') < 0 && text[i-1] == '\\' {
		if slash := strings.IndexByte(text[end:to], '\\'); slash >= 0 && slash < 32 {
			return run(text, end+slash, func(b byte) bool { return b > ' ' && strings.IndexByte(ends+")]}`", b) < 0 })
		}
	}
	// /home/ann/Application Support/x: the next word belongs to the path if it has a slash, and does not begin with one.
	for end < to && text[end] == ' ' {
		next := run(text, end+1, func(b byte) bool { return b > ' ' && strings.IndexByte(ends+")]}`", b) < 0 })
		if slash := strings.IndexByte(text[end:next], '/'); slash < 2 || text[end+1] == '-' || next < len(text) && text[next] == ':' {
			break
		}
		end = next
	}
	return end
}
