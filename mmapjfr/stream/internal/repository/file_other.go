//go:build !unix

package repository

import "os"

func open(path string) (*os.File, error) { return os.Open(path) }

// openFile relies on the caller to have checked that the file is no link.
func openFile(path string) (*os.File, error) { return os.Open(path) }
