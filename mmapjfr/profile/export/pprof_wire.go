package export

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// table holds the messages of one field of a profile, one after the other.
type table struct {
	data []byte
	ends []uint32
	at   []uint32 // the offsets in the file
}

func (t *table) len() int { return len(t.ends) }

func (t *table) get(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.data[start:t.ends[i]]
}

// fields are those of a profile, as they stand in the file.
type fields struct {
	tables  [profileDefaultType + 1]table // by number
	numbers [profileDefaultType + 1]int64
	// comments are the numbers of strings.
	comments []int64
	size     int64
}

// most are how many messages of a field a file has at most, far more than profilers write. A file of
// some kilobytes could unpack to hundreds of millions of empty ones.
var most = [profileDefaultType + 1]int{
	profileSampleType: 1 << 10, profileSample: 1 << 25, profileMapping: 1 << 20, profileLocation: 1 << 23,
	profileFunction: 1 << 23, profileString: 1 << 23, profileComment: 1 << 10,
}

// step is how much memory is made for a message before its bytes have been read.
const step = 64 << 10

// readFile reads the fields of a profile, which is not compressed. No message takes more memory than
// there are bytes.
func readFile(r *bufio.Reader, limit int64) (*fields, error) {
	f := &fields{}
	counted := &countedReader{r: r, limit: limit}
	for {
		counted.start = counted.n
		tag, err := counted.uvarint()
		if err == io.EOF && counted.n == counted.start {
			f.size = counted.n
			return f, nil
		}
		if err != nil {
			return nil, counted.wrap(err)
		}
		number, typ := protowire.DecodeTag(tag)
		if number <= 0 {
			return nil, counted.fail("it is not a field of a profile")
		}
		if err := f.field(counted, number, typ); err != nil {
			return nil, counted.wrap(err)
		}
	}
}

// field reads the rest of a field.
func (f *fields) field(r *countedReader, number protowire.Number, typ protowire.Type) error {
	isMessage := number <= profileString || number == profilePeriodType || number == profileComment
	if number >= 1 && number <= profileDefaultType && isMessage != (typ == protowire.BytesType) && number != profileComment {
		return r.fail("field " + strconv.Itoa(int(number)) + " is of another type in profiles of pprof")
	}
	switch typ {
	case protowire.VarintType:
		n, err := r.uvarint()
		if number == profileComment {
			return cmp.Or(err, f.comment(r, n))
		} else if int(number) < len(f.numbers) {
			f.numbers[number] = int64(n)
		}
		return err
	case protowire.Fixed64Type:
		_, err := io.CopyN(io.Discard, r, 8)
		return err
	case protowire.Fixed32Type:
		_, err := io.CopyN(io.Discard, r, 4)
		return err
	case protowire.BytesType:
		n, err := r.uvarint()
		if err != nil {
			return err
		}
		if n > uint64(r.limit) {
			return errTooLarge
		}
		if number > profileString && number != profileComment {
			_, err = io.CopyN(io.Discard, r, int64(n))
			return err
		}
		t := &f.tables[number]
		switch {
		case t.len() == most[number]:
			return r.fail("there are more than " + strconv.Itoa(t.len()) + " of field " + strconv.Itoa(int(number)) + " before it, which no profile has")
		case number == profileString && uint64(len(t.data))+n > maxText:
			return r.fail("strings have more than " + strconv.Itoa(maxText>>20) + " MB, which those of no profile have")
		}
		if err := t.read(r, int(n)); err != nil || number != profileComment {
			return err
		}
		ok := eachVarint(t.get(t.len()-1), func(n uint64) bool { err = f.comment(r, n); return err == nil })
		if !ok {
			return cmp.Or(err, io.ErrUnexpectedEOF)
		}
		return nil
	}
	return r.fail("it is not a field of a profile")
}

// comment adds the number of a comment.
func (f *fields) comment(r *countedReader, n uint64) error {
	if len(f.comments) == most[profileComment] {
		return r.fail("there are more than " + strconv.Itoa(len(f.comments)) + " comments before it, which no profile has")
	}
	f.comments = append(f.comments, int64(n))
	return nil
}

// read adds a message of n bytes.
func (t *table) read(r *countedReader, n int) error {
	for n > 0 {
		part := min(n, step)
		at := len(t.data)
		t.data = append(t.data, make([]byte, part)...)
		if _, err := io.ReadFull(r, t.data[at:]); err != nil {
			return err
		}
		n -= part
	}
	t.ends = append(t.ends, uint32(len(t.data)))
	t.at = append(t.at, uint32(r.start))
	return nil
}

var errTooLarge = errors.New("too large")

// countedReader counts the bytes that are read.
type countedReader struct {
	r        *bufio.Reader
	n, limit int64
	start    int64 // of the field
	failed   bool  // the last byte could not be read
}

func (c *countedReader) ReadByte() (byte, error) {
	if c.failed = c.n >= c.limit; c.failed {
		return 0, errTooLarge
	}
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	c.failed = err != nil
	return b, err
}

// uvarint reads a number.
func (c *countedReader) uvarint() (uint64, error) {
	n, err := binary.ReadUvarint(c)
	if err != nil && !c.failed { // its bytes are there, and have more than 64 bits
		err = c.fail("it is not a field of a profile")
	}
	return n, err
}

func (c *countedReader) Read(p []byte) (int, error) {
	if c.n+int64(len(p)) > c.limit {
		return 0, errTooLarge
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *countedReader) fail(reason string) error {
	return &FormatError{Offset: c.start, Reason: reason}
}

// wrap says where an error is.
func (c *countedReader) wrap(err error) error {
	switch {
	case errors.As(err, new(*FormatError)):
		return err
	case errors.Is(err, errTooLarge):
		return c.fail(tooLarge(c.limit))
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return c.fail("the file ends in the middle of it; copy it again")
	}
	return err
}

// eachField calls do with each field of a message: with a number, or with bytes. It is false if the
// message is damaged or do returns false.
func eachField(msg []byte, do func(number protowire.Number, n uint64, b []byte, isBytes bool) bool) bool {
	for len(msg) > 0 {
		number, typ, size := protowire.ConsumeTag(msg)
		if size < 0 {
			return false
		}
		msg = msg[size:]
		var (
			n uint64
			b []byte
		)
		switch typ {
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(msg)
		case protowire.BytesType:
			b, size = protowire.ConsumeBytes(msg)
		case protowire.Fixed32Type, protowire.Fixed64Type:
			if size = protowire.ConsumeFieldValue(number, typ, msg); size >= 0 {
				msg = msg[size:]
				continue // no field that is known
			}
		default:
			return false
		}
		if size < 0 || !do(number, n, b, typ == protowire.BytesType) {
			return false
		}
		msg = msg[size:]
	}
	return true
}

// eachVarint calls do with each of some packed numbers. It is false if they are damaged or do returns
// false.
func eachVarint(packed []byte, do func(n uint64) bool) bool {
	for len(packed) > 0 {
		n, size := protowire.ConsumeVarint(packed)
		if size < 0 || !do(n) {
			return false
		}
		packed = packed[size:]
	}
	return true
}

// numbers reads the numbers of a message by field. Bytes in the place of one of them make it false.
func numbersOf(msg []byte, dst []uint64) bool {
	clear(dst)
	return eachField(msg, func(number protowire.Number, n uint64, _ []byte, isBytes bool) bool {
		if int(number) >= len(dst) {
			return true
		}
		dst[number] = n
		return !isBytes
	})
}

// isPprof reports whether a file with this beginning is a profile of pprof, not compressed. One that
// begins with a sample type, as those that programs write do, may be damaged after it.
func isPprof(head []byte) bool {
	if number, typ, size := protowire.ConsumeTag(head); number == profileSampleType && typ == protowire.BytesType {
		var n [valueUnit + 1]uint64
		if b, size := protowire.ConsumeBytes(head[size:]); size > 1 && numbersOf(b, n[:]) && n[valueType] > 0 {
			return true
		}
	}
	const last = 15 // the number of the last field
	fields := 0
	for len(head) > 0 {
		number, typ, size := protowire.ConsumeTag(head)
		isMessage := number <= profileString || number == profilePeriodType
		if size < 0 || number > last || isMessage && typ != protowire.BytesType ||
			!isMessage && typ != protowire.VarintType && (number != profileComment || typ != protowire.BytesType) {
			return false
		}
		fields++
		value := protowire.ConsumeFieldValue(number, typ, head[size:])
		if value < 0 {
			break // a message may be longer than what is known
		}
		head = head[size+value:]
	}
	return fields > 1
}
