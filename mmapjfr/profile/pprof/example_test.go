package pprof_test

import (
	"bytes"
	"fmt"
	"log"

	google "github.com/google/pprof/profile"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/pprof"
)

// A file for go tool pprof, read back by its own package.
func Example() {
	p := profile.New()
	cpu := profile.Kinds()[0]
	p.AddKind(cpu)
	main := p.Push(0, p.AddFrame(profile.Frame{Method: p.AddMethod(profile.Method{Class: "app/Main", Name: "main", Descriptor: "([Ljava/lang/String;)V"}), Kind: profile.Interpreted}))
	work := p.Push(main, p.AddFrame(profile.Frame{Method: p.AddMethod(profile.Method{Class: "app/Work", Name: "run", Descriptor: "()V"}), Kind: profile.JITCompiled}))
	p.Add("cpu", work, p.AddLabels(profile.Labels{Thread: "main"}), 3, 30e6)
	var file bytes.Buffer
	if err := pprof.Write(&file, p, pprof.Options{Names: profile.Names{Dots: true}}); err != nil {
		log.Fatal(err)
	}
	read, err := google.Parse(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.SampleType[1].Type, read.Sample[0].Value[1], read.Sample[0].Location[0].Line[0].Function.Name)
	// Output: cpu 30000000 app.Work.run
}
