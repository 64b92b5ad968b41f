package print

import (
	"strconv"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Paths to what text says of old objects.
var (
	pathArrayElements = mmapjfr.Path("arrayElements")
	pathReferrer      = mmapjfr.Path("referrer")
	pathSkip          = mmapjfr.Path("skip")
	pathArray         = mmapjfr.Path("array")
	pathIndex         = mmapjfr.Path("index")
	pathSize          = mmapjfr.Path("size")
	pathField         = mmapjfr.Path("field")
	pathObject        = mmapjfr.Path("object")
	pathDescription   = mmapjfr.Path("description")
)

// appendOldObject appends an object and what refers to it, up to a root, one in each
// line.
func (r *textRenderer) appendOldObject(dst []byte, object mmapjfr.Value, depth int) []byte {
	dst = append(dst, " [\n"...)
	dst = appendSpaces(dst, depth+2)
	if length := r.event.Get(pathArrayElements); length.Kind() != mmapjfr.KindNone {
		dst = r.appendObject(dst, object, length.Int())
		dst = r.appendReferrers(dst, object, depth+2)
	}
	dst = appendSpaces(dst, depth)
	return append(dst, "]\n"...)
}

func (r *textRenderer) appendReferrers(dst []byte, object mmapjfr.Value, depth int) []byte {
	seen := make(map[int64]bool) // for those who refer to one another in a ring
	for object.Kind() == mmapjfr.KindStruct && !seen[object.Key()] {
		seen[object.Key()] = true
		ref := object.Get(pathReferrer)
		if ref.Kind() != mmapjfr.KindStruct {
			break
		}
		if ref.Get(pathSkip).Int() > 0 {
			dst = append(appendSpaces(dst, depth), "...\n"...)
		}
		dst = appendSpaces(dst, depth)
		array, field := ref.Get(pathArray), ref.Get(pathField)
		length := int64(0)
		if array.Kind() == mmapjfr.KindStruct {
			length = array.Get(pathSize).Int()
		}
		switch {
		case field.Kind() == mmapjfr.KindStruct:
			dst = r.orNull(dst, field.Get(pathName))
		case array.Kind() == mmapjfr.KindStruct:
			dst = append(dst, '[')
			dst = strconv.AppendInt(dst, array.Get(pathIndex).Int(), 10)
			dst = append(dst, ']')
		}
		dst = append(dst, " : "...)
		object = ref.Get(pathObject)
		dst = r.appendObject(dst, object, length)
	}
	return dst
}

// appendObject appends the class of an object, what else is known of it, and the end
// of the line. Arrays show their length if it is known.
func (r *textRenderer) appendObject(dst []byte, object mmapjfr.Value, length int64) []byte {
	if class := object.Get(pathType); class.Kind() == mmapjfr.KindStruct {
		text := ""
		if length > 0 {
			text = strconv.FormatInt(length, 10)
		}
		dst = r.appendClassName(dst, class, text)
		if description := object.Get(pathDescription); description.Kind() == mmapjfr.KindString {
			dst = r.appendString(append(dst, ' '), description)
		}
	}
	return append(dst, '\n')
}
