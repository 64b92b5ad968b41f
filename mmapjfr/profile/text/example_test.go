package text_test

import (
	"log"
	"os"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/text"
)

// A tree on a terminal.
func Example() {
	p := profile.New()
	cpu := profile.Kinds()[0]
	p.AddKind(cpu)
	main := p.Push(0, p.AddFrame(profile.Frame{Method: p.AddMethod(profile.Method{Class: "app/Main", Name: "main", Descriptor: "([Ljava/lang/String;)V"}), Kind: profile.Interpreted}))
	work := p.Push(main, p.AddFrame(profile.Frame{Method: p.AddMethod(profile.Method{Class: "app/Work", Name: "run", Descriptor: "()V"}), Kind: profile.JITCompiled}))
	p.Add("cpu", work, p.AddLabels(profile.Labels{Thread: "main"}), 3, 30e6)
	err := text.Write(os.Stdout, p, text.Options{
		Column: profile.Column{Kind: &cpu, Value: 1},
		Number: func(n int64) string { return time.Duration(n).String() },
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 100.0%  30ms
	// └─ 100.0%  30ms  app/Main.main
	//    └─ 100.0%  30ms  app/Work.run
}
