package repository

import "time"

// answer is one that may be missing.
type answer int

const (
	unsure answer = iota
	no
	yes
)

// process is one that there is.
type process struct {
	id  uint64        // when it began, by a clock that is not set; 0 if that is not known
	age time.Duration // since it began; negative if that is not known
}

// same tells whether the process is one that had the same number, as far as is known.
func (p process) same(q process) bool { return p.id == q.id || p.id == 0 || q.id == 0 }

// ageSlack is by how much a process may seem younger than what it has made.
var ageSlack = 2 * time.Second

// youngerThan tells whether the process began after a time, which is zero if it is not
// known.
func (p process) youngerThan(t time.Time) bool {
	return p.age >= 0 && !t.IsZero() && p.age < time.Since(t)-ageSlack
}
