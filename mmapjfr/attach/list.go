package attach

import (
	"context"
	"strings"
)

// Process describes a JVM that was running when [List] looked. Unknown fields are empty.
type Process struct {
	PID int
	// User is the name of the user that the JVM runs as, or the number where there
	// is no name.
	User string
	// Main is the main class, jar, module or source file, as it was named.
	Main string
	// Command is the same and the arguments of the program.
	Command string
	// Arguments are those for the JVM, with blanks between, such as -Xmx1g. They
	// hold what environment variables have added too.
	Arguments string
	// Version is that of Java, such as 17.0.15.
	Version string
	// VM is the name and version of the virtual machine.
	VM string
	// Container reports that the JVM has process numbers or a file system of its own.
	Container bool
	// Attachable reports that [Open] should work: this process runs as root or as the JVM's user,
	// and attaching is not disabled.
	Attachable bool
}

// List returns the HotSpot JVMs of this machine, of all users, by the numbers of their processes.
// It reads the counters that JVMs write to files named hsperfdata, and finds JVMs without counters
// by their library. It does not touch any JVM.
//
// On Linux it lists what /proc shows, with containers; on macOS the JVMs of the same user that
// write counters; elsewhere the error matches [errors.ErrUnsupported].
func List() ([]Process, error) { return thisHost().List() }

// List is [List] for a host.
func (h *host) List() ([]Process, error) {
	targets, err := h.targets()
	if err != nil {
		return nil, err
	}
	list := make([]Process, 0, len(targets))
	for _, t := range targets {
		list = append(list, h.describe(t))
	}
	return list, nil
}

// describe describes a JVM by its counters, or else by what the system shows of its process.
func (h *host) describe(t *target) Process {
	p := Process{
		PID:        t.pid,
		User:       userName(t.uid),
		Container:  t.container,
		Attachable: h.mayAttach(t) && !t.disabled(),
		Arguments:  t.perf["java.rt.vmArgs"],
		Version:    t.perf["java.property.java.version"],
		VM:         strings.TrimSpace(t.perf["java.property.java.vm.name"] + " " + t.perf["java.property.java.vm.version"]),
	}
	if p.Arguments == "" {
		jvm, _, _ := splitCommand(t.args)
		p.Arguments = strings.Join(jvm, " ")
	}
	if p.Version == "" {
		p.Version = t.release
	}
	p.Main, p.Command = mainOf(t.perf["sun.rt.javaCommand"], t.args)
	return p
}

// Open finds the JVM of a process, and makes it listen if it does not yet: it makes the file that
// the JVM looks for and sends SIGQUIT, as jcmd does. It sends the signal only to HotSpot JVMs that
// handle it.
//
// The context limits the time, and so do ten seconds. Nothing has to be closed: each command has a
// connection of its own.
//
// The error matches [ErrNoProcess], [ErrNotJVM], [ErrOtherUser], [ErrDisabled], [ErrNoAnswer],
// [ErrNotOurs] or, on systems without attaching, [errors.ErrUnsupported].
func Open(ctx context.Context, pid int) (*VM, error) { return thisHost().Open(ctx, pid) }

// launcherOptions are the options of the java command that have a value as the next
// argument.
var launcherOptions = map[string]bool{
	"-cp": true, "-classpath": true, "--class-path": true,
	"-p": true, "--module-path": true, "--upgrade-module-path": true,
	"--add-modules": true, "--limit-modules": true, "--enable-native-access": true,
	"--add-exports": true, "--add-opens": true, "--add-reads": true, "--patch-module": true,
	"--source": true, "-d": true, "--describe-module": true,
}

// splitCommand splits the arguments of a java process: those for the JVM, the main class, jar,
// module or source file, and those of the program.
func splitCommand(args []string) (jvm []string, main string, program []string) {
	if len(args) > 0 {
		args = args[1:] // java itself
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "-jar" || arg == "-m" || arg == "--module":
			if i+1 < len(args) {
				return args[:i], args[i+1], args[i+2:]
			}
			return args[:i], "", nil
		case strings.HasPrefix(arg, "--module="):
			return args[:i], strings.TrimPrefix(arg, "--module="), args[i+1:]
		case launcherOptions[arg]:
			i++
		case strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "@"):
		default:
			return args[:i], arg, args[i+1:]
		}
	}
	return args, "", nil
}

// launchers are the classes that run source files.
var launchers = []string{
	"jdk.compiler/com.sun.tools.javac.launcher.Main ",
	"jdk.compiler/com.sun.tools.javac.launcher.SourceLauncher ",
}

// mainOf returns what a JVM runs, from its sun.rt.javaCommand: the main class and the arguments of
// the program, with blanks between. The arguments of the process, if known, show where the main
// class ends, as it may contain blanks.
func mainOf(command string, args []string) (main, whole string) {
	for _, launcher := range launchers {
		command = strings.TrimPrefix(command, launcher)
	}
	_, main, program := splitCommand(args)
	if command == "" {
		return main, strings.TrimSpace(strings.Join(append([]string{main}, program...), " "))
	}
	if main == "" || command != main && !strings.HasPrefix(command, main+" ") {
		main, _, _ = strings.Cut(command, " ")
	}
	return main, command
}
