package redact

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// shop returns a chunk of an application with classes, methods, and an event type of its own.
func shop() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	n := int64(0)
	symbol := func(text string) jfrtest.Constant {
		n++
		return b.Constant("jdk.types.Symbol", n, text)
	}
	method := func(class, pkg, name, descriptor string) jfrtest.Constant {
		n++
		p := b.Constant("jdk.types.Package", n, symbol(pkg), nil, false)
		c := b.Constant("java.lang.Class", n, nil, symbol(class), p, 0, false)
		return b.Constant("jdk.types.Method", n, c, symbol(name), symbol(descriptor), 0, false)
	}
	order := b.Event("shop.Order", jfrtest.Of("price", "long"), jfrtest.Of("note", jfrtest.StringClass), jfrtest.Const("method", "jdk.types.Method"))
	order.Annotate(jfrtest.Note("jdk.jfr.Label", "Order Label"), jfrtest.Annotation{Class: "jdk.jfr.Category", Values: []jfrtest.Attribute{{Name: "value-0", Value: "Shop Category"}}})
	for _, m := range []jfrtest.Constant{
		method("shop/Cart$Item", "shop", "putItem", "(Lshop/Cart;[Ljava/lang/String;I)Lshop/Cart$Item;"),
		method("java/lang/Thread", "java/lang", "run", "()V"),
		method("shop/Cart", "shop", "run", "()V"),
		method("shop/Cart$$Lambda+0x00007f", "shop", "lambda$putItem$0", "()V"),
	} {
		b.Emit(order, 1, 7, "shop.Cart.putItem failed: shop.Cart$Item cannot be java.lang.String, in /x/shop/Cart.class", m)
	}
	return b
}

// TestClasses: names are the same in symbols, descriptors, texts and the metadata, and those of the JDK stay.
func TestClasses(t *testing.T) {
	rules := &Rules{keptClasses: Default().keptClasses}
	rules.HideClasses()
	r := New(rules, Key{})
	data := redacted(t, r, 1, open(t, shop().Bytes()))
	for _, text := range []string{"shop", "Cart", "Item", "Order", "price", "Shop Cat"} {
		assert.False(t, bytes.Contains(data, []byte(text)), "%s is left", text)
	}
	rec := open(t, data)
	cart := strings.Split(r.classes.name("shop.Cart$Item"), "$")
	require.Len(t, cart, 2)
	var names, descriptors []string
	seen := make(map[string]bool)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		assert.Equal(t, r.classes.name("shop.Order"), ev.Type().Name())
		assert.Regexp(t, `^text-`, ev.Type().Label())
		assert.Regexp(t, `^text-`, ev.Type().Category()[0])
		m := ev.Get(mmapjfr.Path("method")).Method()
		names, descriptors = append(names, m.Class().Name()+" "+m.Name()), append(descriptors, engine.MethodDescriptor(m))
		seen[ev.Get(mmapjfr.Path(noteOf(ev.Type()))).Str()] = true
	}
	put := r.classes.method("putItem")
	item := cart[0] + "$" + cart[1]
	assert.Equal(t, []string{item + " " + put, "java.lang.Thread run", cart[0] + " run", cart[0] + "$$Lambda+0x00007f lambda$" + put + "$0"}, names)
	slashed := strings.ReplaceAll(cart[0], ".", "/")
	assert.Equal(t, "(L"+slashed+";[Ljava/lang/String;I)L"+slashed+"$"+cart[1]+";", descriptors[0])
	assert.Equal(t, []string{cart[0] + "." + put + " failed: " + item + " cannot be java.lang.String, in /x/" + slashed + ".class"}, slices.Collect(maps.Keys(seen)))
}

// noteOf returns the name of the field that was note.
func noteOf(t mmapjfr.Type) string { return t.Fields()[2].Name() }

// TestClassNames: what becomes of names alone.
func TestClassNames(t *testing.T) {
	rules := Default()
	rules.HideClasses()
	c := New(rules, Key{}).classes
	c.addClass("com/acme/Main")
	for _, kept := range []string{"java/lang/String", "[I", "()V", "<init>", "int", "jdk/proxy2/$Proxy7", "main", "[Ljava/lang/Object;", "sun.misc.Unsafe", ""} {
		assert.Equal(t, kept, c.symbol(kept))
	}
	assert.Equal(t, "[L"+c.symbol("com/acme/Main")+";", c.symbol("[Lcom/acme/Main;"))
	assert.Equal(t, strings.ReplaceAll(c.symbol("com/acme/Main"), "/", "."), c.symbol("com.acme.Main"))
	assert.True(t, strings.HasPrefix(c.symbol("com/acme/Main"), c.symbol("com/acme")+"/C"))
	assert.Regexp(t, `^p\w+/p\w+/C\w+\$1$`, c.symbol("com/acme/Main$1"))
	assert.Equal(t, "Unknown words stay: com.other.Thing", c.text("Unknown words stay: com.other.Thing"))
	assert.Equal(t, "com.acmes.Main", c.text("com.acmes.Main"))
	assert.NotContains(t, c.text("at com.acme.Other.run"), "acme")
	assert.Equal(t, "jdk.jfr.Event", c.described(rewrite.TypeName, "jdk.jfr.Event"))
}

func TestThreads(t *testing.T) {
	rules := &Rules{}
	rules.HideThreads()
	r := New(rules, Key{})
	edit := r.Text(rewrite.Place{Type: "java.lang.Thread", Field: "javaName"})
	name := func(text string) string {
		text, _ = edit(text, nil)
		return text
	}
	for _, kept := range []string{"main", "GC Thread#3", "C2 CompilerThread0", "ForkJoinPool-1-worker-3", name("orders-7")} {
		assert.Equal(t, kept, name(kept))
	}
	assert.Regexp(t, `^thread-[a-z2-7]{8}-12$`, name("orders-12"))
	assert.Equal(t, strings.TrimSuffix(name("orders-12"), "12"), strings.TrimSuffix(name("orders-7"), "7"))
	assert.Nil(t, r.Text(rewrite.Place{Type: "jdk.FileRead", Field: "path", Event: true}))
}

// TestOtherNamesStay: another run, with another key, makes no change.
func TestOtherNamesStay(t *testing.T) {
	rules := Default()
	rules.HideClasses()
	rules.HideThreads()
	// A name stays that types have which nothing leads to. A copy does not describe them.
	plain := redacted(t, New(&Rules{}, Key{}), 1, open(t, shop().Bytes()))
	once := redacted(t, New(rules, RandomKey()), 1, open(t, plain))
	again := New(rules, RandomKey())
	assert.True(t, bytes.Equal(once, redacted(t, again, 1, open(t, once))))
	assert.Zero(t, again.Report().Count(), again.Report())
}

// TestFieldsOfEvents: no event type of the JDK is described, and still the fields that all events have keep their names.
func TestFieldsOfEvents(t *testing.T) {
	b := jfrtest.NewChunk()
	e := b.Event("shop.Order", jfrtest.Of("duration", "long"), jfrtest.Const("eventThread", "java.lang.Thread"), jfrtest.Of("stackTrace", "long"), jfrtest.Of("price", "long"))
	b.Emit(e, 1, 2, 0, 0, 7)
	rules := &Rules{keptClasses: Default().keptClasses}
	rules.HideClasses()
	rec := open(t, redacted(t, New(rules, Key{}), 1, open(t, b.Bytes())))
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		var names []string
		for _, f := range ev.Type().Fields() {
			names = append(names, f.Name())
		}
		require.Len(t, names, 5)
		assert.Equal(t, []string{"startTime", "duration", "eventThread", "stackTrace"}, names[:4])
		assert.NotEqual(t, "price", names[4])
	}
}
