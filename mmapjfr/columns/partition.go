package columns

import (
	"cmp"
	"fmt"
	"strings"
)

// noValue is the value of a partition without one, as Hive calls it.
const noValue = "__HIVE_DEFAULT_PARTITION__"

// PartitionName returns the name of a folder with the rows of which a label has a value, as Hive writes it.
func PartitionName(label, value string) string {
	return PartitionValue(label) + "=" + PartitionValue(value)
}

// PartitionValue returns a value as a part of the name of a folder, as Hive writes it.
func PartitionValue(value string) string {
	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		if c < ' ' || c == 0x7f || strings.IndexByte(`"#%'*/:=?\{}[]^<>|`, c) >= 0 || c == '.' && i == 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return cmp.Or(b.String(), noValue)
}

// FolderName returns the name of a folder with the files of a table.
func FolderName(table string) string {
	_, special := sideColumns[table]
	return printable(table, special)
}
