package collapsed_test

import (
	"log"
	"os"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/collapsed"
)

// A stack of two frames, weighted by nanoseconds.
func Example() {
	p := profile.New()
	cpu := profile.Kinds()[0]
	p.AddKind(cpu)
	main := p.Push(0, p.AddFrame(profile.Frame{Method: p.AddMethod(profile.Method{Class: "app/Main", Name: "main", Descriptor: "([Ljava/lang/String;)V"}), Kind: profile.Interpreted}))
	work := p.Push(main, p.AddFrame(profile.Frame{Method: p.AddMethod(profile.Method{Class: "app/Work", Name: "run", Descriptor: "()V"}), Kind: profile.JITCompiled}))
	p.Add("cpu", work, p.AddLabels(profile.Labels{Thread: "main"}), 3, 30e6)
	err := collapsed.Write(os.Stdout, p, collapsed.Options{Column: profile.Column{Kind: &cpu, Value: 1}})
	if err != nil {
		log.Fatal(err)
	}
	// Output: app/Main.main_[0];app/Work.run_[j] 30000000
}
