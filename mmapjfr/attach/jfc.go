package attach

import (
	"crypto/rand"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path"
)

// jfcFile is what a .jfc file holds: settings of events, for JVMs that read it.
type jfcFile struct {
	XMLName xml.Name   `xml:"configuration"`
	Version string     `xml:"version,attr"`
	Label   string     `xml:"label,attr"`
	Events  []jfcEvent `xml:"event"`
}

type jfcEvent struct {
	Name     string       `xml:"name,attr"`
	Settings []jfcSetting `xml:"setting"`
}

type jfcSetting struct {
	Name  string `xml:"name,attr"`
	Value string `xml:",chardata"`
}

// jfc writes settings as a .jfc file. Types stand in the order in which they come
// first.
func jfc(settings []EventSetting) ([]byte, error) {
	f := jfcFile{Version: "2.0", Label: "Attached"}
	place := make(map[string]int)
	for _, s := range settings {
		at, ok := place[s.Event]
		if !ok {
			at = len(f.Events)
			place[s.Event] = at
			f.Events = append(f.Events, jfcEvent{Name: s.Event})
		}
		f.Events[at].Settings = append(f.Events[at].Settings, jfcSetting{s.Setting, s.Value})
	}
	text, err := xml.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), text...), nil
}

// leaveSettings writes a .jfc file into the temporary directory of the JVM, and
// returns its path there. The function removes it.
func (vm *VM) leaveSettings(events []EventSetting) (file string, remove func(), err error) {
	text, err := jfc(events)
	if err != nil {
		return "", nil, err
	}
	root, err := vm.target.openTmp()
	if err != nil {
		return "", nil, fmt.Errorf("event settings cannot be left for process %d: %w", vm.PID(), err)
	}
	name := "settings-" + rand.Text() + ".jfc"
	// The JVM may run as another user, and has to read the file. It holds no secrets.
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("event settings cannot be left for process %d: %w", vm.PID(), err), root.Close())
	}
	remove = func() {
		_ = root.Remove(name)
		_ = root.Close()
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil { // whatever the umask
		remove()
		return "", nil, err
	}
	return path.Join(vm.target.itsTmp, name), remove, nil
}
