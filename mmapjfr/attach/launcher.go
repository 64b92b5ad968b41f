package attach

import "strings"

// launcherOptions are the options of the java command that have a value as the next
// argument.
var launcherOptions = map[string]bool{
	"-cp": true, "-classpath": true, "--class-path": true,
	"-p": true, "--module-path": true, "--upgrade-module-path": true,
	"--add-modules": true, "--limit-modules": true, "--enable-native-access": true,
	"--add-exports": true, "--add-opens": true, "--add-reads": true, "--patch-module": true,
	"--source": true, "-d": true, "--describe-module": true,
}

// splitCommand tells the arguments of a process that runs java apart: those for the
// JVM, the main class, jar, module or source file, and the program's own.
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

// mainOf returns what a JVM runs from its sun.rt.javaCommand, which is that and the
// arguments of the program with blanks between. If the arguments of the process are
// known they tell where it ends, as there can be blanks in it.
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
