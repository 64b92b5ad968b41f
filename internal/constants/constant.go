package constants

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Constant is a constant as it lies in a recording. It is a view, valid until the recording
// is closed.
type Constant struct {
	Chunk mmapjfr.Chunk
	Type  mmapjfr.Type
	Key   int64
	// Offset is where it begins, with its key, in bytes from the start of the file.
	Offset uint64
	// Bytes is how many bytes key and value take.
	Bytes uint64
	// Shadowed says that an earlier checkpoint of the chunk has a constant with the same key,
	// so that no reference leads to this one.
	Shadowed bool

	value uint64 // where the value begins
}

// Value returns the value; that of the earlier constant if this one is shadowed.
func (c Constant) Value() mmapjfr.Value { return engine.ChunkConstant(c.Chunk, c.Type, c.Key) }

// All returns the constants of the wanted types, in the order of the file, shadowed ones
// included; all constants if wants is nil. It allocates nothing per constant.
func All(rec *mmapjfr.Recording, wants func(mmapjfr.Type) bool) iter.Seq2[Constant, error] {
	return func(yield func(Constant, error) bool) {
		for _, chunk := range counted(rec) {
			more := true
			err := rec.Protect(func() error {
				r, err := newReader(chunk)
				if err != nil {
					return err
				}
				r.each(wants, func(c Constant) bool {
					more = yield(c, nil)
					return more
				})
				return engine.ConstantReaderErr(r.ConstantReader)
			})
			if !more || err != nil && !yield(Constant{}, err) {
				return
			}
		}
	}
}

// counted returns the chunks of a recording whose constants count: repetitions have those of
// others.
func counted(rec *mmapjfr.Recording) []mmapjfr.Chunk {
	return slices.DeleteFunc(rec.Chunks(), func(c mmapjfr.Chunk) bool {
		_, repeats := engine.ChunkRepeats(c)
		return repeats
	})
}

// reader reads the constants of a chunk.
type reader struct {
	*mmapjfr.ConstantReader
	chunk mmapjfr.Chunk
}

func newReader(chunk mmapjfr.Chunk) (*reader, error) {
	r, err := engine.ChunkConstantReader(chunk)
	if err != nil {
		return nil, err
	}
	return &reader{r, chunk}, nil
}

// each calls visit with the constants of the wanted types until visit returns false.
func (r *reader) each(wants func(mmapjfr.Type) bool, visit func(Constant) bool) {
	for _, cp := range engine.ConstantReaderCheckpoints(r.ConstantReader) {
		for _, p := range cp.Pools {
			if !p.Type.IsZero() && (wants == nil || wants(p.Type)) && !r.eachIn(p, visit) {
				return
			}
		}
	}
}

// eachIn is each for one pool. It returns false if visit has.
func (r *reader) eachIn(p mmapjfr.Pool, visit func(Constant) bool) bool {
	return engine.ConstantReaderConstants(r.ConstantReader, p, func(c mmapjfr.PooledConstant) bool {
		return visit(Constant{
			Chunk: r.chunk, Type: p.Type, Key: c.Key, Offset: c.Offset, Bytes: c.Size, Shadowed: c.Shadowed, value: c.Value,
		})
	})
}

// Pool is a summary of the constants of a type.
type Pool struct {
	// Type is the name of the type.
	Type string `json:"type"`
	// Constants is the number of constants with different keys, and Copies that of shadowed ones.
	Constants uint64 `json:"constants"`
	Copies    uint64 `json:"copies"`
	// Bytes is how many bytes all of them take.
	Bytes uint64 `json:"bytes"`
	// Checkpoints is the number of checkpoints that have such constants.
	Checkpoints uint64 `json:"checkpoints"`
}

// Table is the pools of recordings, by type. The zero Table is empty.
type Table struct {
	pools map[string]*Pool
}

// Add adds the pools of a recording. The error joins those of chunks whose checkpoints could
// not be read, or not all of them; what could be read is added.
func (t *Table) Add(rec *mmapjfr.Recording, wants func(mmapjfr.Type) bool) error {
	var errs []error
	for _, chunk := range counted(rec) {
		errs = append(errs, rec.Protect(func() error {
			r, err := engine.ChunkConstantReader(chunk)
			if err != nil {
				return err
			}
			t.add(r, wants)
			return engine.ConstantReaderErr(r)
		}))
	}
	return errors.Join(errs...)
}

func (t *Table) add(r *mmapjfr.ConstantReader, wants func(mmapjfr.Type) bool) {
	if t.pools == nil {
		t.pools = make(map[string]*Pool)
	}
	seen := make(map[mmapjfr.Type]bool)
	for _, cp := range engine.ConstantReaderCheckpoints(r) {
		here := make(map[mmapjfr.Type]bool)
		for _, p := range cp.Pools {
			if p.Type.IsZero() || wants != nil && !wants(p.Type) {
				continue
			}
			sum := t.pools[engine.TypeRecordedName(p.Type)]
			if sum == nil {
				sum = &Pool{Type: engine.TypeRecordedName(p.Type)}
				t.pools[engine.TypeRecordedName(p.Type)] = sum
			}
			if !here[p.Type] {
				here[p.Type] = true
				sum.Checkpoints++
			}
			if !seen[p.Type] {
				seen[p.Type] = true
				n := uint64(engine.ConstantReaderLen(r, p.Type))
				sum.Constants += n
				sum.Copies -= n // p.Count, added below, has these, too
			}
			sum.Copies += p.Count
			sum.Bytes += p.Size
		}
	}
}

// Pools returns the pools, those with most bytes first.
func (t *Table) Pools() []Pool {
	list := make([]Pool, 0, len(t.pools))
	for _, p := range t.pools {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b Pool) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Type, b.Type))
	})
	return list
}

// Text returns the value of a constant in short: strings as they are, classes and methods by their
// names, threads and class loaders by name and number or class, of stack traces the innermost frame
// and how many there are, and others as [mmapjfr.Value.Text]. It does not alias the recording.
func Text(v mmapjfr.Value) string {
	if v.Kind() != mmapjfr.KindStruct {
		return v.Text()
	}
	switch v.Type().Name() {
	case jdktypes.Class:
		return v.Class().Name()
	case jdktypes.Method:
		return methodText(v.Method())
	case jdktypes.Thread:
		t := v.Thread()
		if id := t.JavaThreadID(); id > 0 {
			return fmt.Sprintf("%s (#%d)", t.Name(), id)
		}
		return fmt.Sprintf("%s (os %d)", t.Name(), t.OSThreadID())
	case jdktypes.StackTrace:
		return stackText(v.StackTrace())
	case jdktypes.ClassLoader:
		return loaderText(v.ClassLoader())
	case jdktypes.ThreadGroup, jdktypes.Package, jdktypes.Module:
		if name := v.Get(pathName); name.Kind() == mmapjfr.KindString {
			return name.Str()
		}
	}
	return v.Text()
}

var pathName = mmapjfr.Path("name")

// methodText returns class, name and descriptor.
func methodText(m mmapjfr.Method) string {
	class := m.Class().Name()
	if class == "" {
		class = "?"
	}
	return class + "." + m.Name() + engine.MethodDescriptor(m)
}

// stackText returns the innermost frame, and how many there are.
func stackText(s mmapjfr.StackTrace) string {
	n := s.Len()
	if n == 0 {
		return "no frames"
	}
	top := s.Frame(0)
	text := methodText(top.Method())
	if line := top.Line(); line > 0 {
		text += ":" + strconv.Itoa(line)
	}
	more := ""
	if s.IsTruncated() {
		more = " or more"
	}
	if n == 1 && more == "" {
		return text + ", 1 frame"
	}
	return text + ", " + strconv.Itoa(n) + more + " frames"
}

// loaderText returns the name of a class loader and its class; both are empty for that
// of the virtual machine.
func loaderText(l mmapjfr.ClassLoader) string {
	class := l.Type().Name()
	switch {
	case l.Name() == "":
		return class
	case class == "":
		return l.Name()
	}
	return l.Name() + " (" + class + ")"
}
