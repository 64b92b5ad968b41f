package redact

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// Learn reads a recording for the names of users and hosts that the rules say where to find, and for the names of
// classes, methods and event types if they get other names. All recordings come before any of them is edited, so that
// what one says of a host is hidden in the others. Learn reads events of few types only, and what cannot be
// read is passed over: package rewrite reports it.
func (r *Redactor) Learn(ctx context.Context, rec *mmapjfr.Recording) error {
	types, err := rec.Types()
	if err != nil && len(types) == 0 {
		if passedOver(err) {
			return nil
		}
		return err
	}
	engine.RecordingDropPassed(rec)
	if err := r.learnFrom(ctx, rec, r.learnedFields(types)); err != nil {
		return err
	}
	if r.classes == nil {
		return nil
	}
	for _, c := range rec.Chunks() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := rec.Protect(func() error { return r.classes.learn(c) }); err != nil && !passedOver(err) {
			return err
		}
	}
	return nil
}

// passedOver reports whether an error is one of the recording, which others report.
func passedOver(err error) bool { return !errors.Is(err, mmapjfr.ErrClosed) }

// learnedField is a field that names are learned from.
type learnedField struct {
	source
	path *mmapjfr.FieldPath
	seen map[string]bool
}

// learnedFields returns the fields that names are learned from, by the name of their type.
func (r *Redactor) learnedFields(types []mmapjfr.Type) map[string][]learnedField {
	all := make(map[string][]learnedField)
	for _, t := range types {
		for _, s := range r.rules.learn {
			if !t.IsEvent() || !s.from.matchesType(t.Name()) {
				continue
			}
			for _, f := range t.Fields() {
				if f.Type().Name() == "java.lang.String" && matchGlob(s.from.field, f.Name()) {
					all[t.Name()] = append(all[t.Name()], learnedField{s, mmapjfr.Path(f.Name()), make(map[string]bool)})
				}
			}
		}
	}
	return all
}

// learnFrom learns from fields of event types.
func (r *Redactor) learnFrom(ctx context.Context, rec *mmapjfr.Recording, fields map[string][]learnedField) error {
	if len(fields) == 0 {
		return nil
	}
	types := slices.Sorted(maps.Keys(fields))
	for chunks := range slices.Chunk(rec.Chunks(), chunksAtOnce) {
		var events [chunksAtOnce][]mmapjfr.Event
		parallel.ForEach(parallel.Workers(0), len(chunks), func(_, i int) {
			for ev, err := range engine.ChunkEventsOf(chunks[i], types...) {
				if err == nil {
					events[i] = append(events[i], ev)
				}
			}
			engine.ChunkDropPages(chunks[i])
		})
		for i, c := range chunks {
			for _, ev := range events[i] {
				r.learnEvent(ev, fields[ev.Type().Name()])
			}
			engine.ChunkDropPages(c) // texts may lie in its pools
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// chunksAtOnce is how many chunks are learned from at once.
const chunksAtOnce = 8

// learnEvent learns from fields of an event.
func (r *Redactor) learnEvent(ev mmapjfr.Event, fields []learnedField) {
	for _, f := range fields {
		text := ev.Str(f.path)
		if text == "" || f.seen[text] && f.when == nil || !f.when.holds(eventValues{ev}) {
			continue
		}
		f.seen[text] = true
		r.learnName(kindNames[f.kind], text)
	}
}

// eventValues are the values of an event of the public interface.
type eventValues struct{ ev mmapjfr.Event }

func (v eventValues) Text(field string) (string, bool) {
	text := v.ev.Str(mmapjfr.Path(field))
	return text, text != ""
}

// Previous returns no text: what is learned from is no array.
func (v eventValues) Previous() (string, bool) { return "", false }

// Context returns one that is never done.
func (v eventValues) Context() context.Context { return context.Background() }

// Memo returns nil: nothing is edited.
func (v eventValues) Memo() rewrite.Memo { return nil }

var _ rewrite.Values = eventValues{}

// learnName learns a name: of a user, a host, or a path, that of the user in whose home it lies. Names that are too
// short, or that all systems have, are not learned.
func (r *Redactor) learnName(what, name string) {
	switch what {
	case "user":
		if r.env.isName(name) {
			r.env.users.add(name)
		}
	case "host":
		if _, err := netip.ParseAddr(name); err != nil && r.env.isName(name) {
			r.env.hosts.add(name)
			if first, _, ok := strings.Cut(name, "."); ok && strings.ContainsAny(first, "0123456789-") && r.env.isName(first) {
				r.env.hosts.add(first)
			}
		}
	case "path":
		findPaths(&r.env, name, func(from, to int) {
			if from >= len("root/") && !strings.EqualFold(name[from-len("root/"):from-1], "root") {
				r.learnName("user", name[from:from+indexAny(name[from:to], `/\`)])
			}
		})
	}
}

// commonNames are names of users and hosts that say nothing, and words that would be found everywhere.
var commonNames = []string{
	"root", "user", "users", "admin", "administrator", "app", "application", "java", "jvm", "main", "test", "tests", "docker", "jenkins", "ubuntu", "debian",
	"centos", "ec2-user", "www-data", "tomcat", "nobody", "daemon", "default", "localhost", "system", "server", "client", "service", "spring", "gradle", "maven",
	"runner", "vagrant", "home", "host", "shared", "public", "postgres", "mysql", "oracle", "localhost.localdomain", "build", "buildd", "work", "none", "null",
	"data", "apps", "deploy", "web", "git", "dev", "prod", "stage", "staging", "code", "src", "lib", "common", "util", "core", "config", "demo", "projects", "local",
}

// isName reports whether a text can be a name that is worth hiding.
func (e *environment) isName(name string) bool {
	const shortest, longest = 3, 253
	return len(name) >= shortest && len(name) <= longest && isWord(name[0]) && strings.IndexFunc(name, isNoDigit) >= 0 &&
		!slices.Contains(commonNames, strings.ToLower(name)) && !e.isMark(name) && !strings.ContainsAny(name, "/\\:=\n")
}

func isNoDigit(c rune) bool { return c < '0' || c > '9' }

// learn learns the names of classes, packages, methods and event types of a chunk.
func (c *classNames) learn(chunk mmapjfr.Chunk) error {
	types, err := engine.ChunkAllTypes(chunk)
	if err != nil {
		return err
	}
	for _, t := range types {
		c.learnType(t)
		switch t.Name() {
		case "java.lang.Class":
			for _, v := range engine.ChunkConstants(chunk, t) {
				c.addClass(v.Get(pathName).Str())
			}
		case "jdk.types.Package", "jdk.types.Module":
			for _, v := range engine.ChunkConstants(chunk, t) {
				c.addPackage(v.Get(pathName).Str())
			}
		case "jdk.types.Method":
			for _, v := range engine.ChunkConstants(chunk, t) {
				class, _ := generated(strings.ReplaceAll(v.Get(pathTypeName).Str(), "/", "."))
				if method := v.Get(pathName).Str(); method != "" {
					c.methods.add(method, class == "" || !isQualified(class) || c.keeps(class))
				}
			}
		}
	}
	return nil
}

var pathName, pathTypeName = mmapjfr.Path("name"), mmapjfr.Path("type.name")

// learnType learns what describes a type.
func (c *classNames) learnType(t mmapjfr.Type) {
	kept := c.keeps(t.Name())
	if !kept {
		c.addClass(engine.TypeRecordedName(t))
	}
	c.learnAnnotations(t.Annotations(), kept)
	// Uses of an annotation name its fields, too, and that is no text that edits see.
	named := kept || t.Super() == "java.lang.annotation.Annotation"
	for _, f := range t.Fields() {
		c.fields.add(f.Name(), named || slices.Contains(eventFields, f.Name()))
		c.learnAnnotations(f.Annotations(), kept)
	}
	for _, s := range t.Settings() {
		c.learnAnnotations(s.Annotations(), kept)
	}
}

// eventFields are those that all event types can have. Readers know them by name.
var eventFields = []string{"startTime", "duration", "eventThread", "stackTrace"}

// textAnnotations are those whose texts people read.
var textAnnotations = []string{"jdk.jfr.Label", "jdk.jfr.Description", "jdk.jfr.Category", "jdk.jfr.Name"}

func (c *classNames) learnAnnotations(all []mmapjfr.Annotation, kept bool) {
	for _, a := range all {
		for _, v := range a.Values() {
			words := slices.Contains(textAnnotations, a.Name())
			for _, text := range v.Texts {
				c.texts.add(text, kept || !words)
			}
		}
	}
}
