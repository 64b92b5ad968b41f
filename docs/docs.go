// Package docs has pages of documentation that commands show.
package docs

import _ "embed"

// Query describes the query language, in Markdown.
//
//go:embed QUERY.md
var Query string

// Columns describes the tables that mjfr export writes, in Markdown.
//
//go:embed COLUMNS.md
var Columns string

// SQL describes the tables, views and macros of mjfr sql, in Markdown.
//
//go:embed SQL.md
var SQL string
