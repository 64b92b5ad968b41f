// Package redact takes out of recordings what others must not see: secrets, names of people and hosts, addresses,
// paths below home. Rules say what is looked for, where, and what takes its place.
//
//	r := redact.New(redact.Default(), redact.RandomKey())
//	if err := r.Learn(ctx, rec); err != nil { ... }
//	plan := rewrite.Plan{Edits: r, Drop: func(t mmapjfr.Type) bool { return r.Drops(t.Name()) }}
//	_, err := rewrite.Write(ctx, out, []*mmapjfr.Recording{rec}, &plan)
//	fmt.Println(r.Report())
//
// # Rules
//
// [Parse] reads rules, one a line; docs/REDACT.md describes them, and [DefaultText] is an example. Rules that select
// whole fields are asked first, in their order: the first one that fits decides. All rules that look for pieces of
// texts then apply to the texts that are left.
//
// # Pseudonyms
//
// A pseudonym is made of a text by HMAC-SHA256 with a [Key]: the same text always gets the same pseudonym under the
// same key, in all files. While the key exists, a pseudonym can be traced back by trying texts. Without a key file
// the key ends with the process.
//
// # Cost
//
// One pass over the bytes of a text says which characters it has, and so which rules can find anything. A text in
// which nothing is found costs no memory. Tokens are found by their first two bytes, in one pass for all of their
// forms; a text with escapes is searched once more without them. [Check] looks for the same patterns in the bytes of any file.
package redact
