// Command mjfr-duckdb is the verb sql of mjfr with DuckDB in itself: event types of recordings are tables that DuckDB
// reads from the recordings, in parallel and only the columns that a statement needs.
//
//	mjfr-duckdb app.jfr "select path, sum(bytesRead) from FileRead group by all order by 2 desc"
//
// It is a module of its own because DuckDB needs a compiler of C: run go build in its folder.
package main

import "github.com/mmapjfr/jfr/cmd/mjfr/sqlverb"

func main() { sqlverb.Main("mjfr-duckdb", new(engine)) }
