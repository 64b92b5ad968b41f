package main

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/complete"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/docs"
)

// aboutRecordings is the help about FILE.
const aboutRecordings = `FILE is one of these, and several are read as one recording in the order of time:

  app.jfr                  a recording; also packed by gzip, zstd, lz4, xz or zip
  'recordings/*.jfr'       a pattern
  recordings/              a directory with recordings, or the disk repository of a JVM
  -                        standard input
  https://..., s3://...    a URL; also gs:// and azblob://. Only the needed parts are
                           fetched; see mjfr help urls
`

// several says what a verb does with several FILEs. It returns an empty text for a verb that takes
// none, or no other recordings than files.
func several(cmd *cobra.Command) string {
	if cmd.HasParent() && !strings.Contains(cmd.Use, "FILE") {
		return ""
	}
	text, own := cmd.Annotations[cli.RecordingsKey]
	if !own {
		return "Several files are read as one recording, in time order."
	}
	return text
}

const exitCodes = `  0    everything was read; a chunk that is still being written is no damage
  1    a file could not be read, or not all of it
  2    the command line is wrong, or names an event type, a category or a field that does
       not exist
  130  interrupted
`

// helpWidth is the greatest width of help.
const helpWidth = 90

func newHelp(a *cli.App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "help [VERB|TOPIC]",
		Short: "Show help for a verb or a topic",
		Long: `Show help for a verb, as mjfr VERB --help does, or for a topic:

` + listOfTopics(),
		Example: "  mjfr help --all\n  mjfr help print\n  mjfr help selection",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return cli.Usagef("help takes one verb, not %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: Help,
		RunE: func(cmd *cobra.Command, args []string) error {
			if all && len(args) == 0 {
				helpOfAll(a, cmd.Root())
				return nil
			}
			if len(args) == 1 {
				if args[0] == flagsTopic {
					helpOfFlags(a, cmd.Root())
					return nil
				}
				for _, t := range topics {
					if t.name == args[0] {
						_, err := fmt.Fprint(cmd.OutOrStdout(), t.text)
						return err
					}
				}
			}
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return cli.UnknownVerb(cmd.Root(), args[len(args)-max(1, len(rest))])
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "list all verbs, topics and flags")
	return cmd
}

// help writes the help of a verb, or the short help of mjfr.
func help(a *cli.App, cmd *cobra.Command) {
	h := newHelper(a)
	h.prose(cmp.Or(cmd.Long, cmd.Short))
	h.title("Usage")
	switch {
	case !cmd.HasParent():
		h.text("  mjfr VERB [flags] FILE...")
	case cmd.HasAvailableSubCommands():
		h.text("  " + cmd.CommandPath() + " VERB [flags]")
	default:
		h.text("  " + cmd.UseLine())
	}
	h.verbs(cmd, false)
	if !cmd.HasParent() {
		h.title("Examples")
		h.text(cmd.Example)
		h.title("Help")
		h.text("  mjfr help --all      all verbs, topics and flags\n  mjfr help VERB       a verb and its flags\n" +
			"  mjfr help selection  select events by type, condition, time and thread")
		_ = h.Flush() // cobra takes no error
		return
	}
	h.flags("Flags", cmd.LocalFlags())
	more := "See mjfr help flags for flags of all verbs"
	if text := several(cmd); text != "" {
		more += ", and mjfr help recordings for what FILE can be. " + text
	} else {
		more += "."
	}
	fmt.Fprintln(h)
	h.prose(more)
	h.title("Examples")
	h.text(cmd.Example)
	_ = h.Flush() // cobra takes no error
}

// helpOfAll lists all verbs, topics and flags of mjfr.
func helpOfAll(a *cli.App, root *cobra.Command) {
	h := newHelper(a)
	h.verbs(root, true)
	h.title("Topics of mjfr help")
	h.text(listOfTopics())
	h.flags("Flags of all verbs", root.PersistentFlags())
	_ = h.Flush()
}

// helpOfFlags describes the flags of all verbs, and their exit codes.
func helpOfFlags(a *cli.App, root *cobra.Command) {
	h := newHelper(a)
	h.text("These flags work with all verbs.")
	h.flags("Flags", root.PersistentFlags())
	h.title("Sizes")
	h.text("Sizes are as in the JDK's jfr: 1 kB is 1,024 bytes, 1 MB 1,024 kB and 1 GB 1,024 MB, in\n" +
		"what you type (KiB, MiB and GiB mean the same) and in what you read.")
	h.title("Exit codes")
	h.text(exitCodes)
	_ = h.Flush()
}

func newHelper(a *cli.App) *helper {
	a.Dress()
	h := &helper{Writer: bufio.NewWriter(a.Stdout), style: a.Style, width: helpWidth}
	if 0 < a.Style.Width && a.Style.Width < helpWidth {
		h.width = a.Style.Width
	}
	return h
}

// helper writes help.
type helper struct {
	*bufio.Writer
	style terminal.Style
	width int
}

func (h *helper) title(text string) { fmt.Fprintf(h, "\n%s\n", h.style.Paint(terminal.Bold, text+":")) }

// prose writes paragraphs in lines that fit. Paragraphs with indented lines stay as they are.
func (h *helper) prose(text string) {
	for i, p := range strings.Split(text, "\n\n") {
		if i > 0 {
			fmt.Fprintln(h)
		}
		if strings.Contains("\n"+p, "\n ") {
			h.text(p)
			continue
		}
		at := 0
		for _, word := range strings.Fields(p) {
			n := utf8.RuneCountInString(word)
			switch { // a word is never broken: it can be an option
			case at > 0 && at+1+n > h.width:
				fmt.Fprint(h, "\n")
				at = 0
			case at > 0:
				fmt.Fprint(h, " ")
				at++
			}
			fmt.Fprint(h, word)
			at += n
		}
		fmt.Fprintln(h)
	}
}

func (h *helper) text(text string) { fmt.Fprintln(h, strings.TrimRight(text, "\n")) }

// flags lists the flags that are not hidden.
func (h *helper) flags(title string, f *pflag.FlagSet) {
	if f.HasAvailableFlags() {
		f.SortFlags = false
		h.title(title)
		h.text(f.FlagUsagesWrapped(h.width))
	}
}

// verbs lists the verbs of a command by their groups: those that come first, or all of them.
func (h *helper) verbs(cmd *cobra.Command, all bool) {
	for _, g := range cmd.Groups() {
		titled := false
		for _, sub := range cmd.Commands() {
			_, isFirst := sub.Annotations[firstKey]
			if sub.GroupID != g.ID || !all && !isFirst || !sub.IsAvailableCommand() && sub.Name() != "help" {
				continue
			}
			if !titled {
				h.title(g.Title)
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
		for _, t := range topics {
			list = append(list, cobra.CompletionWithDesc(t.name, t.short))
		}
	}
	return list, directive
}

// flagsTopic is the help about the flags of all verbs.
const flagsTopic = "flags"

// topics are what help knows besides verbs. The text of flags is made of the flags.
var topics = []struct{ name, short, text string }{
	{"selection", "Select events by type, condition, time and thread", selection.Topic},
	{"fields", "Names of fields in conditions, rows and NDJSON", aboutFields},
	{"query-language", "The language of mjfr query", docs.Text("QUERY.md")},
	{"recordings", "What FILE can be", aboutRecordings},
	{"urls", "Recordings on servers and in buckets", aboutURLs},
	{flagsTopic, "Flags of all verbs, and exit codes", ""},
}

// listOfTopics lists the topics.
func listOfTopics() string {
	var list strings.Builder
	for _, t := range topics {
		fmt.Fprintf(&list, "  %-15s %s\n", t.name, t.short)
	}
	return strings.TrimSuffix(list.String(), "\n")
}

// aboutFields is the help about names of fields.
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
  virtual        whether it is a virtual thread
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
