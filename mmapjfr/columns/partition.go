package columns

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// noValue is the value of a partition without one, as Hive calls it.
const noValue = "__HIVE_DEFAULT_PARTITION__"

// PartitionName returns the name of a folder with the rows of which a label has a value, as Hive writes it.
func PartitionName(label, value string) string {
	return PartitionValue(label) + "=" + PartitionValue(value)
}

// maxValue is how many bytes of a value stand in the name of a folder: file systems take 255 with the name of the label.
const maxValue = 180

// PartitionValue returns a value as a part of the name of a folder, as Hive writes it. Of a long value it has the beginning and
// a hash, so that no two values are one.
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
	return cmp.Or(ShortValue(b.String()), noValue)
}

// ShortValue returns a text that is to be a part of the name of a file: one of more than 180 bytes has its beginning and a hash.
func ShortValue(text string) string {
	if len(text) <= maxValue {
		return text
	}
	return beginning(text, maxValue) + "~" + strconv.FormatUint(hashOf(text), 36)
}

// FolderName returns the name of a folder with the files of a table.
func FolderName(table string) string {
	_, special := sideColumns[table]
	return printable(table, special)
}
