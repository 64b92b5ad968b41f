package redact

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// secrets are texts of all kinds, none of which may stay. Those of users and hosts are in the first place, too, where
// they are learned.
var secrets = []string{
	"ann.lee", "build-7.acme.lan", "ann@acme.com", "10.77.1.2", "2001:db8::77", "/home/bob/plans", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
	"AKIAIOSFODNN7EXAMPLE", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "password=hunter2", "http://h.acme.com/p?q=1",
	"select a from t where b = 'Smith'", "-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----",
}

// gone are parts of these that must not be in the bytes.
var gone = []string{"ann.lee", "build-7", "ann@", "1.2", "db8::77", "plans", "eyJh", "AKIA", "4111 1111", "3704", "hunter2", "q=1", "Smith", "MIIE"}

func units(text string) jfrtest.Text { return jfrtest.UTF16Units(utf16.Encode([]rune(text))...) }

// planted returns a chunk with secrets in all places where texts lie, and bytes that belong to nothing.
func planted(uncompressed bool) []byte {
	b := jfrtest.NewChunk()
	if uncompressed {
		b.Uncompressed()
	}
	env := b.Event("jdk.InitialSystemProperty", jfrtest.Of("key", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
	b.Emit(env, 1, "user.name", "ann.lee")
	b.Emit(env, 1, "java.rmi.server.hostname", "build-7.acme.lan")
	all := b.Event("shop.Order", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Const("thread", "java.lang.Thread"), jfrtest.Const("class", "java.lang.Class"),
		jfrtest.Of("list", jfrtest.StringClass).Array())
	for i, s := range secrets {
		id := int64(i + 1)
		b.Constant(jfrtest.StringClass, id, s)
		symbol := b.Constant("jdk.types.Symbol", id, s)
		group := b.Constant("jdk.types.ThreadGroup", id, nil, s)
		thread := b.Constant("java.lang.Thread", id, s, id, "worker "+s, id, group, false)
		class := b.Constant("java.lang.Class", id, nil, symbol, nil, 0, false)
		for _, text := range []jfrtest.Text{jfrtest.UTF8(s), jfrtest.UTF8("é " + s + " é"), jfrtest.Latin1("é: " + s), units("é, " + s), jfrtest.Pooled(id)} {
			b.Emit(all, 1, text, thread, class, []any{text, "x"})
		}
		all.Annotate(jfrtest.Note("jdk.jfr.Description", "of "+s))
		all.Settings = append(all.Settings, jfrtest.Setting{Name: "set", Class: "jdk.settings.Enabled", Default: s})
	}
	return b.Bytes()
}

// redacted returns a copy of recordings without what rules find.
func redacted(t testing.TB, r *Redactor, workers int, recs ...*mmapjfr.Recording) []byte {
	t.Helper()
	for _, rec := range recs {
		require.NoError(t, r.Learn(t.Context(), rec))
	}
	var out bytes.Buffer
	_, err := rewrite.Write(t.Context(), &out, recs, &rewrite.Plan{Edits: r, Workers: workers, Drop: func(t mmapjfr.Type) bool { return r.Drops(t.Name()) }})
	require.NoError(t, err)
	return out.Bytes()
}

// redactedBy returns a copy of a recording that edits make.
func redactedBy(t testing.TB, edits rewrite.Edits, rec *mmapjfr.Recording) []byte {
	t.Helper()
	var out bytes.Buffer
	_, err := rewrite.Write(t.Context(), &out, []*mmapjfr.Recording{rec}, &rewrite.Plan{Edits: edits})
	require.NoError(t, err)
	return out.Bytes()
}

var open = opentest.Bytes

// checked returns what Check finds.
func checked(t testing.TB, data []byte) *Checked {
	t.Helper()
	c, err := New(Default(), Key{}).Check(t.Context(), bytes.NewReader(data))
	require.NoError(t, err)
	return c
}

// wide returns a text as it lies in an array of char whose integers have their full width.
func wide(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		out.Write([]byte{0, b})
	}
	return out.String()
}

// TestNothingIsLeft plants secrets wherever texts can lie. None is in the bytes of the copy.
func TestNothingIsLeft(t *testing.T) {
	for _, uncompressed := range []bool{false, true} {
		data := planted(uncompressed)
		for i, part := range gone {
			require.True(t, bytes.Contains(data, []byte(part)), "%d", i)
		}
		assert.Greater(t, checked(t, data).Count, int64(100))
		r := New(Default(), RandomKey())
		copied := redacted(t, r, 2, open(t, data))
		for i, part := range gone {
			assert.False(t, bytes.Contains(copied, []byte(part)) || bytes.Contains(copied, []byte(wide(part))), "secret %d is left, uncompressed: %v", i, uncompressed)
		}
		assert.Empty(t, checked(t, copied).Findings)
		for i := range secrets { // the report has no values
			assert.NotContains(t, r.Report().String(), secrets[i])
		}
		assert.Contains(t, r.Report().String(), "metadata:annotation")
		assert.Contains(t, r.Report().String(), "metadata:default")
		assert.Contains(t, r.Report().String(), "java.lang.Thread:osName")
	}
}

// TestCheckFindsEachSecret in each encoding, at the right offset, wherever windows end.
func TestCheckFindsEachSecret(t *testing.T) {
	for _, secret := range []string{"ann@acme.com", "10.77.1.2", "AKIAIOSFODNN7EXAMPLE", "4111111111111111"} {
		for name, in := range map[string]jfrtest.Text{"UTF-8": jfrtest.UTF8(secret), "Latin-1": jfrtest.Latin1("é " + secret), "char": units(secret)} {
			for _, uncompressed := range []bool{false, true} {
				b := jfrtest.NewChunk()
				if uncompressed {
					b.Uncompressed()
				}
				// What follows can be read as a part of the text.
				typ := b.Event("test.E", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("n", "byte"), jfrtest.Of("m", "byte"))
				b.Emit(typ, 1, in, int('7'), int('7'))
				assert.NotZero(t, checked(t, b.Bytes()).Count, "%s in %s, uncompressed: %v", secret, name, uncompressed)
			}
		}
	}
	for _, at := range []int{0, 1, checkLead - 1, checkLead, checkWindow - checkOverlap - 5, checkWindow - checkOverlap, checkWindow - 7, checkWindow, checkWindow + checkLead - 3, 2*checkWindow - checkOverlap - 3, 3*checkWindow + 17} {
		data := make([]byte, 4*checkWindow)
		copy(data[at:], "ann@acme.com")
		got := checked(t, data)
		require.Len(t, got.Findings, 1, "at %d", at)
		assert.EqualValues(t, at, got.Findings[0].Offset)
		assert.EqualValues(t, len(data), got.Bytes)
		got = checked(t, append(bytes.Repeat([]byte("x "), at/2+1), wide(" ann@acme.com ")...))
		assert.Len(t, got.Findings, 1, "UTF-16 at %d", at)
	}
	for _, before := range []int{longestRun - 5, longestRun, 2 * longestRun} {
		long := strings.Repeat("x ", before/2) + "ann@acme.com"
		assert.EqualValues(t, 1, checked(t, []byte(long)).Count)
		assert.EqualValues(t, 1, checked(t, []byte(wide(long))).Count, "%d", before)
	}
}

// TestCheckFindsTextsInNumbers: a text can be an array of numbers that take more bytes than its characters need.
func TestCheckFindsTextsInNumbers(t *testing.T) {
	fixed := func(width int) func(byte) []byte {
		return func(b byte) []byte { return append(make([]byte, width-1), b) }
	}
	padded := func(width int) func(byte) []byte {
		return func(b byte) []byte {
			return append(append([]byte{b | 0x80}, bytes.Repeat([]byte{0x80}, width-2)...), 0)
		}
	}
	for name, encode := range map[string]func(byte) []byte{
		"int": fixed(4), "long": fixed(8), "padded to 2": padded(2), "padded to 5": padded(5), "padded to 9": padded(9),
	} {
		for _, at := range []int{0, 1, 3, checkLead - 1, checkWindow - checkOverlap - 5, checkWindow - 7, checkWindow + checkLead - 3} {
			for _, before := range []byte{0, 'x', 0x80, 0xff} {
				data := bytes.Repeat([]byte{before}, at)
				if before == 'x' {
					data = bytes.Repeat([]byte("x "), at)[:at]
				}
				for _, b := range []byte(" ann@acme.com ") {
					data = append(data, encode(b)...)
				}
				got := checked(t, append(data, 1, 2, 0))
				if assert.Len(t, got.Findings, 1, "%s at %d after %#x", name, at, before) {
					width := len(encode('x'))
					assert.Equal(t, int64(at+width), got.Findings[0].Offset)
					assert.Equal(t, strings.Fields(name)[0], got.Findings[0].Encoding)
				}
			}
		}
	}
}

// TestWorkersDoNotMatter: copy and report are the same for any number of workers.
func TestWorkersDoNotMatter(t *testing.T) {
	for name, rec := range recordings(t) {
		rules := Default()
		rules.HideClasses()
		rules.HideThreads()
		one, four := New(rules, Key{}), New(rules, Key{})
		copied := redacted(t, one, 1, rec)
		require.True(t, bytes.Equal(copied, redacted(t, four, 4, rec)), name)
		assert.Equal(t, one.Report(), four.Report(), name)
	}
}

// TestKeysDoNotMatter: all events of a copy whose constants keep their keys are those of one that is made anew.
func TestKeysDoNotMatter(t *testing.T) {
	kept := 0
	for name, rec := range recordings(t) {
		rules := Default()
		if strings.HasPrefix(name, "jdk25") {
			rules.HideClasses()
			rules.HideThreads()
		}
		var events [2]string
		for i := range events {
			r := New(rules, Key{})
			require.NoError(t, r.Learn(t.Context(), rec))
			var out, printed bytes.Buffer
			report, err := rewrite.Write(t.Context(), &out, []*mmapjfr.Recording{rec}, &rewrite.Plan{Edits: r, Anew: i == 0})
			require.NoError(t, err)
			if kept += report.Edited; out.Len() > 0 {
				require.NoError(t, print.Write(t.Context(), &printed, []*mmapjfr.Recording{open(t, out.Bytes())}, print.Options{Format: print.NDJSON, StackDepth: 1 << 20, Order: print.ByFile}))
			}
			events[i] = printed.String()
		}
		if events[0] != events[1] {
			a, b := strings.Split(events[0], "\n"), strings.Split(events[1], "\n")
			assert.Equal(t, len(a), len(b), name)
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Errorf("%s: event %d\n%.3000s\n%.3000s", name, i, a[i], b[i])
					break
				}
			}
		}
	}
	assert.Greater(t, kept, 5)
	t.Logf("%d chunks kept their keys", kept)
}

// TestRealRecordings redacts recordings: the copies are sound, and nothing is found in them.
func TestRealRecordings(t *testing.T) {
	for name, rec := range recordings(t) {
		for _, hide := range []bool{false, true} {
			rules := Default()
			if hide {
				rules.HideClasses()
				rules.HideThreads()
			}
			data := redacted(t, New(rules, RandomKey()), 2, rec)
			if len(data) == 0 {
				continue
			}
			before, err := verify.Check(t.Context(), rec)
			require.NoError(t, err, name)
			report, err := verify.Check(t.Context(), open(t, data))
			require.NoError(t, err, name)
			for _, f := range report.Findings {
				if f.Kind.String() == "dangling-constant" && slices.ContainsFunc(before.Findings, func(was verify.Finding) bool { return was.Kind == f.Kind && was.Text == f.Text }) {
					continue // it has been missing before
				}
				assert.LessOrEqual(t, f.Kind.Severity(), verify.Note, "%s: %v", name, f.Text)
			}
			assert.Empty(t, checked(t, data).Findings, name)
		}
	}
}

// TestCopiesOfDamagedRecordings: whatever is wrong in a recording, verify finds no error in its copy, but for types and
// texts for which the JDK refuses the recording, too.
func TestCopiesOfDamagedRecordings(t *testing.T) {
	for seed := range longtest.Cases(50, 3000) {
		program := make([]byte, 512)
		_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), 21}).Read(program)
		rec, err := mmapjfr.OpenBytes(jfrtest.GenerateFaulty(program))
		if err != nil {
			continue
		}
		before, err := verify.Check(t.Context(), rec)
		require.NoError(t, err)
		r := New(Default(), Key{})
		_ = r.Learn(t.Context(), rec) // what can be read
		var out bytes.Buffer
		_, err = rewrite.Write(t.Context(), &out, []*mmapjfr.Recording{rec}, &rewrite.Plan{Edits: r})
		require.NoError(t, err)
		require.NoError(t, rec.Close())
		if out.Len() > 0 {
			report, err := verify.Check(t.Context(), open(t, out.Bytes()))
			require.NoError(t, err)
			was := make(map[string]bool)
			for _, f := range before.Findings {
				was[f.Kind.String()] = true
			}
			refused := was["refused-metadata"] || was["type-layout"] || was["undescribed-type"]
			for _, f := range report.Findings {
				if was[f.Kind.String()] && f.Kind.String() == "bad-descriptor" || refused && f.Kind.String() == "refused-metadata" {
					continue
				}
				assert.Less(t, f.Kind.Severity(), verify.Error, "%d: %v", seed, f)
			}
		}
	}
}

// TestFieldsCalledByAKey has secrets that only the name of their field gives away, in an event, in a list and in a constant.
func TestFieldsCalledByAKey(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("shop.Account", jfrtest.Of("sessionToken", jfrtest.StringClass), jfrtest.Of("owner", jfrtest.StringClass))
	account := b.Constant("shop.Account", 1, "opaque-one", "kept-one")
	b.Constant(jfrtest.StringClass, 9, "opaque-two")
	login := b.Event("shop.Login", jfrtest.Of("apiKey", jfrtest.StringClass), jfrtest.Of("note", jfrtest.StringClass),
		jfrtest.Const("account", "shop.Account"), jfrtest.Of("passwords", jfrtest.StringClass).Array())
	b.Emit(login, 1, jfrtest.UTF8("opaque-three"), "kept-two", account, []any{jfrtest.Pooled(9), "opaque-four"})
	b.Emit(login, 1, "true", "kept-two", account, []any{})
	rec := open(t, b.Bytes())
	copied := redacted(t, New(Default(), RandomKey()), 1, rec)
	assert.NotContains(t, string(copied), "opaque")
	assert.Contains(t, string(copied), "kept-one")
	assert.Contains(t, string(copied), "kept-two")
	assert.Contains(t, string(copied), "[REDACTED]")
	assert.Contains(t, string(copied), "true")
}

// TestArraysCalledByAKey has secrets in arrays of char and byte. Other numbers stay, and so do arrays called otherwise.
func TestArraysCalledByAKey(t *testing.T) {
	b := jfrtest.NewChunk()
	e := b.Event("shop.Login", jfrtest.Of("apiKey", "char").Array(), jfrtest.Of("password", "byte").Array(), jfrtest.Of("letters", "char").Array(), jfrtest.Of("tokens", "int"))
	b.Emit(e, 1, []any{int('a'), int('b')}, []any{int('c'), int('d')}, []any{int('e')}, 7)
	r := New(Default(), RandomKey())
	copied := redacted(t, r, 1, open(t, b.Bytes()))
	var out bytes.Buffer
	require.NoError(t, print.Write(t.Context(), &out, []*mmapjfr.Recording{open(t, copied)}, print.Options{Format: print.NDJSON}))
	assert.Contains(t, out.String(), `"password":[0,0]`)
	assert.Contains(t, out.String(), `"tokens":7`)
	assert.NotContains(t, out.String(), `"a"`)
	assert.Contains(t, out.String(), `"e"`)
	assert.EqualValues(t, 4, r.Report().Count())
}

// TestUsersOfApplications has names in fields that applications call so. They are hidden wherever they stand.
func TestUsersOfApplications(t *testing.T) {
	for _, field := range []string{"user", "username", "userName", "login"} {
		b := jfrtest.NewChunk()
		e := b.Event("shop.Login", jfrtest.Of(field, jfrtest.StringClass), jfrtest.Of("note", jfrtest.StringClass))
		load := b.Event("jdk.ThreadCPULoad", jfrtest.Of("user", "float"))
		b.Emit(e, 1, "harriet", "mail of harriet")
		b.Emit(load, 1, float32(0.5))
		copied := redacted(t, New(Default(), RandomKey()), 1, open(t, b.Bytes()))
		assert.NotContains(t, string(copied), "harriet", field)
		again := redacted(t, New(Default(), RandomKey()), 1, open(t, copied))
		assert.True(t, bytes.Equal(copied, again), "another run changes what the first has made")
	}
}

// TestValuesBesideAKey has secrets that the text of another field gives away.
func TestValuesBesideAKey(t *testing.T) {
	for _, typ := range []string{"shop.Param", "jdk.StringFlag"} {
		for key, value := range map[string]string{"key": "value", "name": "val", "paramName": "paramValue", "param_key": "param_value"} {
			b := jfrtest.NewChunk()
			e := b.Event(typ, jfrtest.Of(key, jfrtest.StringClass), jfrtest.Of(value, jfrtest.StringClass))
			b.Emit(e, 1, "db.password", "opaque")
			b.Emit(e, 1, "db.name", "kept")
			copied := redacted(t, New(Default(), RandomKey()), 1, open(t, b.Bytes()))
			assert.NotContains(t, string(copied), "opaque")
			assert.Contains(t, string(copied), "kept")
		}
	}
}

// TestCheckAfterACopy has texts that end where bytes follow which look like letters: they are no part of a pseudonym.
func TestCheckAfterACopy(t *testing.T) {
	for size := range 60 { // of the event after it, of which the first byte may be any letter
		b := jfrtest.NewChunk()
		e := b.Event("shop.Order", jfrtest.Of("text", jfrtest.StringClass))
		for _, s := range []string{
			"/home/ann", "ann@acme.com", "10.77.1.2", "token=abc", "token=", "Authorization: ", "alter user a identified by x", "select a from t where b = 'x' or c = ", "--password ",
			strings.Repeat("x ", 320) + "the password is: ", "é token=", "a\x00password=",
		} {
			b.Emit(e, 1_000_000, s)
			b.Emit(e, 1_000_000, strings.Repeat("-", size+20))
		}
		rec := open(t, b.Bytes())
		copied := redacted(t, New(Default(), RandomKey()), 1, rec)
		assert.NotContains(t, string(copied), "ann@")
		found := checked(t, copied)
		assert.Zero(t, found.Count, "%d: %v", size, found.Findings)
	}
}

// TestCheckOfMarksWhereWindowsEnd has what a copy says instead of others on both sides of where windows end.
func TestCheckOfMarksWhereWindowsEnd(t *testing.T) {
	for _, end := range []int{checkOverlap, checkLead, 0} {
		for n := 0; n < 20; n += longtest.Cases(4, 1) {
			data := make([]byte, 3*checkWindow)
			copy(data[checkWindow-checkOverlap+end-12+n:], "token=[REDACTED]")
			copy(data[2*checkWindow-checkOverlap-12+n:], "token=[REDACTED]")
			assert.Zero(t, checked(t, data).Count, "%d, %d", end, n)
		}
	}
}
