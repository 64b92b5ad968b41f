package otlp_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/otlp"
)

// A message for a collector of OpenTelemetry.
func Example() {
	p := profile.New()
	cpu := profile.Kinds()[0]
	p.AddKind(cpu)
	main := p.Push(0, p.AddFrame(profile.Frame{Method: p.AddMethod(profile.Method{Class: "app/Main", Name: "main", Descriptor: "([Ljava/lang/String;)V"}), Kind: profile.Interpreted}))
	work := p.Push(main, p.AddFrame(profile.Frame{Method: p.AddMethod(profile.Method{Class: "app/Work", Name: "run", Descriptor: "()V"}), Kind: profile.JITCompiled}))
	p.Add("cpu", work, p.AddLabels(profile.Labels{Thread: "main"}), 3, 30e6)
	var message bytes.Buffer
	if err := otlp.Write(&message, p, otlp.Options{Service: "shop"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.Contains(message.Bytes(), []byte("shop")))
	// Output: true
}
