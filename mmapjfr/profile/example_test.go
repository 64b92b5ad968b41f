package profile_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// The methods that ran most often, and the classes that memory was allocated for.
func Example() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	p, err := profile.Read(context.Background(), []*mmapjfr.Recording{rec}, profile.Options{Kinds: []string{"running", "alloc"}})
	if err != nil {
		log.Print(err) // what could not be read; all else counts
	}
	running, alloc := p.Kinds()[0], p.Kinds()[1]
	for _, row := range p.Top(profile.Column{Kind: &running}, profile.ByMethod, profile.Names{Dots: true})[:3] {
		fmt.Println(row.Self, row.Total, row.Name)
	}
	for _, row := range p.Top(profile.Column{Kind: &alloc, Value: 1}, profile.ByObject, profile.Names{})[:3] {
		fmt.Println(row.Self, "bytes", row.Name)
	}
	// Output:
	// 11 11 gen.Loaders$Loaded.run
	// 10 10 gen.Stacks.hash
	// 2 6 jdk.internal.classfile.impl.DirectCodeBuilder.build
	// 25135872 bytes byte[]
	// 17644296 bytes long[]
	// 2510072 bytes jdk.internal.event.ThreadSleepEvent
}

// The profiles of two recordings are one.
func ExampleProfile_Merge() {
	total := profile.New()
	for _, name := range []string{"jdk17-profile.jfr", "jdk25-profile.jfr"} {
		rec, err := mmapjfr.Open("../../testdata/" + name)
		if err != nil {
			log.Fatal(err)
		}
		p, err := profile.Read(context.Background(), []*mmapjfr.Recording{rec}, profile.Options{Kinds: []string{"lock"}})
		if err != nil {
			log.Print(err)
		}
		total.Merge(p)
		rec.Close()
	}
	contentions := int64(0)
	for s := range total.Samples() {
		contentions += s.Values[0]
	}
	fmt.Println(contentions)
	// Output: 52
}
