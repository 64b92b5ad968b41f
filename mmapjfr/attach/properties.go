package attach

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Properties returns the system properties of the JVM, those of java.lang.System,
// as they are now.
func (vm *VM) Properties(ctx context.Context) (map[string]string, error) {
	text, err := vm.run(ctx, "properties")
	return parseProperties(text), err
}

// AgentProperties returns what agents in the JVM have published, such as the address of its
// management server, and sun.java.command and sun.jvm.args.
func (vm *VM) AgentProperties(ctx context.Context) (map[string]string, error) {
	text, err := vm.run(ctx, "agentProperties")
	return parseProperties(text), err
}

// parseProperties reads what java.util.Properties.store writes into a stream: Latin-1
// with the rest of Unicode escaped, as UTF-16. Whatever is in the text makes some
// properties; like Java's, of several with one name the last counts.
func parseProperties(text string) map[string]string {
	all := make(map[string]string)
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimLeft(lines[i], " \t\f")
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		// A line that ends with an escaped line end continues on the next one.
		var whole strings.Builder
		for ; i+1 < len(lines) && endsWithEscape(line); i++ {
			whole.WriteString(line[:len(line)-1])
			line = strings.TrimLeft(lines[i+1], " \t\f")
		}
		whole.WriteString(line)
		key, value := splitProperty(whole.String())
		all[unescapeProperty(key)] = unescapeProperty(value)
	}
	return all
}

// endsWithEscape reports whether the last backslash of a line is not escaped itself.
func endsWithEscape(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// splitProperty splits a line at the first = or : or blank that is not escaped.
func splitProperty(line string) (key, value string) {
	at := 0
	for at < len(line) && !strings.ContainsRune("=: \t\f", rune(line[at])) {
		if line[at] == '\\' {
			at++
		}
		at++
	}
	at = min(at, len(line))
	value = strings.TrimLeft(line[at:], " \t\f")
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], " \t\f")
	}
	return line[:at], value
}

func unescapeProperty(s string) string {
	units := make([]uint16, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '\\' || i+1 == len(s) {
			units = append(units, uint16(c))
			continue
		}
		i++
		switch c = s[i]; c {
		case 't':
			c = '\t'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 'f':
			c = '\f'
		case 'u':
			if unit, err := strconv.ParseUint(s[i+1:min(i+5, len(s))], 16, 16); err == nil && i+4 < len(s) {
				units = append(units, uint16(unit))
				i += 4
				continue
			}
		}
		units = append(units, uint16(c))
	}
	return string(utf16.Decode(units))
}

// repositoryProperty is the system property with the path of Flight Recorder's repository.
const repositoryProperty = "jdk.jfr.repository"

// Repository returns the directory in which the JVM writes what it records, as this process can
// open it. It is empty as long as nothing has been recorded to disk. The directory is removed when
// the JVM ends. JFR.configure can change it.
func (vm *VM) Repository(ctx context.Context) (string, error) {
	properties, err := vm.Properties(ctx)
	if err != nil || properties[repositoryProperty] == "" {
		return "", err
	}
	return vm.Path(properties[repositoryProperty]), nil
}

// Path returns where this process finds a file of the JVM: the same path, made absolute, unless the
// JVM has another file system, as in a container. Then it leads through /proc/PID/root and is valid
// as long as the JVM lives.
func (vm *VM) Path(path string) string {
	t := vm.target
	if !filepath.IsAbs(path) {
		dir, err := filepath.EvalSymlinks(t.cwd)
		if t.cwd == "" || err != nil {
			return path
		}
		if t.container {
			return filepath.Join(t.cwd, path)
		}
		return filepath.Join(dir, path)
	}
	inside := filepath.Join(t.root, path)
	// What is not there yet is judged by what it is to be in.
	for p := path; ; p = filepath.Dir(p) {
		theirs, err := os.Stat(filepath.Join(t.root, p))
		if err != nil && p != filepath.Dir(p) {
			continue
		}
		ours, ourErr := os.Stat(p)
		if err == nil && (ourErr != nil || !os.SameFile(theirs, ours)) {
			return inside
		}
		return path
	}
}

// javaVersion returns the version of Java, such as 17. That of Java 8 is 8.
func (vm *VM) javaVersion(ctx context.Context) (int, error) {
	if known := vm.feature.Load(); known != 0 {
		return int(known), nil
	}
	properties, err := vm.Properties(ctx)
	if err != nil {
		return 0, err
	}
	text := properties["java.vm.specification.version"]
	version, err := strconv.ParseInt(strings.TrimPrefix(text, "1."), 10, 32)
	if err != nil || version <= 0 {
		return 0, fmt.Errorf("process %d reports its version of Java as %q: %w", vm.PID(), text, ErrBadReply)
	}
	vm.feature.Store(int32(version))
	return int(version), nil
}
