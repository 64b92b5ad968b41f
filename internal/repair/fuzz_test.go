package repair_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/repair"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// FuzzRepair repairs any bytes. The result must be a recording without a fault, with
// the events that the report counts, and must stay as it is when it is repaired again.
func FuzzRepair(f *testing.F) {
	b := jfrtest.NewEmptyChunk()
	for _, name := range []string{"int", "long", jfrtest.StringClass} {
		b.Class(name)
	}
	b.Class("P", jfrtest.Of("x", "int"), jfrtest.Of("s", jfrtest.StringClass))
	ty := b.Event("E", jfrtest.Of("p", "P"), jfrtest.Const("k", "P"))
	for i := range 3 {
		b.Emit(ty, 1000+i, jfrtest.Inline{i, "x"}, i)
	}
	b.Constant("P", 1, 7, "seven")
	whole := b.Bytes()
	f.Add(whole)
	f.Add(whole[:len(whole)-20])
	f.Add(append(bytes.Clone(whole[30:]), whole...))
	f.Add(bytes.Replace(whole, []byte("seven"), []byte{0, 0, 0, 0, 0}, 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 8<<10 {
			return
		}
		once, report := fuzzRepaired(t, data)
		if once == nil {
			return
		}
		rec, err := mmapjfr.OpenBytes(once)
		if err != nil {
			t.Fatalf("what was repaired cannot be opened: %v", err)
		}
		events := uint64(0)
		for _, err := range rec.Events() {
			if err != nil {
				t.Fatalf("what was repaired has a fault: %v", err)
			}
			events++
		}
		if events != report.Events() {
			t.Fatalf("%d events of %d", events, report.Events())
		}
		if twice, _ := fuzzRepaired(t, once); !bytes.Equal(once, twice) {
			t.Fatal("repairing it again changes it")
		}
	})
}

// fuzzRepaired returns nothing if nothing can be kept.
func fuzzRepaired(t *testing.T, data []byte) ([]byte, *repair.Report) {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data, mmapjfr.Salvage())
	if err != nil {
		return nil, nil
	}
	defer rec.Close()
	var out bytes.Buffer
	report, err := repair.Write(t.Context(), &out, rec)
	switch {
	case errors.Is(err, repair.ErrNothing):
		return nil, nil
	case err != nil:
		t.Fatal(err)
	}
	return out.Bytes(), report
}
