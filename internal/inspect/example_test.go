package inspect_test

import (
	"fmt"
	"log"
	"os"

	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// What every byte of an event says.
func ExampleEvent() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	ev, err := rec.EventByOrdinal(1000)
	if err != nil {
		log.Fatal(err)
	}
	if err := inspect.Write(os.Stdout, inspect.Event(ev)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0x00023278  18                                   size: int = 24; to 0x23290
	// 0x00023279  f7 0b                                type: type = 1527; jdk.ActiveSetting
	// 0x0002327b  85 b6 be dc 05                       startTime: long = 1536137989; 2026-11-21T00:49:16.357497977Z
	// 0x00023280  52                                   id: long = 82
	// 0x00023281  04                                   name.encoding: byte = 4; UTF-16
	// 0x00023282  07                                   name.length: count = 7
	// 0x00023283  65 6e 61 62 6c 65 64                 name: string = "enabled"
	// 0x0002328a  04                                   value.encoding: byte = 4; UTF-16
	// 0x0002328b  04                                   value.length: count = 4
	// 0x0002328c  74 72 75 65                          value: string = "true"
}

// What lies at an offset, as an error names it.
func ExampleFind() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	for _, offset := range []uint64{0, 68, 143_995} {
		item, err := inspect.Find(rec, offset)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Kind, "at", item.Offset, "of", item.Size, "bytes")
	}
	// Output:
	// header at 0 of 68 bytes
	// checkpoint at 68 of 8740 bytes
	// event at 143992 of 24 bytes
}
