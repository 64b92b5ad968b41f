// Package duckdb has what DuckDB needs to answer questions about recordings in its own dialect: which tables a script
// names, what their columns are called there, the views of the JDK as SQL, and macros. It runs nothing; mjfr sql does,
// with a duckdb that it finds, and so does the program mjfr-duckdb, which has DuckDB in itself. docs/SQL.md describes
// what users see.
package duckdb
