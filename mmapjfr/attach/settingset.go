package attach

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// SettingsOf returns the event settings of a set that the JVM's JDK has: default or profile. They are
// read from the JDK's files, and the JVM need not have used Flight Recorder. The set lists all event
// types of the JDK, those that it does not enable, too, and none of programs.
//
// The JVM itself understands names of sets, in [RecordingOptions], even where its files cannot be
// read, as in some containers.
func (vm *VM) SettingsOf(ctx context.Context, set string) ([]EventSetting, error) {
	properties, err := vm.Properties(ctx)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(vm.Path(path.Join(properties["java.home"], "lib", "jfr", set+".jfc")))
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	return readJFC(f)
}

// readJFC reads a .jfc file. It leaves out settings without a value.
func readJFC(r io.Reader) (list []EventSetting, err error) {
	const most = 16 << 20 // those of the JDK have 40 kB
	var file jfcFile
	if err := xml.NewDecoder(io.LimitReader(r, most)).Decode(&file); err != nil {
		return nil, fmt.Errorf("cannot read the event settings: %w", err)
	}
	for _, e := range file.Events {
		for _, s := range e.Settings {
			if value := strings.TrimSpace(s.Value); value != "" {
				list = append(list, EventSetting{e.Name, s.Name, value})
			}
		}
	}
	return list, nil
}
