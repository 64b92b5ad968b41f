package redact

import (
	"slices"
	"strings"
)

var (
	// otherWords begin with a word of secrets.
	otherWords = []string{"tokeniz", "tokenis", "secretar", "secretion"}
	// amounts are the last words of keys that say how much or how long.
	amounts = []string{
		"count", "cnt", "size", "length", "len", "limit", "max", "min", "total", "remaining", "used", "usage", "budget", "quota", "age", "maxage", "expiry", "expire", "expires", "expiration",
		"expires_in", "expires-in", "expires.in", "expiresin", "expires_at", "expires-at", "expires.at", "expiresat", "ttl", "timeout", "lifetime", "validity", "duration", "interval", "period", "delay",
		"seconds", "secs", "millis", "ms", "minutes", "hours", "days", "retries", "attempts", "iterations", "rounds", "version", "port", "bits", "bytes",
	}
	// amountUnits may follow a number.
	amountUnits = []string{"", "ms", "s", "sec", "secs", "seconds", "m", "min", "mins", "minutes", "h", "hours", "d", "days", "b", "k", "kb", "mb", "gb", "kib", "mib", "gib", "%"}
	// counted are words before tokens where those are counted.
	counted = []string{"max", "min", "total", "num", "prompt", "completion", "input", "output", "used", "cached", "reasoning", "thinking"}
	// sources are the ends of names of files that traces name with a line.
	sources = []string{".java", ".kt", ".scala", ".groovy", ".clj", ".py", ".js", ".ts", ".rb", ".go", ".c", ".cc", ".cpp", ".rs"}
)

// isAmount reports whether the value of a key is a number that says how many there are, how much or how long: by the last word of
// the key, or since the key is plural and the number small; or a line of a file.
func isAmount(key, value string) bool {
	const most, mostCounted, few, fewSecrets = 13, 9, 5, 3
	value = strings.TrimRight(value, ",.;")
	digits := run(value, 0, isDigit)
	if key == "" || digits == 0 || digits > most || !isAmong(amountUnits, value[digits:]) && digits < len(value) {
		return false
	}
	if lastWord(key, amounts) != "" {
		return true
	}
	ends := func(suffix string) bool { return hasFoldSuffix(key, suffix) }
	switch {
	case digits < len(value):
		return false
	case ends("tokens") || ends("cookies"):
		word := strings.TrimRight(key[:len(key)-len("tokens")], "_-.")
		return digits <= few || digits <= mostCounted && lastWord(word, counted) != ""
	case ends("passwords") || ends("secrets") || ends("credentials"):
		return digits <= fewSecrets
	}
	return slices.ContainsFunc(sources, ends)
}
