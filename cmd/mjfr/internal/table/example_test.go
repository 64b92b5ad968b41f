package table_test

import (
	"context"
	"log"
	"os"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

func Example() {
	rec, err := mmapjfr.Open("../../../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	recs := []*mmapjfr.Recording{rec}
	st, err := query.Parse("from FileRead where endOfFile = false select path, count(*), max(duration) group by path order by 2 desc limit 3", query.Options{})
	if err != nil {
		log.Fatal(err)
	}
	types, err := mmapjfr.EventTypes(recs)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := st.Plan(types, query.Options{})
	if err != nil {
		log.Fatal(err)
	}
	found, err := query.Read(context.Background(), recs, []*query.Plan{plan}, query.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	w := table.New(os.Stdout, table.Options{Format: table.Markdown})
	if err := w.Write(found[0].Result()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// | Path | Count | Max. Duration |
	// | --- | ---: | ---: |
	// | /usr/lib/jvm/temurin-25-jdk-amd64/conf/security/java.security | 9 | 0.0486 ms |
	// | /tmp/tmp.flYVcZVekd/classes25/gen/Loaders$Loaded.class | 4 | 0.0245 ms |
	// | /tmp/tmp.flYVcZVekd/classes25/gen/Stacks.class | 3 | 0.0133 ms |
}
