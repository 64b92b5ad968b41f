// Package jfc reads, changes and writes .jfc files, which say what a JVM records.
//
// A file has events with settings, and controls: options for people, such as gc=high, that decide
// several settings at once, by way of conditions. [Read] reads a file, [File.Add] joins several,
// [File.Set] changes an option or a setting, and [File.WriteTo] writes the result, with the same
// bytes as the JDK's jfr configure.
//
// The package needs no JVM. The files of a JDK are default.jfc and profile.jfc in its folder
// lib/jfr.
package jfc
