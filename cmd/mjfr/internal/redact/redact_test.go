package redact

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/redact"
)

// mjfrCommand runs mjfr with the verb.
var mjfrCommand = clitest.Mjfr(New)

// sample returns a recording with secrets, and the name of a file beside it.
func sample(t *testing.T) (file, out string) {
	t.Helper()
	b := jfrtest.NewChunk()
	env := b.Event("jdk.InitialEnvironmentVariable", jfrtest.Of("key", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
	b.Emit(env, 1, "USER", "ann.lee")
	e := b.Event("shop.Mail", jfrtest.Of("text", jfrtest.StringClass))
	b.Emit(e, 1, "to bob@acme.com from ann.lee, password=hunter2")
	b.Emit(e, 2, "nothing here")
	dir := t.TempDir()
	file = filepath.Join(dir, "app.jfr")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	return file, filepath.Join(dir, "out.jfr")
}

// texts returns the texts of the events shop.Mail.
func texts(t *testing.T, file string) (all []string) {
	t.Helper()
	rec := opentest.File(t, file)
	for ev, err := range rec.Select(mmapjfr.Types("shop.Mail")).Events() {
		require.NoError(t, err)
		all = append(all, ev.Str(mmapjfr.Path("text")))
	}
	return all
}

func TestRedact(t *testing.T) {
	file, out := sample(t)
	code, told, errs := mjfrCommand(t, "redact", file, out)
	require.Equal(t, cli.ExitOK, code, errs)
	assert.Empty(t, errs)
	assert.Contains(t, told, "       1  pseudonym email\n                 1  shop.Mail:text\n")
	assert.Regexp(t, `out.jfr: [\d,]+ bytes; 4 changes\n$`, told)
	for _, secret := range []string{"ann", "bob", "acme", "hunter2"} {
		assert.NotContains(t, told, secret)
	}
	got := texts(t, out)
	require.Len(t, got, 2)
	assert.Regexp(t, `^to user-.{8}@host-.{8} from user-.{8}, password=\[REDACTED\]$`, got[0])
	assert.Equal(t, "nothing here", got[1])

	code, told, _ = mjfrCommand(t, "redact", "--check", out)
	assert.Equal(t, cli.ExitOK, code, told)
	assert.Regexp(t, `: 0 patterns in .*\n0 patterns means that nothing is left of what the rules know: .*secret \(values of \d+ keys\), jwt, token \(\d+ forms\), .*--original FILE.*docs/REDACT.md`, told)
	_, told, _ = mjfrCommand(t, "redact", "--check", "--report", "json", out)
	assert.Contains(t, told, `"knows"`)
	code, told, errs = mjfrCommand(t, "redact", "--check", file)
	assert.NotContains(t, told, "prove")
	assert.Equal(t, cli.ExitData, code)
	assert.Empty(t, errs)
	assert.Contains(t, told, "pseudonym email (12 bytes, ASCII)\n")
	assert.Contains(t, told, ": 2 patterns in ")
	assert.NotContains(t, told, "hunter2")
	// Also where another file has patterns, and where another cannot be read.
	for _, other := range []string{file, file + ".missing"} {
		code, told, _ = mjfrCommand(t, "redact", "--check", out, other)
		assert.NotEqual(t, cli.ExitOK, code)
		assert.Contains(t, told, "0 patterns means that nothing is left of what the rules know: ")
	}

	code, _, errs = mjfrCommand(t, "redact", file, out)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, errs, "use --force to replace it")
	code, _, errs = mjfrCommand(t, "redact", "--force", file, file)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, errs, "cannot be written in place")
}

// TestRedactRules: rules of files, with and without the default ones.
func TestRedactRules(t *testing.T) {
	file, out := sample(t)
	rules := filepath.Join(filepath.Dir(file), "own.rules")
	require.NoError(t, os.WriteFile(rules, []byte("constant \"B\" /bob/\nremove event jdk.Initial*\n"), 0o600))
	code, told, errs := mjfrCommand(t, "redact", "--rules", rules, file, out)
	require.Equal(t, cli.ExitOK, code, errs)
	assert.Equal(t, "to B@acme.com from ann.lee, password=hunter2", texts(t, out)[0])
	assert.Contains(t, told, "       1  remove event jdk.Initial*\n                 1  jdk.InitialEnvironmentVariable\n")
	data, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.False(t, bytes.Contains(data, []byte("InitialEnvironment")))

	_, _, errs = mjfrCommand(t, "redact", "--default", "--rules", rules, "--force", file, out)
	assert.Empty(t, errs)
	assert.NotContains(t, texts(t, out)[0], "hunter2")

	require.NoError(t, os.WriteFile(rules, []byte("constant emails\n"), 0o600))
	code, _, errs = mjfrCommand(t, "redact", "--rules", rules, "--force", file, out)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, errs, "own.rules:1: \"emails\" is not a kind")

	_, told, _ = mjfrCommand(t, "redact", "--print-rules")
	assert.Equal(t, redact.DefaultText(), told)
}

// TestRedactKeys: pseudonyms are the same with the same key, and others without.
func TestRedactKeys(t *testing.T) {
	file, out := sample(t)
	key := filepath.Join(filepath.Dir(file), "key")
	run := func(args ...string) string {
		_, _, errs := mjfrCommand(t, append([]string{"redact", "--force", file, out}, args...)...)
		require.Empty(t, errs)
		return texts(t, out)[0]
	}
	assert.Equal(t, run("--key-file", key), run("--key-file", key))
	assert.NotEqual(t, run(), run())
}

func TestRedactOutputs(t *testing.T) {
	file, out := sample(t)
	code, data, report := mjfrCommand(t, "redact", "--report", "json", file, "-")
	assert.Equal(t, cli.ExitOK, code)
	require.NoError(t, os.WriteFile(out, []byte(data), 0o600))
	assert.Len(t, texts(t, out), 2)
	var d struct {
		Changes int
		Rules   []struct {
			Rule   string
			Count  int
			Places []struct{ Place string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(report), &d))
	assert.Equal(t, 4, d.Changes)
	assert.Len(t, d.Rules, 4)

	require.NoError(t, os.Remove(out))
	code, told, _ := mjfrCommand(t, "redact", "--dry-run", file)
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, told, "nothing was written; 4 changes\n")
	assert.NoFileExists(t, out)

	// A packed file is unpacked; other files are read as they are.
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(raw)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(file+".gz", packed.Bytes(), 0o600))
	require.NoError(t, os.WriteFile(out, []byte("no recording: bob@acme.com"), 0o600))
	code, told, _ = mjfrCommand(t, "redact", "--check", "--report", "json", file+".gz", out)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, `"offset": 14`)
	assert.Contains(t, told, `"count": 2`)
}

func TestRedactUsage(t *testing.T) {
	for _, args := range [][]string{
		{}, {"a.jfr"}, {"--report", "xml", "a", "b"}, {"--check"}, {"--check", "--classes", "a"}, {"--check", "--dry-run", "a"}, {"--print-rules", "a"}, {"--dry-run"},
	} {
		code, _, errs := mjfrCommand(t, append([]string{"redact"}, args...)...)
		assert.Equal(t, cli.ExitUsage, code, "%v", args)
		assert.Contains(t, errs, "Try mjfr redact --help.")
	}
}

// TestOriginal finds what is secret by its place alone, where it stands elsewhere.
func TestOriginal(t *testing.T) {
	b := jfrtest.NewChunk()
	env := b.Event("jdk.InitialEnvironmentVariable", jfrtest.Of("key", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
	note := b.Event("shop.Note", jfrtest.Of("text", jfrtest.StringClass))
	b.Emit(env, 1, "CUSTOMER", "Harriet Vane")
	b.Emit(note, 1, jfrtest.Latin1("café of Harriet Vane"))
	dir := t.TempDir()
	file, out := filepath.Join(dir, "app.jfr"), filepath.Join(dir, "out.jfr")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	code, _, errs := mjfrCommand(t, "redact", file, out)
	require.Equal(t, cli.ExitOK, code, errs)
	code, _, _ = mjfrCommand(t, "redact", "--check", out)
	assert.Equal(t, cli.ExitOK, code)
	code, told, _ := mjfrCommand(t, "redact", "--check", "--original", file, out)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, "constant  field jdk.InitialEnvironmentVariable:value (")
	assert.NotContains(t, told, "Harriet")

	code, _, errs = mjfrCommand(t, "redact", "--original", file, file, out)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errs, "--original needs --check")
}

// redactedSample returns the file of a recording that was redacted.
func redactedSample(t *testing.T) string {
	file, out := sample(t)
	code, _, errs := mjfrCommand(t, "redact", file, out)
	require.Equal(t, cli.ExitOK, code, errs)
	return out
}

// TestCheckOfPackedInput: what is packed is unpacked, from standard input too, and never called clean where it cannot be.
func TestCheckOfPackedInput(t *testing.T) {
	file, _ := sample(t)
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(raw)
	require.NoError(t, w.Close())
	check := func(input []byte) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		a := &cli.App{Root: clitest.Verbs(New), Stdin: bytes.NewReader(input), Stdout: &stdout, Stderr: &stderr}
		code = a.Run(t.Context(), []string{"redact", "--check", "-"})
		return code, stdout.String(), stderr.String()
	}
	for _, input := range [][]byte{raw, packed.Bytes()} {
		code, told, _ := check(input)
		assert.Equal(t, cli.ExitData, code)
		assert.Contains(t, told, ": 2 patterns in ")
	}
	// All that unpacking gives is read, and what lies besides it.
	const hidden = "\x00\x00password=hunter2hunter2"
	code, clean, _ := mjfrCommand(t, "redact", "--check", redactedSample(t))
	require.Equal(t, cli.ExitOK, code, clean)
	sound, err := os.ReadFile(redactedSample(t))
	require.NoError(t, err)
	gz := func(name, text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Name = name
		_, _ = w.Write([]byte(text))
		require.NoError(t, w.Close())
		return b.Bytes()
	}
	var members bytes.Buffer
	z := zip.NewWriter(&members)
	for name, text := range map[string]string{"a.jfr": string(sound), "server.properties": "db.password=hunter2hunter2\n"} {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, _ = w.Write([]byte(text))
	}
	require.NoError(t, z.Close())
	for name, input := range map[string][]byte{
		"after the last chunk": gz("", string(sound)+hidden), "between chunks": gz("", string(sound)+hidden+string(sound)), "in a second member": append(gz("", string(sound)), gz("", hidden)...),
		"in a name": gz("password=hunter2hunter2", string(sound)), "in another file": members.Bytes(), "in a text": gz("", "password=hunter2hunter2"),
	} {
		code, told, errs := check(input)
		assert.Equal(t, cli.ExitData, code, name)
		assert.Contains(t, told, ": 1 pattern in ", name)
		assert.Empty(t, errs, name)
	}
	code, told, errs := check(gz("", "password=hunter2hunter2"+string(sound))[:400])
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, ": 1 pattern in ")
	assert.Contains(t, errs, "its gzip data ends too early; copy it again\n")
	code, told, errs = check(gz("", string(sound)))
	assert.Equal(t, cli.ExitOK, code, told)
	assert.Empty(t, errs)
	code, told, errs = check([]byte("]\x00\x00\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00"))
	assert.Equal(t, cli.ExitData, code)
	assert.Empty(t, told)
	assert.Contains(t, errs, "packed by lzma; unpack it first")

	var archive bytes.Buffer
	in := tar.NewWriter(&archive)
	require.NoError(t, in.WriteHeader(&tar.Header{Name: "app.jfr.gz", Mode: 0o600, Size: int64(packed.Len())}))
	_, _ = in.Write(packed.Bytes())
	require.NoError(t, in.Close())
	code, told, errs = check(archive.Bytes())
	assert.Equal(t, cli.ExitData, code)
	assert.Empty(t, told)
	assert.Contains(t, errs, "a tar archive; unpack it first")
	require.NoError(t, os.WriteFile(file+".tar", archive.Bytes(), 0o600))
	code, _, errs = mjfrCommand(t, "redact", "--check", file+".tar")
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, errs, "a tar archive; unpack it first")
}

// TestRulesThatFitNothing are mentioned, since a name may be misspelt.
func TestRulesThatFitNothing(t *testing.T) {
	file, out := sample(t)
	rules := filepath.Join(filepath.Dir(file), "own.rules")
	require.NoError(t, os.WriteFile(rules, []byte("constant email in shop.Mail:text\nremove event jdk.Typo\nblank field shop.Mail:txt\nremove event jdk.Initial*\n"), 0o600))
	code, _, errs := mjfrCommand(t, "redact", "--default", "--rules", rules, file, out)
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, errs, "own.rules:2: remove event jdk.Typo: no type or field of the recording fits this rule")
	assert.Contains(t, errs, "own.rules:3: blank field shop.Mail:txt: no type")
	assert.NotContains(t, errs, "own.rules:1")
	assert.NotContains(t, errs, "own.rules:4")
	assert.NotContains(t, errs, "Socket")
}

// TestNothingLeft: where rules remove all events no file is written, and the exit code says so.
func TestNothingLeft(t *testing.T) {
	file, out := sample(t)
	rules := filepath.Join(filepath.Dir(file), "own.rules")
	require.NoError(t, os.WriteFile(rules, []byte("remove event *\n"), 0o600))
	for _, args := range [][]string{{file, out}, {file, "-"}, {"--dry-run", file}} {
		code, told, errs := mjfrCommand(t, append([]string{"redact", "--rules", rules}, args...)...)
		assert.Equal(t, cli.ExitData, code)
		assert.Empty(t, told)
		assert.Contains(t, errs, "no event is left to write")
		assert.NoFileExists(t, out)
	}
}

// TestFilesThatStay: neither the key nor rules are replaced by the recording.
func TestFilesThatStay(t *testing.T) {
	file, _ := sample(t)
	key, rules := filepath.Join(filepath.Dir(file), "key"), filepath.Join(filepath.Dir(file), "own.rules")
	require.NoError(t, os.WriteFile(rules, []byte("constant email\n"), 0o600))
	for _, args := range [][]string{{"--key-file", key, file, key}, {"--rules", rules, file, rules}} {
		code, _, errs := mjfrCommand(t, append([]string{"redact", "--force"}, args...)...)
		assert.Equal(t, cli.ExitData, code)
		assert.Contains(t, errs, "name another file to write")
	}
	assert.NoFileExists(t, key)
}
