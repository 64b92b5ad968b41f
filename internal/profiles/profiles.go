// Package profiles lends what the other packages of this module need of package profile, and its users
// do not, as package engine does for package mmapjfr.
package profiles

import (
	"github.com/mmapjfr/jfr/internal/engine/door"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

var (
	HasTimes   = door.Through[func(*profile.Profile) bool]("HasTimes")
	Innermost  = door.Through[func(*profile.Profile, profile.StackID) (frame profile.FrameID, caller profile.StackID)]("Innermost")
	MergeAs    = door.Through[func(p, o *profile.Profile, name func(kind string) string)]("MergeAs")
	ObjectName = door.Through[func(n profile.Names, class string) string]("ObjectName")
	Sort       = door.Through[func(*profile.Profile)]("Sort")
	StackAdder = door.Through[func(*profile.Profile, mmapjfr.Chunk) func(mmapjfr.StackTrace) profile.StackID]("StackAdder")
	Stacks     = door.Through[func(*profile.Profile) int]("Stacks")
	SystemName = door.Through[func(profile.Names, profile.Method) string]("SystemName")
)
