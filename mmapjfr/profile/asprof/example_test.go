package asprof_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/asprof"
)

// What a page of jfrconv was made of.
func Example() {
	page := `<!DOCTYPE html>
<script>
const cpool = [
'all',
' app/Main.main',
'$Work.run'
];
unpack(cpool);

n(3,5)
u(8,5)
u(17,3)
</script>
`
	p, err := asprof.Read(strings.NewReader(page), asprof.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for s := range p.Samples() {
		for f := range p.Stack(s.Stack) {
			fmt.Print(profile.Names{}.Frame(p, p.Frame(f)), " < ")
		}
		fmt.Println(s.Values)
	}
	// Output:
	// app/Work.run < app/Main.main < [3]
	// app/Main.main < [2]
}
