package writer_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

// An event type for each struct, and contexts for what belongs together.
func ExampleRecorder() {
	type Query struct {
		Text string `jfr:"text" label:"Statement"`
		Rows int64  `jfr:"rows" label:"Rows"`
	}
	var out bytes.Buffer
	w, err := writer.New(&out)
	if err != nil {
		log.Fatal(err)
	}
	queries, err := writer.NewRecorder[Query](w, writer.EventInfo{Name: "app.Query", Label: "Query", Category: []string{"App"}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := writer.WithThread(context.Background(), writer.Thread{Name: "worker 1", ID: 1})
	_, query := queries.Begin(ctx)
	if err := query.End(Query{"select 1", 1}); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	rec, err := mmapjfr.OpenBytes(out.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	for ev, err := range rec.Events() {
		fmt.Println(ev.Type().Label(), ev.Thread().Name(), ev.Str(mmapjfr.Path("text")), err)
	}
	// Output:
	// Query worker 1 select 1 <nil>
}

// Values in the order of the fields, where there is no struct.
func ExampleWriter_DefineEvent() {
	var out bytes.Buffer
	w, err := writer.New(&out)
	if err != nil {
		log.Fatal(err)
	}
	reading, err := w.DefineEvent(writer.Type{
		Name: "app.Reading", Annotations: []writer.Annotation{writer.Label("Reading"), writer.Category("App", "Sensors")},
		Fields: []writer.Field{
			writer.StartTimeField(),
			{Name: "sensor", Type: "java.lang.String", Pooled: true},
			{Name: "sent", Type: "long", Annotations: []writer.Annotation{writer.DataAmount()}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reading.Write(writer.Time(time.Now()), writer.Text("roof"), writer.Int(512)))
	fmt.Println(reading.Write(writer.Time(time.Now()), writer.Text("roof")))
	fmt.Println(w.Close())
	// Output:
	// <nil>
	// writer: an event of type "app.Reading" was not written: "app.Reading" has 3 fields; there are 2 values
	// <nil>
}
