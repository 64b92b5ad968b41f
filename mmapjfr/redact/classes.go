package redact

import (
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// symbolUse says how names of classes lie in a text.
type symbolUse uint8

const (
	symbolsStay   symbolUse = iota // names stay as they are
	symbolsAlone                   // the text is a name, a descriptor, or the name of a method
	symbolsInText                  // among other words
)

var symbolTypes = []string{
	"jdk.types.Symbol", "java.lang.Class", "jdk.types.Method", "jdk.types.Package", "jdk.types.Module", "jdk.types.ClassLoader",
}

// symbolUse returns how names of classes lie in the texts of a field.
func (r *Redactor) symbolUse(of rewrite.Place) symbolUse {
	switch {
	case r.classes == nil:
		return symbolsStay
	case slices.Contains(symbolTypes, of.Type):
		return symbolsAlone
	}
	return symbolsInText
}

// classNames gives other names to classes, packages and methods. All is known by names with dots: packages and
// classes that some recording has, methods of classes that get other names, and texts that describe such types.
type classNames struct {
	key      *Key
	kept     []string
	packages map[string]bool
	classes  map[string]bool
	methods  nameUses
	texts    nameUses // labels, descriptions and categories
	fields   nameUses
}

// nameUses are names by whether they were found in what gets other names and in what stays.
type nameUses map[string]nameUse

type nameUse struct{ hidden, kept bool }

// add adds a name that was found.
func (f nameUses) add(name string, kept bool) {
	in := f[name]
	in.hidden, in.kept = in.hidden || !kept, in.kept || kept
	f[name] = in
}

// hides reports whether a name gets another one: it was found only where names do.
func (f nameUses) hides(name string) bool { return f[name] == nameUse{hidden: true} }

// primitives are names that are no classes.
var primitives = []string{"boolean", "byte", "char", "short", "int", "long", "float", "double", "void"}

// alwaysKept are the names by which every reader knows the types that recordings are made of, and those of the JDK.
var alwaysKept = []string{"java.*", "jdk.*"}

// keeps reports whether a class, a package or a type, with dots, keeps its name.
func (c *classNames) keeps(name string) bool {
	return name == "" || slices.Contains(primitives, name) || matchesAny(alwaysKept, name) || matchesAny(c.kept, name) || matchesAny(c.kept, name+".")
}

// addClass learns the name of a class or a type, and its packages.
func (c *classNames) addClass(name string) {
	name = strings.TrimLeft(strings.ReplaceAll(name, "/", "."), "[")
	name, _ = generated(name)
	if strings.HasSuffix(name, ";") {
		name = strings.TrimPrefix(strings.TrimSuffix(name, ";"), "L")
	}
	if !isQualified(name) || c.keeps(name) {
		return
	}
	c.classes[name] = true
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		c.addPackage(name[:dot])
	}
}

// addPackage learns the name of a package or a module.
func (c *classNames) addPackage(name string) {
	name = strings.ReplaceAll(name, "/", ".")
	if isQualified(name) && !c.keeps(name) {
		c.packages[name] = true
	}
}

// isQualified reports whether a text can be the name of a class, with dots.
func isQualified(name string) bool {
	return name != "" && name[0] != '.' && !isDigit(name[0]) && run(name, 0, func(b byte) bool { return isWord(b) || b == '.' || b == '$' || b == '-' }) == len(name)
}

// generated cuts what virtual machines append to the names of classes that have no file.
func generated(name string) (own, rest string) {
	for _, mark := range []string{"$$Lambda", "+0x", "/0x", ".0x"} {
		if i := strings.Index(name, mark); i > 0 {
			name, rest = name[:i], name[i:]+rest
		}
	}
	return name, rest
}

// name returns the other name of a class or a package, whose parts are separated by / or dots. Each part gets a name
// that depends on those before it, so that a package is called the same in the names of all its classes.
func (c *classNames) name(text string) string {
	own, rest := generated(text)
	full := strings.ReplaceAll(own, "/", ".")
	if c.keeps(full) || isOtherName(full) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(own); {
		if b := own[i]; b == '/' || b == '.' || b == '$' {
			out.WriteByte(b)
			i++
			continue
		}
		to := run(own, i, func(b byte) bool { return b != '/' && b != '.' && b != '$' })
		switch part := own[i:to]; {
		case run(part, 0, isDigit) == len(part):
			out.WriteString(part)
		case isUpper(part[0]):
			out.WriteString("C" + c.key.token("class", full[:to]))
		default:
			out.WriteString("p" + c.key.token("class", full[:to]))
		}
		i = to
	}
	return out.String() + rest
}

// isOtherName reports whether all parts of a name, with dots, are pseudonyms, of whatever key, or numbers.
func isOtherName(name string) bool {
	any := false
	for part := range strings.FieldsFuncSeq(name, func(c rune) bool { return c == '.' || c == '$' }) {
		if run(part, 0, isDigit) < len(part) {
			if strings.IndexByte("Cpmf", part[0]) < 0 || !isToken(part[1:]) {
				return false
			}
			any = true
		}
	}
	return any
}

// method returns the other name of a method. The parts of the name of a lambda are named as the methods are.
func (c *classNames) method(name string) string {
	parts := strings.Split(name, "$")
	for i, part := range parts {
		if part == "" || run(part, 0, isDigit) == len(part) || i == 0 && len(parts) > 1 && (part == "lambda" || part == "access") || part == "new" || part == "static" || isOtherName(part) {
			continue
		}
		parts[i] = "m" + c.key.token("method", part)
	}
	return strings.Join(parts, "$")
}

// symbol returns what becomes of a name that is alone: of a class, a package, a method, or a descriptor.
func (c *classNames) symbol(text string) string {
	switch {
	case text == "" || text[0] == '<':
		return text // <init>
	case text[0] == '(' || text[0] == '[' || text[0] == 'L' && text[len(text)-1] == ';':
		return c.descriptor(text)
	case c.methods.hides(text) && text != "main":
		return c.method(text)
	}
	own, _ := generated(text)
	dotted := strings.ReplaceAll(own, "/", ".")
	if isQualified(dotted) && (strings.IndexByte(own, '/') > 0 || c.classes[dotted] || c.packages[dotted]) {
		return c.name(text)
	}
	return c.text(text)
}

// descriptor returns a descriptor with the other names of the classes in it.
func (c *classNames) descriptor(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		if text[i] != 'L' {
			out.WriteByte(text[i])
			i++
			continue
		}
		to := i + 1 + indexAny(text[i+1:], ";<")
		if to == len(text) {
			return text // it is none
		}
		out.WriteByte('L')
		out.WriteString(c.name(text[i+1 : to]))
		out.WriteByte(text[to])
		i = to + 1
	}
	return out.String()
}

// text returns a text with the other names of the classes, packages and methods in it, as far as they are known.
func (c *classNames) text(text string) string {
	var out strings.Builder
	end := 0
	for i := 0; i < len(text); {
		if !isLetter(text[i]) || i > 0 && (isWord(text[i-1]) || text[i-1] == '$') {
			i++
			continue
		}
		to := run(text, i, func(b byte) bool { return isWord(b) || b == '.' || b == '/' || b == '$' || b == '-' })
		for to > i && (text[to-1] == '.' || text[to-1] == '/' || text[to-1] == '-') {
			to--
		}
		known := c.known(text[i:to])
		if known == 0 { // the path of a class file may begin with folders
			i += min(to-i, 1+indexAny(text[i:to], "/"))
			continue
		}
		out.WriteString(text[end:i])
		out.WriteString(c.name(text[i : i+known]))
		end = i + known
		if dot := i + known; dot < to && text[dot] == '.' && c.methods.hides(text[dot+1:to]) {
			out.WriteString("." + c.method(text[dot+1:to]))
			end = to
		}
		i = to
	}
	if end == 0 {
		return text
	}
	out.WriteString(text[end:])
	return out.String()
}

// known returns how much of a text is the name of a known class, or of a class of a known package.
func (c *classNames) known(text string) int {
	own, _ := generated(text)
	dotted := strings.ReplaceAll(own, "/", ".")
	inPackage := 0
	for n := len(dotted); n > 0; n = max(strings.LastIndexByte(dotted[:n], '.'), 0) {
		switch {
		case c.classes[dotted[:n]]:
			return n
		case c.packages[dotted[:n]] && inPackage == 0:
			inPackage = len(own)
		}
	}
	return inPackage
}

// described returns what becomes of a text of the metadata.
func (c *classNames) described(of rewrite.Description, text string) string {
	switch {
	case of == rewrite.TypeName:
		return c.name(text)
	case of == rewrite.FieldName && isOtherName(text), of == rewrite.Annotated && isPseudonym(text):
		return text
	case of == rewrite.FieldName && c.fields.hides(text):
		return "f" + c.key.token("field", text)
	case of == rewrite.Annotated && c.texts.hides(text):
		return c.key.named("text", text)
	case of == rewrite.Annotated || of == rewrite.Default:
		return c.text(text)
	}
	return text
}

// jvmThreads are threads of virtual machines, which keep their names.
var jvmThreads = []string{
	"main", "VM Thread", "VM Periodic Task Thread", "Reference Handler", "Finalizer", "Signal Dispatcher", "Service Thread", "Monitor Deflation Thread",
	"C1 CompilerThread*", "C2 CompilerThread*", "Common-Cleaner", "Notification Thread", "Attach Listener", "DestroyJavaVM", "Sweeper thread", "GC Thread*",
	"G1 *", "Shenandoah*", "ZDriver*", "ZWorker*", "ZDirector", "ZStat", "JFR *", "StringDedup*", "ForkJoinPool-*", "ForkJoinPool.commonPool-*", "Cleaner-*",
	"process reaper", "Java2D Disposer", "system", "InnocuousThreadGroup", "VirtualThread-unparker", "HttpClient-*-SelectorManager",
}

// thread returns the other name of a thread. Digits at its end stay, so that the threads of a pool can be recognised.
func (k *Key) thread(name string) string {
	if name == "" || matchesAny(jvmThreads, name) || isPseudonym(name[:min(len(name), len("thread-")+tokenLength)]) {
		return name
	}
	pool := strings.TrimRight(name, "0123456789")
	number := name[len(pool):]
	pool = strings.TrimRight(pool, "-# ")
	if pool == "" {
		return name // only a number
	}
	if number != "" {
		number = "-" + number
	}
	return k.named("thread", pool) + number
}
