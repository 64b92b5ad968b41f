package views_test

import (
	"fmt"
	"strings"

	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

func ExampleFind() {
	v, _ := views.Find("gc-cpu-time")
	fmt.Println(v.Label + ": " + v.Description)
	fmt.Println(v.Query)
	// Output:
	// GC CPU Time: CPU time and elapsed time of garbage collections
	// from jdk.GCCPUTime
	// select
	//   sum(userTime) 'GC User Time',
	//   sum(systemTime) 'GC System Time',
	//   sum(realTime) 'GC Wall Clock Time',
	//   diff(startTime) 'Total Time',
	//   count(*) 'GC Count';
}

// A file of one's own has views with parameters.
func ExampleRead() {
	list, err := views.Read(strings.NewReader(`
view: slow-reads
title: Slow Reads
about: Files that took long to read
from jdk.FileRead
where duration > ${threshold=10ms}
select path 'Path', count(*) 'Reads', max(duration) as longest 'Longest'
group by path
order by longest desc;
`), "my.views")
	if err != nil {
		fmt.Println(err)
		return
	}
	st, err := list[0].Statement(map[string]string{"threshold": "1s"}, query.Options{})
	fmt.Println(st, err)
	// Output:
	// SELECT path 'Path', count(*) 'Reads', max(duration) AS longest 'Longest' FROM jdk.FileRead WHERE duration > 1s GROUP BY path ORDER BY longest DESC <nil>
}
