package cpuprofile_test

import (
	"log"
	"os"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/cpuprofile"
)

// A file for DevTools: a sample lasts until the next one.
func Example() {
	p := profile.New()
	cpu := profile.Kinds()[0]
	p.AddKind(cpu)
	main := p.Push(0, p.AddFrame(profile.Frame{Method: p.AddMethod(profile.Method{Class: "app/Main", Name: "main", Descriptor: "([Ljava/lang/String;)V"}), Kind: profile.Interpreted}))
	work := p.Push(main, p.AddFrame(profile.Frame{Method: p.AddMethod(profile.Method{Class: "app/Work", Name: "run", Descriptor: "()V"}), Kind: profile.JITCompiled}))
	p.Add("cpu", work, p.AddLabels(profile.Labels{Thread: "main"}), 3, 30e6)
	err := cpuprofile.Write(os.Stdout, p, cpuprofile.Options{Column: profile.Column{Kind: &cpu, Value: 1}})
	if err != nil {
		log.Fatal(err)
	}
	// Output: {"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0,"children":[2,4]},{"id":2,"callFrame":{"functionName":"app/Main.main","scriptId":"0","url":"app/Main","lineNumber":-1,"columnNumber":-1},"hitCount":0,"children":[3]},{"id":3,"callFrame":{"functionName":"app/Work.run","scriptId":"0","url":"app/Work","lineNumber":-1,"columnNumber":-1},"hitCount":1},{"id":4,"callFrame":{"functionName":"(idle)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0}],"startTime":0,"endTime":30000,"samples":[3,4],"timeDeltas":[0,30000]}
}
