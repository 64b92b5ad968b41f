// Package lint holds the rules of this repository as tests: plain English ([CONTRIBUTING.md]),
// the sizes of folders, files and functions, and the import table of [ARCHITECTURE.md]. It has
// nothing that a program could use.
//
// [CONTRIBUTING.md]: https://github.com/mmapjfr/jfr/blob/main/CONTRIBUTING.md
// [ARCHITECTURE.md]: https://github.com/mmapjfr/jfr/blob/main/ARCHITECTURE.md
package lint
