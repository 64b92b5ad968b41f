// Package redact removes secrets and personal data from recordings: passwords, tokens, names of
// users and hosts, addresses, home directories. Rules say what to find, where, and how to replace
// it.
//
//	r := redact.New(redact.Default(), redact.RandomKey())
//	if err := r.Learn(ctx, rec); err != nil { ... }
//	plan := rewrite.Plan{Edits: r, Drop: func(t mmapjfr.Type) bool { return r.Drops(t.Name()) }}
//	_, err := rewrite.Write(ctx, out, []*mmapjfr.Recording{rec}, &plan)
//	fmt.Println(r.Report())
//
// # Rules
//
// [Parse] reads rules, one per line. docs/REDACT.md describes them, and [DefaultText] returns the
// default ones. Rules for whole fields come first, and the first match decides. Then all rules for
// pieces of text search the remaining texts.
//
// # Pseudonyms
//
// A pseudonym is an HMAC-SHA256 of the text under a [Key]: the same text gets the same pseudonym in
// all files. Anybody with the key can guess a text and check it. [RandomKey] is forgotten when the
// process ends.
//
// # Cost
//
// One pass over a text finds out which characters it has, and so which rules can match. A text
// without a match allocates nothing. Tokens of all forms are found in one pass, by their first two
// bytes. A text with escapes is searched again without them. [Redactor.Check] searches the bytes of any
// file.
package redact
