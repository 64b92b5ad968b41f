package redact

import "strings"

// nameSet are learned names, which are found as whole words in any case. They are a tree: each node stands for the start
// of names, and the bytes that may follow lead on. So a text is searched in the same time for any number of names.
type nameSet struct {
	next    map[nameEdge]int32
	ends    []bool    // of nodes, whether a name ends there; the first node stands for no byte
	first   [256]bool // bytes with which names begin
	longest int
}

// nameEdge is a byte, in lower case, that follows a node.
type nameEdge struct {
	node int32
	b    byte
}

// add adds a name.
func (s *nameSet) add(name string) {
	if s.next == nil {
		s.next, s.ends = make(map[nameEdge]int32), []bool{false}
	}
	name = strings.ToLower(name)
	node := int32(0)
	for i := range len(name) {
		edge := nameEdge{node, name[i]}
		next, ok := s.next[edge]
		if !ok {
			next = int32(len(s.ends))
			s.next[edge], s.ends = next, append(s.ends, false)
		}
		node = next
	}
	s.ends[node] = true
	s.first[name[0]], s.longest = true, max(s.longest, len(name))
}

// find calls found with the places where a name stands as a word, the longest at each.
func (s *nameSet) find(e *environment, text string, found func(from, to int)) {
	if s.longest == 0 {
		return
	}
	for i := 0; i < len(text); i++ {
		if !s.first[lower(text[i])] || !wordStarts(text, i) {
			continue
		}
		if e.stopped(i) {
			return
		}
		if to := s.longestAt(text, i); to > i {
			found(i, to)
			i = to - 1
		}
	}
}

// longestAt returns where the longest name ends that is a word at i; i if none does.
func (s *nameSet) longestAt(text string, i int) int {
	end, node := i, int32(0)
	for to := i; to < len(text); {
		var ok bool
		if node, ok = s.next[nameEdge{node, lower(text[to])}]; !ok {
			break
		}
		if to++; s.ends[node] && wordEnds(text, to) {
			end = to
		}
	}
	return end
}

// findUsers finds learned names, and values of keys of users.
func findUsers(e *environment, text string, found func(from, to int)) {
	e.users.find(e, text, found)
	findSecrets(&environment{keys: e.userKeys, marks: e.marks, names: true, unescaped: e.unescaped, ctx: e.ctx, next: workAtOnce}, text, found)
}

// isUser reports whether the value of a key can be the name of a user that is worth hiding.
func (e *environment) isUser(value string) bool {
	if at := strings.IndexByte(value, '@'); at >= 0 && run(value, at+1, isHex) == len(value) {
		return false // an object
	}
	return e.isName(strings.ReplaceAll(value, `\`, ".")) && classOf[value[0]]&(hasUpper|hasLower|hasHigh) != 0 &&
		!strings.ContainsAny(value, `,;"'<>(){}[]$%*?!&|`) && (!isClassName(value) || strings.Contains(value, "@"))
}
