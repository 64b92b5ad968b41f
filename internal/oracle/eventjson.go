package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// EventText is one event of jfr print --json. Text is overwritten when the next event is asked for.
type EventText struct {
	Type string
	Text []byte // canonical
}

var errEventJSON = errors.New("oracle: not the output of jfr print --json")

// SplitEvents returns the events in the output of jfr print --json, in its order.
// It reads r in pieces and holds one event at a time. The last pair has an error if
// reading fails, if the output ends early or is not of the expected form.
func SplitEvents(r io.Reader) iter.Seq2[EventText, error] {
	return func(yield func(EventText, error) bool) {
		if err := splitEvents(json.NewDecoder(r), yield); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			yield(EventText{}, fmt.Errorf("%w: %w", errEventJSON, err))
		}
	}
}

func splitEvents(d *json.Decoder, yield func(EventText, error) bool) error {
	if err := tokens(d, json.Delim('{'), "recording", json.Delim('{'), "events", json.Delim('[')); err != nil {
		return err
	}
	var text []byte
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		var event struct{ Type *string }
		if err := json.Unmarshal(raw, &event); err != nil {
			return err
		}
		if event.Type == nil {
			return errors.New("an event without a type")
		}
		if text = Canonical(text[:0], raw); !yield(EventText{*event.Type, text}, nil) {
			return nil
		}
	}
	if err := tokens(d, json.Delim(']'), json.Delim('}'), json.Delim('}')); err != nil {
		return err
	}
	switch t, err := d.Token(); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("%v after the events", t)
	default:
		return err
	}
}

// tokens reads what must come next.
func tokens(d *json.Decoder, wanted ...json.Token) error {
	for _, want := range wanted {
		got, err := d.Token()
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%v in place of %v", got, want)
		}
	}
	return nil
}

// Canonical appends JSON text to dst without the white space outside its strings.
func Canonical(dst, text []byte) []byte {
	b := bytes.NewBuffer(dst)
	if err := json.Compact(b, text); err != nil {
		panic(fmt.Sprintf("oracle: %v: %.100q", err, text))
	}
	return b.Bytes()
}
