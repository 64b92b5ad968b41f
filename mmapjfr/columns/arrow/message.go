package arrow

import (
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// The numbers of the format, as in Message.fbs and Schema.fbs of Apache Arrow.
const (
	version5 = 4

	headerSchema, headerDictionary, headerRecordBatch = 1, 2, 3

	typeInt, typeFloat, typeUtf8, typeBool, typeTimestamp, typeList, typeStruct = 2, 3, 5, 6, 10, 12, 13

	precisionDouble, unitMicrosecond = 2, 2
)

// frameFields are the columns of frames.
var frameFields = columns.FrameFields()

// message makes one message.
type message struct{ *flatbuffers.Builder }

func newMessage() message { return message{flatbuffers.NewBuilder(1024)} }

// slot is a value of a table.
type slot func(b message, at int)

func (m message) table(slots ...slot) flatbuffers.UOffsetT {
	m.StartObject(len(slots))
	for i, s := range slots {
		if s != nil {
			s(m, i)
		}
	}
	return m.EndObject()
}

func offset(n flatbuffers.UOffsetT) slot {
	return func(m message, at int) { m.PrependUOffsetTSlot(at, n, 0) }
}
func long(n int) slot    { return func(m message, at int) { m.PrependInt64Slot(at, int64(n), 0) } }
func integer(n int) slot { return func(m message, at int) { m.PrependInt32Slot(at, int32(n), 0) } }
func short(n int) slot   { return func(m message, at int) { m.PrependInt16Slot(at, int16(n), 0) } }
func union(n byte) slot  { return func(m message, at int) { m.PrependByteSlot(at, n, 0) } }
func truth(yes bool) slot {
	return func(m message, at int) { m.PrependBoolSlot(at, yes, false) }
}

// finish returns a message with a header of a kind.
func (m message) finish(kind byte, header flatbuffers.UOffsetT, body int) []byte {
	m.Finish(m.table(short(version5), union(kind), offset(header), long(body)))
	return m.FinishedBytes()
}

// properties returns a list of names and values.
func (m message) properties(list [][2]string) flatbuffers.UOffsetT {
	var pairs []flatbuffers.UOffsetT
	for _, p := range list {
		key, value := m.CreateString(strings.ToValidUTF8(p[0], "\uFFFD")), m.CreateString(strings.ToValidUTF8(p[1], "\uFFFD"))
		pairs = append(pairs, m.table(offset(key), offset(value)))
	}
	return m.CreateVectorOfTables(pairs)
}

// ofColumn returns the properties of a column.
func (m message) ofColumn(c *columns.Column) flatbuffers.UOffsetT {
	list := c.Properties()
	for i := range list {
		list[i][0] = "jfr." + list[i][0]
	}
	return m.properties(list)
}

// schema adds the schema of a table.
func (m message) schema(t *columns.Table) flatbuffers.UOffsetT {
	var fields []flatbuffers.UOffsetT
	for i := range t.Columns {
		c := &t.Columns[i]
		properties := m.ofColumn(c)
		switch c.Kind {
		case columns.Text:
			index := m.table(integer(32), truth(true))
			dictionary := m.table(long(i), offset(index))
			fields = append(fields, m.field(c.Name, columns.Text, !c.Required, offset(dictionary), nil, offset(properties)))
		case columns.List:
			element := m.field("item", c.Element, true, nil, nil, nil)
			fields = append(fields, m.list(c.Name, element, properties))
		case columns.Frames:
			var children []flatbuffers.UOffsetT
			for _, f := range frameFields {
				children = append(children, m.field(f.Name, f.Kind, true, nil, nil, nil))
			}
			name, typ, list := m.CreateString("item"), m.table(), m.CreateVectorOfTables(children)
			frame := m.table(offset(name), truth(false), union(typeStruct), offset(typ), nil, offset(list))
			fields = append(fields, m.list(c.Name, frame, properties))
		default:
			fields = append(fields, m.field(c.Name, c.Kind, !c.Required, nil, nil, offset(properties)))
		}
	}
	list := m.CreateVectorOfTables(fields)
	properties := m.properties(t.Properties())
	return m.table(nil, offset(list), offset(properties)) // nil: little endian
}

func (m message) list(name string, element, properties flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	text, typ, children := m.CreateString(name), m.table(), m.CreateVectorOfTables([]flatbuffers.UOffsetT{element})
	return m.table(offset(text), truth(true), union(typeList), offset(typ), nil, offset(children), offset(properties))
}

// field adds a field that has single values.
func (m message) field(name string, k columns.Kind, nullable bool, dictionary, children, properties slot) flatbuffers.UOffsetT {
	text, kind := m.CreateString(name), byte(typeInt)
	var typ flatbuffers.UOffsetT
	switch k {
	case columns.Bool:
		kind, typ = typeBool, m.table()
	case columns.Double:
		kind, typ = typeFloat, m.table(short(precisionDouble))
	case columns.Time:
		zone := m.CreateString("UTC")
		kind, typ = typeTimestamp, m.table(short(unitMicrosecond), offset(zone))
	case columns.Text:
		kind, typ = typeUtf8, m.table()
	default:
		typ = m.table(integer(64), truth(k == columns.Int))
	}
	if children == nil {
		children = offset(m.CreateVectorOfTables(nil)) // readers want a list, even if it is empty
	}
	return m.table(offset(text), truth(nullable), union(kind), offset(typ), dictionary, children, properties)
}

// batch adds the header of a batch of rows.
func (m message) batch(rows int, b *body) flatbuffers.UOffsetT {
	m.StartVector(16, len(b.buffers), 8)
	for i := len(b.buffers) - 1; i >= 0; i-- {
		m.Prep(8, 16)
		m.PrependInt64(int64(b.buffers[i].size))
		m.PrependInt64(int64(b.buffers[i].at))
	}
	buffers := m.EndVector(len(b.buffers))
	m.StartVector(16, len(b.nodes), 8)
	for i := len(b.nodes) - 1; i >= 0; i-- {
		m.Prep(8, 16)
		m.PrependInt64(int64(b.nodes[i].nulls))
		m.PrependInt64(int64(b.nodes[i].length))
	}
	nodes := m.EndVector(len(b.nodes))
	return m.table(long(rows), offset(nodes), offset(buffers))
}

// dictionary adds the header of a dictionary, whose texts are a batch.
func (m message) dictionary(number int, batch flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	return m.table(long(number), offset(batch))
}
