// Command ask asks the jfr command of JDK 25 about recordings and keeps its answers
// beside them, where package oracle finds them.
//
//	go run ./internal/oracle/ask [-jdk HOME] [-stale] testdata/*.jfr
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/oracle"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := ask(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
}

func ask(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("ask", flag.ExitOnError)
	home := flags.String("jdk", "", "home of a JDK 25 or later; found by JAVA25_HOME or PATH otherwise")
	stale := flags.Bool("stale", false, "ask only about recordings that have no answers or have changed since")
	_ = flags.Parse(args)
	if flags.NArg() == 0 {
		return errors.New("name the recordings to ask about, for example testdata/*.jfr")
	}
	if *home == "" {
		found, ok := jdk.Judge()
		if !ok {
			return errors.New("no JDK 25 or later: set JAVA25_HOME, put its jfr on PATH or use -jdk")
		}
		*home = found
	}
	version, err := jdk.JudgeVersion(*home)
	if err != nil {
		return err
	}
	fmt.Printf("asking JDK %s\n", version)
	begin := time.Now()
	for _, file := range flags.Args() {
		if *stale {
			if _, err := oracle.Load(file); err == nil {
				fmt.Printf("%s: up to date\n", filepath.Base(file))
				continue
			}
		}
		if err := askOne(ctx, *home, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	fmt.Printf("all answered in %.1f s\n", time.Since(begin).Seconds())
	return nil
}

func askOne(ctx context.Context, home, file string) error {
	fmt.Printf("%s: ", filepath.Base(file))
	begin := time.Now()
	a, err := oracle.Ask(ctx, home, file)
	if err != nil {
		fmt.Println("failed")
		return err
	}
	if err := a.Save(file); err != nil {
		return err
	}
	t := a.Truth()
	fmt.Printf("%d chunks, %d events, %d classes, %d B of answers, %.1f s\n",
		len(t.Chunks), t.Events.Len(), len(t.Classes), len(a.Text()), time.Since(begin).Seconds())
	if a.AsFinished != nil {
		fmt.Println("  unfinished: the numbers are those of the copy made finished")
	}
	report(t)
	return nil
}

// report prints what deserves a look: refusals, and types of which another number of
// events was printed than the summary counted.
func report(a *oracle.Account) {
	if a.Summary.Refused != "" {
		fmt.Println("  " + a.Summary.Refused)
	}
	for i, c := range a.Chunks {
		for _, text := range []string{c.PrintRefused, c.MetadataRefused} {
			if text != "" {
				fmt.Printf("  chunk %d: %s\n", i, text)
			}
		}
	}
	for name, c := range a.Summary.Types {
		if n := a.Events[name].N; a.Complete() && n != 0 && n != c.Events {
			fmt.Printf("  %s: %d in the summary, %d printed\n", name, c.Events, n)
		}
	}
}
