package print

// ending is when an event ended, and where it stands in a list.
type ending struct {
	ticks int64
	at    uint32
}

// sortEndings sorts by time; what ended together stays in its order. It uses spare
// for room, and returns both in the one order or the other.
//
// The events of a chunk come in rows, of one thread's buffer each, in which they are
// in order already. These rows are merged, two at a time.
func sortEndings(list, spare []ending, rows []int) (sorted, free []ending, _ []int) {
	rows = append(rows[:0], 0)
	for i := 1; i < len(list); i++ {
		if list[i].ticks < list[i-1].ticks {
			rows = append(rows, i)
		}
	}
	rows = append(rows, len(list))
	if cap(spare) < len(list) {
		spare = make([]ending, len(list), cap(list))
	}
	spare = spare[:len(list)]
	for len(rows) > 2 {
		n := 0
		for i := 0; i < len(rows)-1; i += 2 {
			from, middle, end := rows[i], rows[i+1], rows[min(i+2, len(rows)-1)]
			mergeEndings(spare[from:end], list[from:middle], list[middle:end])
			rows[n] = from
			n++
		}
		rows[n] = len(list)
		rows = rows[:n+1]
		list, spare = spare, list
	}
	return list, spare, rows
}

// mergeEndings merges two rows into dst; of what ended together a's comes first.
func mergeEndings(dst, a, b []ending) {
	if len(a) == 0 || len(b) == 0 || a[len(a)-1].ticks <= b[0].ticks {
		copy(dst[copy(dst, a):], b)
		return
	}
	for i := range dst {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].ticks <= b[0].ticks:
			dst[i], a = a[0], a[1:]
		default:
			dst[i], b = b[0], b[1:]
		}
	}
}
