package redact

import "strings"

// valueBeside returns where the value lies of a key that itself is the value of key or name, whose sign is at i: of
// key=password, value=x, of <property name="password" value="x"/> and of <entry key="password">x</entry>.
func valueBeside(e *environment, text string, i int, key string, start int) (from, to int) {
	isType := strings.EqualFold(key, "type") // as that of a field of a form
	if !isType && lastWord(key, namers) == "" {
		return 0, 0
	}
	near := text[:min(len(text), i+longestBeside)]
	from, to = valueAt(near, run(near, i+1, isSpace), listEnds)
	if to-from < 2 || to == len(near) && to < len(text) || !e.isKey(text[from:to]) || isType && !strings.EqualFold(text[from:to], "password") {
		return 0, 0
	}
	if from, to := valueAfter(text, to); from < to {
		return from, to
	}
	return valueBefore(text, start)
}

// longestBeside is how far away from a key its value is looked for.
const longestBeside = 256

// namers are the last words of keys that say how another one is called, and valuers of those that say what its value is.
var namers, valuers = []string{"key", "name"}, []string{"value", "val"}

// lastWord returns which of some words in lower case is the last one of a key, as name is of param-name and paramName; "" if
// none is.
func lastWord(key string, words []string) string {
	for _, w := range words {
		if at := len(key) - len(w); hasFoldSuffix(key, w) && (at == 0 || !isAlnum(key[at-1]) || isUpper(key[at]) && !isUpper(key[at-1])) {
			return w
		}
	}
	return ""
}

// namersOf returns which fields can say how the value of a field is called: key, name, and paramName of paramValue.
func namersOf(field string) (fields []string) {
	w := lastWord(field, valuers)
	if w == "" {
		return nil
	}
	path := field[:strings.LastIndexByte(field, '.')+1]
	stem := field[:len(field)-len(w)]
	for _, n := range namers {
		fields = append(fields, path+n)
		if isUpper(field[len(stem)]) {
			n = strings.ToUpper(n[:1]) + n[1:]
		}
		if stem != path {
			fields = append(fields, stem+n)
		}
	}
	return fields
}

// valueAfter returns where the value lies that follows a key which ends at i. A few other attributes may be between them.
func valueAfter(text string, i int) (from, to int) {
	near := text[:min(len(text), i+longestBeside)]
	for range 4 {
		i = run(near, i, func(b byte) bool { return isSpace(b) || strings.IndexByte("\"'\\,;&", b) >= 0 })
		if i < len(near) && text[i] == '>' {
			return elementText(text, i+1)
		}
		end := run(near, i, isKeyByte)
		word := text[i:end]
		sign := pairNext(near, end)
		if word == "" || sign >= len(near) || text[sign] != '=' && text[sign] != ':' {
			return 0, 0
		}
		if lastWord(word, valuers) != "" {
			return valueAt(text, run(text, sign+1, isSpace), listEnds)
		}
		_, i = valueAt(near, run(near, sign+1, isSpace), listEnds)
	}
	return 0, 0
}

// valueBefore returns where the value lies that precedes a key which begins at i, in the same object or tag.
func valueBefore(text string, i int) (from, to int) {
	least := max(0, i-longestBeside)
	least += strings.LastIndexAny(text[least:i], "{<[(\n") + 1
	for at := indexFold(text[:i], "val", least); at >= 0; at = indexFold(text[:i], "val", at+1) {
		end := run(text[:i], at, isKeyByte)
		sign := pairNext(text, end)
		if sign >= i || text[sign] != '=' && text[sign] != ':' || lastWord(text[runBack(text, at, isKeyByte):end], valuers) == "" {
			continue
		}
		if from, to = valueAt(text[:i], run(text, sign+1, isSpace), listEnds); to < i {
			return from, to
		}
	}
	return 0, 0
}

// siblingValue returns where the text lies of the element that says the value of a key, which is the text of an element that
// begins at from, as in <name>key</name><value>x</value> and in lists of properties. A few other elements may be between
// them.
func siblingValue(e *environment, text string, from int) (int, int) {
	near := text[:min(len(text), from+longestBeside)]
	to := from + indexAny(near[from:], "<")
	if key := strings.TrimSpace(near[from:to]); len(key) < 2 || run(key, 0, isKeyByte) < len(key) || !e.isKey(key) {
		return 0, 0
	}
	for range 4 {
		open := run(near, min(len(near), to+indexAny(near[to:], ">")+1), isSpace) // after the end of the one before
		end := run(near, min(open+1, len(near)), isKeyByte)
		if end >= len(near) || near[open] != '<' || near[end] != '>' {
			return 0, 0
		}
		if tag := text[open+1 : end]; tag == "string" || lastWord(tag, valuers) != "" {
			return elementText(text, end+1)
		}
		to = end + 1 + indexAny(near[end+1:], "<")
	}
	return 0, 0
}

// pairValue returns where the value lies in a list of two elements, whose bracket is at i: [password, x1]. A list of keys is not
// to be found, so the value must look like a password.
func pairValue(e *environment, text string, i int) (from, to int) {
	near := text[:min(len(text), i+longestBeside)]
	from, to = pairElement(near, i+1)
	if key := text[from:to]; len(key) < 2 || run(key, 0, isKeyByte) < len(key) || !e.isKey(key) {
		return 0, 0
	}
	comma := pairNext(near, to)
	if comma == len(near) || text[comma] != ',' {
		return 0, 0
	}
	from, to = pairElement(near, comma+1)
	end := pairNext(near, to)
	if to-from < 4 || end == len(near) || text[end] != ']' || !looksLikePassword(text[from:to], false) {
		return 0, 0
	}
	return from, to
}

// pairElement returns where the element of a list lies that begins at i, in quotes or not.
func pairElement(text string, i int) (from, to int) {
	if from = run(text, i, isSpace); quoteAt(text, from) != "" {
		return quoted(text, from)
	}
	return from, run(text, from, func(b byte) bool { return !isSpace(b) && !isOneOf(b, ",()[]{}<>=:;\"'") })
}

// pairNext returns where the next sign follows a key or an element of a list that ends at i.
func pairNext(text string, i int) int {
	return run(text, i, func(b byte) bool { return isSpace(b) || isQuote(b) || b == '\\' })
}
