package rewrite

import "context"

// Edits change values on the way from recordings to their copy. An editor is asked for once for each field of
// each type of a chunk, and called for each value. Its methods, and the functions that they return, are called from
// several goroutines at once.
type Edits interface {
	// Text returns the function that edits the texts of a field, those in arrays and pooled ones too; nil if they
	// stay as they are.
	Text(of Place) TextEdit
	// Number returns the function that edits the numbers of a field; nil if they stay as they are. Keys of
	// constants, times and lengths of time are not asked for.
	Number(of Place) NumberEdit
	// Array returns the function that edits an array of integers as a whole, which may be a text; nil if no array does
	// change. It is asked for where Number returns nil.
	Array(of Place) ArrayEdit
	// Described returns what takes the place of a text of the metadata.
	Described(of Description, text string) string
}

// Place is a field of a type, in which values lie.
type Place struct {
	// Type is the full name of the event type, or of the type of constants, by its current name: jdk.FileRead,
	// java.lang.Thread, jdk.types.Symbol. Pooled strings that a field without an edit refers to are those of
	// the type java.lang.String, whose only field has no name.
	Type string
	// Field is the name of the field. In a struct inside of an event it is the path to it, as in
	// "heapSpace.start".
	Field string
	// Event reports whether the type is an event type.
	Event bool
	// Units reports whether the field is an array of char or byte, whose numbers may be a text.
	Units bool
	// Number says what the numbers of the field are, and Bits how many bits each has.
	Number Number
	Bits   int
}

// Number says what numbers are.
type Number uint8

// The kinds of numbers.
const (
	NoNumber Number = iota // a text
	Boolean                // 0 or 1
	Integer
	Unsigned // a char
	Real     // the bits of a float or a double, as of math.Float32bits
)

// TextEdit edits a text. It returns false if the text stays as it is. A null is not edited. The text is valid until
// the function returns.
type TextEdit func(text string, of Values) (edited string, changed bool)

// NumberEdit edits a number. What it returns fits the bits that numbers of the field have.
type NumberEdit func(n int64) int64

// ArrayEdit edits the numbers of an array in place. It returns false if they stay as they are. The context is that of the
// copy.
type ArrayEdit func(ctx context.Context, numbers []int64) bool

// Values are the other values of the event or constant that is edited.
type Values interface {
	// Text returns the text of a field as it is in the recording; false if it is null or no text. Of an element of an
	// array of structs it is a field of that element, if it has one of that name.
	Text(field string) (string, bool)
	// Previous returns the text of the element before, if the text that is edited is one of an array.
	Previous() (string, bool)
	// Memo returns where an editor can keep what it has found out about the text that is edited, if the text is a long
	// one to which many values may refer; else nil. It is gone with the chunk.
	Memo() Memo
	// Context is that of the copy. Once it is done nothing is written, whatever an edit returns.
	Context() context.Context
}

// Memo is what editors keep about a text, by keys of their own. One goroutine uses it.
type Memo map[any]any

// Description says what a text of the metadata is.
type Description uint8

// The texts of the metadata.
const (
	TypeName    Description = iota // the name of a type, as jdk.FileRead or com.example.Request
	FieldName                      // the name of a field
	SettingName                    // the name of a setting
	Annotated                      // a value of an annotation: a label, a description, a category
	Default                        // the default of a setting
)
