package main

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/complete"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/docs"
)

// inputs describes FILE.
const inputs = `FILE is a recording, a pattern such as '*.jfr', a directory with recordings in it, a
disk repository of a JVM, or - for standard input. It can also be a URL: https://...,
s3://..., gs://... or azblob://..., of which only what is needed is fetched; see
mjfr help urls. Recordings packed by gzip, zstd, lz4, xz or zip are unpacked.
%s
`

// recordings describes the FILE of a verb and what it does with several files. It returns an empty
// text for a verb without FILE.
func recordings(cmd *cobra.Command) string {
	if cmd.HasParent() && !strings.Contains(cmd.Use, "FILE") {
		return ""
	}
	several, own := cmd.Annotations[cli.RecordingsKey]
	switch {
	case !own:
		several = "Several are one recording, in the order of time."
	case several == "":
		return ""
	}
	return fmt.Sprintf(inputs, several)
}

const exitCodes = `  0    everything was read; a chunk that is still being written is no damage
  1    a file could not be read, or not all of it
  2    the command line is wrong, or names an event type, a category or a field that does
       not exist
  130  interrupted
`

// helpWidth is the greatest width of help.
const helpWidth = 90

func newHelp(*cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB]",
		Short: "Describe mjfr, or one of its verbs",
		Long: `Describe mjfr, or one of its verbs, as mjfr VERB --help does. mjfr help fields describes
the names of fields in --fields, --where, NDJSON and CSV, mjfr help query-language the
language of mjfr query, and mjfr help urls recordings on servers and in buckets.`,
		Example: "  mjfr help print\n  mjfr help fields\n  mjfr help query-language\n  mjfr help urls",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return cli.Usagef("help takes one verb, not %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: Help,
		RunE: func(cmd *cobra.Command, args []string) error {
			if text := topics[args0(args)]; text != "" {
				_, err := fmt.Fprint(cmd.OutOrStdout(), text)
				return err
			}
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return cli.UnknownVerb(cmd.Root(), args[len(args)-max(1, len(rest))])
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// help writes the help of a verb, or of mjfr.
func help(a *cli.App, cmd *cobra.Command) {
	a.Dress()
	h := &helper{Writer: bufio.NewWriter(a.Stdout), style: a.Style, width: helpWidth}
	if 0 < a.Style.Width && a.Style.Width < helpWidth {
		h.width = a.Style.Width
	}
	h.text(cmp.Or(cmd.Long, cmd.Short))
	h.title("Usage")
	switch {
	case !cmd.HasParent():
		h.text("  mjfr VERB [flags] FILE...\n  mjfr help VERB")
	case cmd.HasAvailableSubCommands():
		h.text("  " + cmd.CommandPath() + " VERB [flags]")
	default:
		h.text("  " + cmd.UseLine())
	}
	h.verbs(cmd)
	h.flags("Flags", cmd.LocalFlags())
	h.flags("Flags of all verbs", cmd.InheritedFlags())
	if text := recordings(cmd); text != "" {
		h.title("Recordings")
		h.indented(text)
	}
	if cmd.HasExample() {
		h.title("Examples")
		h.text(cmd.Example)
	}
	if !cmd.HasParent() {
		h.title("Exit codes")
		h.text(exitCodes)
	}
	_ = h.Flush() // cobra takes no error
}

// helper writes help.
type helper struct {
	*bufio.Writer
	style terminal.Style
	width int
}

func (h *helper) title(text string) { fmt.Fprintf(h, "\n%s\n", h.style.Paint(terminal.Bold, text+":")) }

func (h *helper) text(text string) { fmt.Fprintln(h, strings.TrimRight(text, "\n")) }

func (h *helper) indented(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprint(h, "  ", line)
	}
}

// flags lists the flags that are not hidden.
func (h *helper) flags(title string, f *pflag.FlagSet) {
	if f.HasAvailableFlags() {
		f.SortFlags = false
		h.title(title)
		h.text(f.FlagUsagesWrapped(h.width))
	}
}

// verbs lists the verbs of a command by their groups.
func (h *helper) verbs(cmd *cobra.Command) {
	for _, g := range groups {
		titled := false
		for _, sub := range cmd.Commands() {
			if sub.GroupID != g.id || !sub.IsAvailableCommand() && sub.Name() != "help" {
				continue
			}
			if !titled {
				h.title(g.title)
				titled = true
			}
			fmt.Fprintf(h, "  %-12s %s\n", sub.Name(), sub.Short)
		}
	}
}

// Help completes the topics of help.
func Help(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	list, directive := complete.CompleteVerbs(cmd, args, word)
	if len(args) == 0 {
		list = append(list, cobra.CompletionWithDesc(fieldsTopic, "How fields are named"), cobra.CompletionWithDesc(queryTopic, "How questions are asked"),
			cobra.CompletionWithDesc(urlsTopic, "Recordings on servers and in buckets"))
	}
	return list, directive
}

// The topics of help that are no verbs.
const (
	fieldsTopic = "fields"
	queryTopic  = "query-language"
	urlsTopic   = "urls"
)

var topics = map[string]string{fieldsTopic: aboutFields, queryTopic: docs.Query, urlsTopic: aboutURLs}

// args0 returns the only argument; "" if there are others.
func args0(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return ""
}

// aboutFields is that help.
const aboutFields = `A field has the same name and value in --fields, in --where, in the keys of --ndjson, in
the titles of --csv, and in mmapjfr.Path. Names with dots lead into structs, and numbers
in brackets to elements of arrays:

  duration
  eventThread.javaThreadId
  stackTrace.frames[0].method.name

mjfr metadata --events NAME lists the fields that a recording has of an event type.

Fields of any event:
  @type      the name of its type: jdk.ThreadPark
  @start     when it began: startTime
  @end       when it ended
  @duration  how long it lasted: duration, and 0 where its type has none
  @thread    the thread that it happened in or that was sampled: eventThread, or else
             sampledThread, thread, or the first field that is a thread; also without @
             where there is no field thread
  @stack     the stack trace
  @top       the innermost frame of the stack trace
  @class     the class that the event is about: the first field that is a class, such as
             objectClass, monitorClass, parkedClass, thrownClass, loadedClass; of
             OldObjectSample that of the object
  @offset    where it begins in the file
  @size      how many bytes it takes there
  @chunk     the number of its chunk, from 0

Fields of any thread:
  name           the name in Java, or else that of the operating system
  javaId, osId   its numbers; null where it has none
  virtual        whether it is a virtual one
Fields of any class:
  name           as in Java: java.lang.String, byte[]
  @raw           as in the JVM: java/lang/String, [B
Fields of any method:
  signature      java.lang.String.indexOf(String, int)
  class          the class that declares it
  @raw           as in the JVM: java/lang/String.indexOf(Ljava/lang/String;I)I
Fields of any frame:
  text           its method, and its line if it is known
  class, line    the class of its method, and its line
Fields of any stack trace:
  top            its innermost frame

If a recorded field has one of these names, the name means the recorded field, except for
the name of a class. A name after @raw. always means the recorded field:
objectClass.@raw.name.

Where a text is needed, threads, classes, methods and frames stand for their names:
--where '@thread ~ ^worker' and --fields @thread,@top.
`
