// Package said keeps, word for word, what the JDK's jfr command says of the
// recordings in testdata, so that tests compare with it on machines without a JVM.
//
// The answers lie in testdata/said, compressed, one file for each recording and
// question. They are asked for again, of a JDK 25, with
//
//	go test ./mmapjfr/print -ask
//
// and so in every package whose tests use this one.
package said

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle"
)

var ask = flag.Bool("ask", false, "ask the JDK's jfr again, and keep what it says in testdata/said")

// Answer is what jfr says when it is asked a question about a recording.
type Answer struct {
	// Out is its standard output. Of a question that was refused it is what came
	// before the refusal.
	Out []byte
	// Refusal is the first line of its standard error if it fails; empty if not.
	Refusal string
}

// Of returns what jfr says when it is called with the words of the question and
// a recording of testdata, as in Of(t, "jdk25-kinds.jfr", "print", "--json"). For
// what else the name can be see [Recording]. The test fails if that has not been
// kept, or is about another state of the recording.
func Of(t testing.TB, recording string, question ...string) Answer {
	t.Helper()
	return OfBytes(t, recording, Recording(t, recording), question...)
}

// OfBytes is [Of] about a recording that the test makes, the same in each run. Its name
// is where the answers are kept; no recording of testdata has it.
func OfBytes(t testing.TB, recording string, data []byte, question ...string) Answer {
	t.Helper()
	file, chunk, _ := strings.Cut(recording, "#")
	kept := filepath.Join(longtest.Root(t), "testdata", "said", strings.TrimSuffix(file, ".jfr"), name(question)+".zst")
	if chunk != "" {
		kept = filepath.Join(filepath.Dir(kept), "chunk"+chunk, filepath.Base(kept))
	}
	sum := sha256.Sum256(data)
	head := "sha256 " + hex.EncodeToString(sum[:]) + "\n"
	if *ask {
		asked := filepath.Join(t.TempDir(), file)
		if err := os.WriteFile(asked, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := record(t.Context(), kept, head, asked, question); err != nil {
			t.Fatal(err)
		}
	}
	packed, err := os.ReadFile(kept)
	if err != nil {
		t.Fatalf("what jfr says has not been kept; go test -ask asks a JDK 25: %v", err)
	}
	text, ok := strings.CutPrefix(string(unpack(t, packed)), head)
	if !ok {
		t.Fatalf("%s: what jfr said is about another state of %s; go test -ask asks again", kept, recording)
	}
	refusal, out, _ := strings.Cut(text, "\n")
	return Answer{[]byte(out), strings.TrimPrefix(refusal, "refusal ")}
}

// Recording returns the bytes of a recording of testdata, as in "jdk25-kinds.jfr",
// or, with a number, those of one of its chunks on its own, as in
// "jdk25-chunks.jfr#1": the JDK reads all chunks of a file by the clock of the
// first. A chunk that was not finished is cut, and marked, as if it had been.
func Recording(t testing.TB, recording string) []byte {
	t.Helper()
	file, number, ok := strings.Cut(recording, "#")
	data, err := os.ReadFile(filepath.Join(longtest.Root(t), "testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return data
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	chunk, err := oracle.Chunk(data, n)
	if err != nil {
		t.Fatal(err)
	}
	return chunk
}

// record asks jfr and writes down the answer: a line with the recording's sum, one
// with the refusal, and the output as it is.
func record(ctx context.Context, path, head, recording string, question []string) error {
	home, ok := jdk.Judge()
	if !ok {
		return jdk.ErrNone
	}
	out, refusal, err := oracle.Verbatim(ctx, home, recording, question...)
	if err != nil {
		return err
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(8<<20))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	text := append([]byte(head+"refusal "+refusal+"\n"), out...)
	return os.WriteFile(path, e.EncodeAll(text, nil), 0o644)
}

func unpack(t testing.TB, packed []byte) []byte {
	t.Helper()
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := d.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// maxName is how long the name of an answer may get.
const maxName = 80

// name makes a file name of a question: its words with plus signs between them, what file systems
// may not like as = and two hexadecimal digits. The end of a long one is a sum of it all.
func name(question []string) string {
	var b strings.Builder
	for i, word := range question {
		if i > 0 {
			b.WriteByte('+')
		}
		for _, c := range []byte(word) {
			switch {
			case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_.,", c) >= 0:
				b.WriteByte(c)
			default:
				fmt.Fprintf(&b, "=%02x", c)
			}
		}
	}
	if b.Len() <= maxName {
		return b.String()
	}
	sum := sha256.Sum256([]byte(b.String()))
	return b.String()[:maxName-9] + "-" + hex.EncodeToString(sum[:4])
}

// Now asks the jfr of a JDK 25, as [longtest.JDK25] finds it, and skips the test without one.
// It returns what jfr prints of the recording, and fails the test if jfr does.
func Now(t testing.TB, data []byte, question ...string) string {
	t.Helper()
	home := longtest.JDK25(t)
	file := filepath.Join(t.TempDir(), "recording.jfr") // jfr wants the name to end like this
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	out, refusal, err := oracle.Verbatim(t.Context(), home, file, question...)
	if err != nil || refusal != "" {
		t.Fatalf("jfr %v: %v %s", question, err, refusal)
	}
	return string(out)
}

// Same fails the test where got differs from want, and shows the first line that does.
func Same(t testing.TB, want, got []byte) {
	t.Helper()
	if bytes.Equal(want, got) {
		return
	}
	line := 1
	for len(want) > 0 && len(got) > 0 {
		w, wantRest, wantMore := bytes.Cut(want, []byte("\n"))
		g, gotRest, gotMore := bytes.Cut(got, []byte("\n"))
		if !bytes.Equal(w, g) || wantMore != gotMore {
			break
		}
		want, got = wantRest, gotRest
		line++
	}
	t.Errorf("differs in line %d:\nthe JDK: %q\nmjfr:    %q", line, firstLines(want), firstLines(got))
}

// firstLines returns as much of a text as is worth showing.
func firstLines(text []byte) []byte { return text[:min(len(text), 300)] }
