// Package jdktypes has the names of those types of the JDK's Flight Recorder that this project
// treats in a way of their own. All other types are known by the metadata of a recording alone.
package jdktypes

// Types of values.
const (
	// String has the pool of the strings of encoding 2.
	String      = "java.lang.String"
	Thread      = "java.lang.Thread"
	Class       = "java.lang.Class"
	ThreadGroup = "jdk.types.ThreadGroup"
	ClassLoader = "jdk.types.ClassLoader"
	Package     = "jdk.types.Package"
	Module      = "jdk.types.Module"
	Method      = "jdk.types.Method"
	Symbol      = "jdk.types.Symbol"
	StackFrame  = "jdk.types.StackFrame"
	StackTrace  = "jdk.types.StackTrace"
	OldObject   = "jdk.types.OldObject"
	Reference   = "jdk.types.Reference"
	// ChunkHeader is a copy of the chunk header inside a checkpoint.
	ChunkHeader = "jdk.types.ChunkHeader"
)

// Supertypes, which say what a type is for.
const (
	Event      = "jdk.jfr.Event"
	Annotation = "java.lang.annotation.Annotation"
	Setting    = "jdk.jfr.SettingControl"
)

// Annotations.
const (
	Name          = "jdk.jfr.Name"
	Label         = "jdk.jfr.Label"
	Description   = "jdk.jfr.Description"
	Category      = "jdk.jfr.Category"
	Experimental  = "jdk.jfr.Experimental"
	Contextual    = "jdk.jfr.Contextual"
	ContentType   = "jdk.jfr.ContentType"
	Timestamp     = "jdk.jfr.Timestamp"
	Timespan      = "jdk.jfr.Timespan"
	DataAmount    = "jdk.jfr.DataAmount"
	Percentage    = "jdk.jfr.Percentage"
	MemoryAddress = "jdk.jfr.MemoryAddress"
	Frequency     = "jdk.jfr.Frequency"
	Unsigned      = "jdk.jfr.Unsigned"
)
