package complete

import (
	_ "embed"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

//go:embed mjfr.bash
var bashScript string

// New makes the verb that prints a completion script for a shell.
func New(a *cli.App) *cobra.Command {
	scripts := map[string]func(root *cobra.Command, w io.Writer) error{
		"bash":       func(_ *cobra.Command, w io.Writer) error { _, err := io.WriteString(w, bashScript); return err },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a completion script for your shell",
		Long: `Print a script for bash, zsh, fish or powershell. With it the shell completes verbs,
options, files, the event types, categories, fields and threads of the recording that
the line names, and running JVMs.

  bash         add to ~/.bashrc:            eval "$(mjfr completion bash)"
  zsh          add to ~/.zshrc, after compinit:  eval "$(mjfr completion zsh)"
  fish         mjfr completion fish > ~/.config/fish/completions/mjfr.fish
  powershell   add to $PROFILE:             mjfr completion powershell | Out-String | Invoke-Expression`,
		Example: `  eval "$(mjfr completion bash)"`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return shells[:max(0, len(shells)*(1-len(args)))], cobra.ShellCompDirectiveNoFileComp
		},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || scripts[args[0]] == nil {
				return cli.Usagef("name one shell: %s", strings.Join(shells, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return scripts[args[0]](cmd.Root(), a.Stdout) },
	}
}
