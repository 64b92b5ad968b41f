package attach

import (
	"os"
	"time"
)

// What tests see of the inside.
type (
	Host = host
)

const (
	MaxAnswer    = maxAnswer
	MaxArgument1 = maxArgument1
)

var (
	ParsePerfData   = parsePerfData
	ParseProperties = parseProperties
	ParseTimespan   = parseTimespan
	Timespan        = timespan
	Quote           = quote
	ToJava          = toJava
	FromJava        = fromJava
	ParseCheck      = parseCheck
	ParseSettings   = parseSettings
	ParseAnswer     = parseAnswer
	NewRequest      = request
	JFC             = jfc
	ReadJFC         = readJFC
	Enabling        = enabling
	SplitCommand    = splitCommand
	MainOf          = mainOf
)

// NewHost makes a host of directories that look like those of a system.
func NewHost(proc, tmp string, euid int, quit func(*os.Process) error, patience time.Duration) *Host {
	return &host{proc: proc, tmp: tmp, euid: euid, quit: quit, patience: patience}
}

// Protocol is the version of the protocol that has been agreed on.
func (vm *VM) Protocol() int { return vm.protocol }

var Connect = connect

// IsLeft reports whether the owner of a name has ended.
func IsLeft(name string) bool { return isLeft(name) }
