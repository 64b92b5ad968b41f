package complete

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

// The scripts for shells. Cobra's own scripts evaluate the line, which fails in an open quote, and
// they compare quoted with unquoted text in bash.
var (
	//go:embed completions/mjfr.bash
	bashScript string
	//go:embed completions/mjfr.zsh
	zshScript string
	//go:embed completions/mjfr.fish
	fishScript string
)

// New makes the verb that prints a completion script for a shell.
func New(a *cli.App) *cobra.Command {
	scripts := map[string]func(root *cobra.Command) error{
		"bash":       func(*cobra.Command) error { return write(a.Stdout, bashScript) },
		"zsh":        func(*cobra.Command) error { return write(a.Stdout, zshScript) },
		"fish":       func(*cobra.Command) error { return write(a.Stdout, fishScript) },
		"powershell": func(root *cobra.Command) error { return root.GenPowerShellCompletionWithDesc(a.Stdout) },
	}
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a completion script for your shell",
		Long: `Print a script for bash, zsh, fish or powershell. With it the shell completes verbs,
options, files, the event types, categories, fields and threads of the recording that
the line names, conditions, and running JVMs.

  bash         add to ~/.bashrc:            eval "$(mjfr completion bash)"
  zsh          add to ~/.zshrc, after compinit:  eval "$(mjfr completion zsh)"
  fish         mjfr completion fish > ~/.config/fish/completions/mjfr.fish
  powershell   add to $PROFILE:             mjfr completion powershell | Out-String | Invoke-Expression`,
		Example:           `  eval "$(mjfr completion bash)"`,
		ValidArgsFunction: oneOf(shells),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || scripts[args[0]] == nil {
				return cli.Usagef("name one shell: %s", strings.Join(shells, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return scripts[args[0]](cmd.Root()) },
	}
}

// oneOf completes the only argument of a verb.
func oneOf(list []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// NewBash makes the hidden verb that the script for bash calls. Its arguments are the kind of
// completion, the characters that separate words for bash, and the line up to the cursor. It prints
// a line that says how to use the rest, and then a line for each text to offer.
func NewBash(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:                "__bash KIND SEPARATORS LINE",
		Hidden:             true,
		DisableFlagParsing: true,
		Args:               cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			var answer bytes.Buffer
			line := splitLine(args[2])
			inner := &cli.App{Stdin: a.Stdin, Stdout: &answer, Stderr: io.Discard, Root: a.Root}
			inner.Run(cmd.Context(), append([]string{"__complete"}, line.words[1:]...))
			kind, list := line.bash(answer.String(), args[0] == "63", args[1])
			return write(a.Stdout, kind+"\n"+strings.Join(append(list, ""), "\n"))
		},
	}
}

// commandLine is a line for bash, up to the cursor. The last word is the one to complete;
// it can be empty.
type commandLine struct {
	words []string // without quotes
	raw   string   // the last word as it was typed
	quote byte     // ', " or \ if one is open at the end, or else 0
	// inQuote is the offset in raw just after the character that opens the quote.
	inQuote int
}

// splitLine splits a line as bash does, without running anything.
func splitLine(text string) (l commandLine) {
	word, begin, has := []byte{}, 0, false
	end := func() {
		if has {
			l.words = append(l.words, string(word))
		}
		word, has = word[:0], false
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case l.quote == '\\', l.quote == '\'' && c != '\'':
			word = append(word, c)
			if l.quote == '\\' {
				l.quote = 0
			}
		case l.quote == '"' && c == '\\' && i+1 < len(text) && strings.IndexByte("\"\\$`", text[i+1]) >= 0:
			i++
			word = append(word, text[i])
		case l.quote != 0 && c == l.quote:
			l.quote = 0
		case l.quote == '"':
			word = append(word, c)
		case strings.IndexByte(" \t\n|&;()<>", c) >= 0:
			end()
			begin = i + 1
		default:
			if !has {
				has, begin = true, i
			}
			if c == '\'' || c == '"' || c == '\\' {
				l.quote, l.inQuote = c, i+1
				continue
			}
			word = append(word, c)
		}
	}
	if !has {
		begin = len(text)
	}
	has = true
	end()
	l.raw = text[begin:]
	l.inQuote -= begin
	if len(l.words) < 2 {
		l.words = append(l.words, "") // the command itself is not completed here
	}
	return l
}

// bash returns the texts for bash from the answer of cobra's completion verb. If the list is only
// shown, it has descriptions.
func (l *commandLine) bash(answer string, shown bool, separators string) (kind string, list []string) {
	lines := strings.Split(strings.TrimSuffix(answer, "\n"), "\n")
	number, err := strconv.Atoi(strings.TrimPrefix(lines[len(lines)-1], ":"))
	if err != nil {
		return "", nil
	}
	directive, lines := cobra.ShellCompDirective(number), lines[:len(lines)-1]
	value := l.words[len(l.words)-1]
	flag := ""
	if i := strings.IndexByte(value, '='); strings.HasPrefix(value, "-") && i >= 0 {
		flag, value = value[:i+1], value[i+1:]
	}
	done := len(l.done(separators)) - len(flag) // the bytes of the value that bash leaves as they are
	done = max(0, min(done, len(value)))
	var fits func(name string) bool // the files to offer; nil if files are not offered
	switch {
	case directive&cobra.ShellCompDirectiveFilterFileExt != 0:
		fits = func(name string) bool {
			return slices.ContainsFunc(lines, func(suffix string) bool { return strings.HasSuffix(name, "."+suffix) })
		}
	case directive&cobra.ShellCompDirectiveFilterDirs != 0:
		fits = func(string) bool { return false }
	case len(lines) == 0 && directive&cobra.ShellCompDirectiveNoFileComp == 0:
		fits = func(string) bool { return true }
	}
	if fits != nil {
		for _, name := range filesCalled(value, fits) {
			list = append(list, name[done:])
		}
		return "files", list
	}
	if directive&cobra.ShellCompDirectiveNoSpace != 0 {
		kind = "nospace"
	}
	for _, line := range lines {
		name, description, _ := strings.Cut(line, "\t")
		if !strings.HasPrefix(name, value) {
			continue
		}
		if shown && description != "" {
			list = append(list, fmt.Sprintf("%s  (%s)", name, description))
			continue
		}
		list = append(list, l.quoted(name[done:]))
	}
	return kind, list
}

// done returns the part of the last word, without quotes, before the text that bash replaces. That
// text begins after an open quote, or else after the last separator.
func (l *commandLine) done(separators string) string {
	begin := 0
	if l.quote == '\'' || l.quote == '"' {
		begin = l.inQuote
	} else {
		quote := byte(0)
		for i := 0; i < len(l.raw); i++ {
			switch c := l.raw[i]; {
			case quote != 0:
				if c == quote || quote == '\\' {
					quote = 0
				}
			case c == '\'' || c == '"' || c == '\\':
				quote = c
			case strings.IndexByte(separators, c) >= 0:
				begin = i + 1
			}
		}
	}
	before := splitLine(l.raw[:begin])
	return before.words[0]
}

// quoted returns a text as bash reads it in the open quote.
func (l *commandLine) quoted(s string) string {
	switch l.quote {
	case '\'':
		return strings.ReplaceAll(s, "'", `'\''`)
	case '"':
		return escaped(s, "\"\\$`")
	}
	return escaped(s, " \t\"'`\\$&|;<>()*?[]{}#~!")
}

// escaped puts a backslash before some characters.
func escaped(s, special string) string {
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf && strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// filesCalled returns the folders, and the files that fit, whose paths begin with a text.
func filesCalled(begin string, fits func(name string) bool) (list []string) {
	dir, base := filepath.Split(begin)
	entries, _ := os.ReadDir(filepath.Clean(fromHome(dir))) // without a folder there are no files to offer
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || base == "" && name[0] == '.' || strings.ContainsAny(name, "\n") {
			continue
		}
		info, err := os.Stat(filepath.Join(fromHome(dir), name))
		if err == nil && (info.IsDir() || fits(name)) {
			list = append(list, dir+name)
		}
	}
	return list
}

// fromHome replaces a ~ at the beginning of a path, and variables of the environment, as a shell
// does.
func fromHome(path string) string {
	if home, err := os.UserHomeDir(); err == nil && (path == "~" || strings.HasPrefix(path, "~/")) {
		path = home + path[1:]
	}
	return os.ExpandEnv(path)
}

func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
