package columns

import (
	"encoding/binary"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// class is a class by its name and its loader. It is the same one in all chunks.
type class struct {
	raw, loader  string // the name as the recording has it
	name, stable string // the name with dots; without the address of a hidden class
	pkg          string
	modifiers    int64
	hidden       bool
	missing      bool // no class was recorded
	ofApp        bool // it is not of the JDK
	constant     *Constant
	tableKnown   bool // the table of classes has it; what takes parts sets it
}

// Method is the method of stack frames, which share it.
type Method struct {
	// Class is the name of the class with dots, Name that of the method, and Descriptor what the virtual machine calls its
	// parameters.
	Class, Name, Descriptor string

	class     *class
	signature string
	number    uint64
	bytes     []byte    // those that stack_id hashes
	constant  *Constant // of columns of frames
}

// kind is how a frame was compiled.
type kind struct {
	name   string
	number uint64
}

// names has classes, methods and kinds of frames by their content. Several readers use it.
type names struct {
	mu      sync.Mutex
	classes map[string]*class
	methods map[string]*Method
	kinds   map[string]*kind
	numbers atomic.Uint64 // how many methods and kinds there have been
}

// mostNames is how many of each it has. Then it begins anew; numbers are not given twice.
const mostNames = 1 << 17

// class returns the class of a content, which fill makes if it is new.
func (n *names) class(content []byte, fill func() *class) *class {
	n.mu.Lock()
	c := n.classes[string(content)]
	n.mu.Unlock()
	if c != nil {
		return c
	}
	return enter(n, &n.classes, content, fill())
}

// method returns the method of a content, which fill makes if it is new.
func (n *names) method(content []byte, fill func() *Method) *Method {
	n.mu.Lock()
	m := n.methods[string(content)]
	n.mu.Unlock()
	if m != nil {
		return m
	}
	m = fill()
	m.number = n.numbers.Add(1)
	return enter(n, &n.methods, content, m)
}

// kind returns the kind of frames of a name.
func (n *names) kind(name string) *kind {
	n.mu.Lock()
	k := n.kinds[name]
	n.mu.Unlock()
	if k != nil {
		return k
	}
	return enter(n, &n.kinds, []byte(name), &kind{strings.Clone(name), n.numbers.Add(1)})
}

// appendContent appends texts so that no other texts append the same bytes.
func appendContent(b []byte, texts ...string) []byte {
	for _, text := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	return b
}

// enter adds what is new, and returns that of another goroutine if it was faster.
func enter[T any](n *names, all *map[string]*T, content []byte, made *T) *T {
	n.mu.Lock()
	defer n.mu.Unlock()
	if known := (*all)[string(content)]; known != nil {
		return known
	}
	if *all == nil || len(*all) >= mostNames {
		*all = make(map[string]*T)
	}
	(*all)[string(content)] = made
	return made
}

// keyed has what keys of constants of a type mean. In the next chunk they mostly mean the same, but need not: what is of
// a round before is compared.
type keyed[T any] struct {
	typ  mmapjfr.Type
	keys keyTable
	list []ofRound[T]
}

type ofRound[T any] struct {
	of    *T
	round int
}

// at returns what a key of a type has meant last, nil if it is new.
func (k *keyed[T]) at(t mmapjfr.Type, key int64) *ofRound[T] {
	if k.typ != t || len(k.list) >= mostNames {
		k.typ, k.list = t, k.list[:0]
		k.keys.clear()
	}
	if len(k.list) > 0 {
		if p := k.keys.find(key); p.at != 0 {
			return &k.list[p.at-1]
		}
	}
	k.keys.grow(len(k.list))
	k.list = append(k.list, ofRound[T]{})
	*k.keys.find(key) = place{key, int32(len(k.list))}
	return &k.list[len(k.list)-1]
}

var (
	pathRawName, pathLoader  = mmapjfr.Path("@raw.name"), mmapjfr.Path("classLoader")
	pathName, pathDescriptor = mmapjfr.Path("name"), mmapjfr.Path("descriptor")
	pathMethod, pathType     = mmapjfr.Path("method"), mmapjfr.Path("type")
	pathFrames               = mmapjfr.Path("frames")
	pathLine, pathBCI        = mmapjfr.Path("lineNumber"), mmapjfr.Path("bytecodeIndex")
)

// class returns the class that a value is.
func (x *reader) class(v mmapjfr.Value) *class {
	key := engine.ValueKey(v)
	if key == 0 {
		return x.classOf(v, nil)
	}
	at := x.classes.at(v.Type(), key)
	if at.of == nil || at.round != x.round {
		at.of, at.round = x.classOf(v, at.of), x.round
	}
	return at.of
}

// classOf returns the class that a value is, which may be that of before.
func (x *reader) classOf(v mmapjfr.Value, before *class) *class {
	raw, loader := v.Get(pathRawName).StrView(), x.loader(v.Get(pathLoader))
	missing := v.Kind() != mmapjfr.KindStruct
	if before != nil && before.raw == raw && before.loader == loader && before.missing == missing {
		return before
	}
	x.bytes = appendContent(x.bytes[:0], raw, loader)
	if missing {
		x.bytes = append(x.bytes, 0)
	}
	return x.chunk.e.names.class(x.bytes, func() *class {
		view := v.Class()
		c := &class{raw: strings.Clone(raw), loader: loader, missing: missing, name: view.Name(), pkg: view.Package(),
			modifiers: int64(engine.ClassModifiers(view)), hidden: view.IsHidden()}
		c.stable = javaname.Stable(c.name)
		c.ofApp = c.name != "" && !ofJDK().MatchString(c.name)
		c.constant = newConstant([]cell{text(c.name)})
		return c
	})
}

// loader returns the name of the class loader that a value is.
func (x *reader) loader(v mmapjfr.Value) string {
	key := engine.ValueKey(v)
	if key == 0 {
		return v.ClassLoader().Name()
	}
	at := x.loaders.at(v.Type(), key)
	if at.of == nil || at.round != x.round {
		at.of, at.round = new(v.ClassLoader().Name()), x.round
	}
	return *at.of
}

// methodOf returns the method that a value is, which may be that of before.
func (x *reader) methodOf(v mmapjfr.Value, before *Method) *Method {
	c := x.class(v.Get(pathType))
	name, descriptor := v.Get(pathName).StrView(), v.Get(pathDescriptor).StrView()
	missing := v.Kind() != mmapjfr.KindStruct
	if before != nil && !missing && before.class == c && before.Name == name && before.Descriptor == descriptor {
		return before
	}
	x.bytes = appendContent(x.bytes[:0], c.raw, c.loader, name, descriptor)
	if missing {
		x.bytes = append(x.bytes, 0)
	}
	return x.chunk.e.names.method(x.bytes, func() *Method {
		m := &Method{Class: c.name, Name: strings.Clone(name), Descriptor: strings.Clone(descriptor), class: c, signature: v.Method().Signature()}
		m.bytes = appendTexts(nil, c.stable, m.Name, m.Descriptor)
		m.constant = newConstant([]cell{text(m.Class), text(m.Name), text(m.Descriptor)})
		return m
	})
}

// methodAt returns the method of a frame, by its key if it has one.
func (x *reader) methodAt(f mmapjfr.Value) *Method {
	v := f.Get(pathMethod)
	key := engine.ValueKey(v)
	if key == 0 {
		return x.methodOf(v, nil)
	}
	return x.learn(x.methods.at(v.Type(), key), v)
}

// learn notes which method a value is.
func (x *reader) learn(at *ofRound[Method], v mmapjfr.Value) *Method {
	if at.of == nil || at.round != x.round {
		m := x.methodOf(v, at.of)
		at.of, at.round = m, x.round
	}
	return at.of
}
