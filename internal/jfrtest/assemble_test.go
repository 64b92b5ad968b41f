package jfrtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

func TestAssembleItems(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		"# nothing\n # more":                     "",
		`x"46 4c52 00" # magic`:                  "FLR\x00",
		"u1:5 u2:0x102 u4:3 u8:-1":               "\x05\x01\x02\x00\x00\x00\x03\xff\xff\xff\xff\xff\xff\xff\xff",
		"v0 v127 v128 v300/4":                    "\x00\x7f\x80\x01\xac\x82\x80\x00",
		"v-1":                                    "\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"f4:1 f8:-1.5":                           "\x3f\x80\x00\x00\xbf\xf8\x00\x00\x00\x00\x00\x00",
		`s0 s1 s2:300 s"é" s3"a" s4"é" s5"é"`:    "\x00\x01\x02\xac\x02\x03\x02é\x03\x01a\x04\x01\xe9\x01\x05\x01\xe9",
		"3*v1 2*(v2 u1:3)":                       "\x01\x01\x01\x02\x03\x02\x03",
		"event(v5) event/4(v5) event:u4(u8:5)":   "\x02\x05\x85\x80\x80\x00\x05\x00\x00\x00\x0c\x00\x00\x00\x00\x00\x00\x00\x05",
		"event(125*v0) event(127*v0)":            "\x7e" + string(make([]byte, 125)) + "\x81\x01" + string(make([]byte, 127)),
		"v0 here: u1:@here u1:@. u1:@end u1:7+2": "\x00\x01\x02\x05\x09",
		"event(a: event(b: v@b-@a))":             "\x03\x02\x01",
		"v@far 127*u1:0 far:":                    "\x81\x01" + string(make([]byte, 127)),
		"v@a-@./9 a:":                            "\x89\x80\x80\x80\x80\x80\x80\x80\x00",
	} {
		got, err := jfrtest.Assemble(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, string(got), text)
	}
}

func TestAssembleRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"\nfoo":            `line 2: what is "foo"`,
		"v1x":              `no number is "1x"`,
		"v300/1":           "300 does not fit into a varint of 1 bytes",
		"v1/10":            `a width of "10"`,
		"u3:5":             `what is "u3:5"`,
		`x"4"`:             "odd length",
		`s5"日"`:            "is not Latin-1",
		"s2":               "s2 wants a key",
		"s7":               `what is "s7"`,
		"event(v1":         ") is missing at the end",
		"event v1":         "event wants a parenthesis",
		"event/1(200*v0)":  "an event of 201 bytes has no size of 1",
		"v@nowhere":        "there is no label nowhere",
		"chunk":            "chunk wants a parenthesis",
		"y*v1":             `how often is "y"`,
		")":                `what is ")"`,
		"<a b>":            "no attribute of a",
		"<a b=\"c>":        "no text in quotes",
		"<>":               "an element without a name",
		"<a <b>":           "no attribute of a",
		"f4:x":             "invalid syntax",
		"v@a 127*u1:0 v@b": "there is no label",
	} {
		_, err := jfrtest.Assemble(text)
		require.ErrorContains(t, err, want, text)
	}
	assert.Panics(t, func() { jfrtest.MustAssemble("foo") })
}

// assembled is the same as the builder makes in TestAssembleChunk.
const assembled = `
chunk(
	v0:                                          # a label may be called anything
	event(v31 v1000000 s5"hi" f4:1.5 v9 v2 v1 v2)
	checkpoint: event(v1 v0 v0 v0 u1:0 v1      # pools
		v30 v1 v9 u1:7)
	metadata: event/4(v0 v0 v0 v7 table
		<root
			<metadata
				<class name=byte id=20> <class name=int id=21> <class name=long id=22>
				<class name=float id=23> <class name=java.lang.String id=24>
				<class name=B simpleType=true id=30 <field name=b class=20> >
				<class name=E superType=jdk.jfr.Event id=31
					<field name=startTime class=22> <field name=s class=24> <field name=f class=23>
					<field name=b class=30 constantPool=true> <field name=list class=21 dimension=1> > >
			<region locale=en gmtOffset=0 dst=0> >)
)`

func TestAssembleChunk(t *testing.T) {
	b := jfrtest.NewEmptyChunk()
	b.Header = jfrtest.Header{Major: 2, Minor: 1, TickRate: 1_000_000_000, Flags: jfrtest.FlagCompressed}
	b.Region.Locale = "en"
	for i, name := range []string{"byte", "int", "long", "float", jfrtest.StringClass} {
		b.Add(&jfrtest.Class{ID: int64(20 + i), Name: name})
	}
	b.Add((&jfrtest.Class{ID: 30, Name: "B", Fields: []jfrtest.Field{jfrtest.Of("b", "byte")}}).Simple())
	e := &jfrtest.Class{ID: 31, Name: "E", SuperType: jfrtest.EventSuperType, Fields: []jfrtest.Field{
		jfrtest.Of("startTime", "long"), jfrtest.Of("s", jfrtest.StringClass), jfrtest.Of("f", "float"),
		jfrtest.Const("b", "B"), jfrtest.Of("list", "int").Array(),
	}}
	b.Add(e)
	b.Emit(e, 1_000_000, jfrtest.Latin1("hi"), 1.5, 9, []int{1, 2})
	b.Checkpoint(0).Add("B", 9, 7)
	b.Metadata(&jfrtest.Metadata{ID: 7, StringEncodings: []byte{5}})
	got, err := jfrtest.Assemble(assembled)
	require.NoError(t, err)
	decoded := decode(t, got)
	require.Len(t, decoded.Chunks, 1)
	c := decoded.Chunks[0]
	assert.Equal(t, "hi", c.Events[0].Field("s"))
	assert.Equal(t, []any{int32(1), int32(2)}, c.Events[0].Field("list"))
	assert.Equal(t, int8(7), c.Path(c.Events[0].Field("b"), "b"))
	want, _ := b.Build()
	assert.Equal(t, decode(t, want).Chunks[0].Classes, c.Classes)
	assert.Equal(t, want, got)
}
