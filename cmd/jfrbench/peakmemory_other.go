//go:build !unix

package main

import "os"

func peakMemory(*os.ProcessState) int64 { return 0 }

func resetPeakMemory() {}
