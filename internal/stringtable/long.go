package stringtable

import "sync"

// longTexts are the texts of more than [MaxText] bytes that were read last. Hashing and comparing
// them takes as long as reading them, so they are found by where they lie: many events can have one
// text.
type longTexts struct {
	mu   sync.Mutex
	list []longText // the newest at the end
}

type longText struct {
	key ConstantKey
	s   string
}

const (
	// mostLong is how many long texts are kept, and mostLongBytes how many bytes they have unless
	// it is one.
	mostLong      = 8
	mostLongBytes = 64 << 20
)

// Long returns the text that [Table.AddLong] has added; "" if the table lacks it.
func (st *Table) Long(key *ConstantKey) string {
	st.long.mu.Lock()
	defer st.long.mu.Unlock()
	for i := range st.long.list {
		if t := &st.long.list[i]; t.key == *key {
			return t.s
		}
	}
	return ""
}

// AddLong adds a long text.
func (st *Table) AddLong(key *ConstantKey, text string) {
	st.long.mu.Lock()
	defer st.long.mu.Unlock()
	list, size := append(st.long.list, longText{*key, text}), 0
	first := len(list)
	for first > 0 && len(list)-first < mostLong && (size == 0 || size+len(list[first-1].s) <= mostLongBytes) {
		first--
		size += len(list[first].s)
	}
	st.long.list = append([]longText(nil), list[first:]...)
}
