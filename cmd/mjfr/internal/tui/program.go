//go:build aix || darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris || windows

package tui

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"
)

// Interactive reports whether output is a terminal that can show a screen. It reads the environment
// by env, as os.Getenv does.
func Interactive(output any, env func(string) string) bool {
	f, ok := output.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && env("TERM") != "dumb"
}

// Run shows the source until the user quits or the context is done. It returns the cause of the
// latter. When the source has ended, the last state stays visible. Run restores the terminal.
func Run(ctx context.Context, source Source, o Options) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	options := []tea.ProgramOption{
		tea.WithContext(ctx),
		tea.WithOutput(o.Output),
		tea.WithoutSignalHandler(), // signals end the context
		tea.WithFPS(framesPerSecond),
	}
	if f, ok := o.Input.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		options = append(options, tea.WithInput(f))
	}
	env := o.Env
	if env == nil {
		env = os.Environ()
	}
	if o.Color {
		// the user has quit
		env = slices.DeleteFunc(slices.Clone(env), func(s string) bool { return strings.HasPrefix(s, "NO_COLOR=") })
	} else {
		options = append(options, tea.WithColorProfile(colorprofile.Ascii))
	}
	options = append(options, tea.WithEnvironment(env))
	p := program{newModel(source), cmp.Or(o.Every, often)}
	_, err := tea.NewProgram(p, options...).Run()
	if ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) {
		return context.Cause(ctx)
	}
	return err
}

// framesPerSecond is the greatest number of writes to the terminal per second.
const framesPerSecond = 30

// program is the model for bubbletea.
type program struct {
	m     *model
	every time.Duration
}

// tick means that it is time to look at the source.
type tick struct{}

func (p program) Init() tea.Cmd { return p.wait() }

func (p program) wait() tea.Cmd {
	return tea.Tick(p.every, func(time.Time) tea.Msg { return tick{} })
}

func (p program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tick:
		p.m.refresh()
		return p, p.wait()
	case tea.WindowSizeMsg:
		p.m.resize(msg.Width, msg.Height)
	case tea.PasteMsg:
		p.m.paste(msg.Content)
	case tea.KeyPressMsg:
		if msg.String() == "ctrl+z" {
			return p, tea.Suspend
		}
		if p.m.press(msg.String(), msg.Text) {
			return p, tea.Quit
		}
	}
	return p, nil
}

func (p program) View() tea.View {
	v := tea.NewView(p.m.render())
	v.AltScreen = true
	return v
}
