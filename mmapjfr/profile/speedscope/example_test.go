package speedscope_test

import (
	"log"
	"os"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/speedscope"
)

// A file for speedscope.
func Example() {
	p := profile.New()
	cpu := profile.Kinds()[0]
	p.AddKind(cpu)
	main := p.Push(0, p.AddFrame(profile.Frame{Method: p.AddMethod(profile.Method{Class: "app/Main", Name: "main", Descriptor: "([Ljava/lang/String;)V"}), Kind: profile.Interpreted}))
	work := p.Push(main, p.AddFrame(profile.Frame{Method: p.AddMethod(profile.Method{Class: "app/Work", Name: "run", Descriptor: "()V"}), Kind: profile.JITCompiled}))
	p.Add("cpu", work, p.AddLabels(profile.Labels{Thread: "main"}), 3, 30e6)
	err := speedscope.Write(os.Stdout, p, speedscope.Options{Title: "app", Names: profile.Names{Dots: true}})
	if err != nil {
		log.Fatal(err)
	}
	// Output: {"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"mjfr","name":"app","shared":{"frames":[{"name":"app.Main.main"},{"name":"app.Work.run"}]},"profiles":[{"type":"sampled","name":"CPU time","unit":"nanoseconds","startValue":0,"samples":[[0,1]],"weights":[30000000],"endValue":30000000}]}
}
