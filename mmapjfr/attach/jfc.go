package attach

import (
	"encoding/xml"
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
