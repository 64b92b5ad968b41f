package constants_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mmapjfr/jfr/internal/constants"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// The pools that take most of a recording.
func ExampleTable() {
	rec := openProfile()
	defer rec.Close()
	var table constants.Table
	if err := table.Add(rec, nil); err != nil {
		log.Fatal(err)
	}
	for _, pool := range table.Pools()[:3] {
		fmt.Println(pool.Type, pool.Constants, pool.Bytes)
	}
	// Output:
	// jdk.types.StackTrace 664 116866
	// jdk.types.Symbol 2301 92552
	// jdk.types.Method 936 15053
}

// The first causes of collections that the virtual machine knows.
func ExampleAll() {
	rec := openProfile()
	defer rec.Close()
	for constant, err := range constants.All(rec, func(t mmapjfr.Type) bool { return t.Name() == "jdk.types.GCCause" }) {
		if err != nil {
			log.Fatal(err)
		}
		if constant.Key < 3 {
			fmt.Println(constant.Key, constants.Text(constant.Value()))
		}
	}
	// Output:
	// 0 System.gc()
	// 1 FullGCAlot
	// 2 ScavengeAlot
}

// Constants that no event refers to.
func ExampleUnused() {
	rec := openProfile()
	defer rec.Close()
	unused, bytes := 0, uint64(0)
	for constant, err := range constants.Unused(context.Background(), rec, nil) {
		if err != nil {
			log.Fatal(err)
		}
		unused++
		bytes += constant.Bytes
	}
	fmt.Println(unused, "constants,", bytes, "bytes")
	// Output:
	// 587 constants, 13908 bytes
}

// openProfile opens the recording of the examples.
func openProfile() *mmapjfr.Recording {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	return rec
}
