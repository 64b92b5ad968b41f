// Package views has prepared statements, which it calls views: those of the JDK's jfr view, others
// that the JDK does not have, and those that users write into files.
//
// # Files
//
// A file has any number of views. A view begins with a line "view:" with its name; lines that
// describe it follow, and then its statement, up to the next "view:" or the end.
//
//	view: slow-reads
//	title: Slow Reads
//	about: Files that took long to read
//	from jdk.FileRead
//	where duration > ${threshold=10ms}
//	select path 'Path', count(*) 'Reads', max(duration) as longest 'Longest'
//	group by path
//	order by longest desc;
//
// The lines are title, which stands above the view (its name, if it is absent); about; section, by
// which lists are divided; and shown, which is form for one row with a line for each column, and
// table otherwise.
//
// A parameter is a name in ${ and }, with a value for those who give none after =. Its value is put
// into the statement: a number or the name of a field or an event type as it is, and anything else
// as a text in quotes.
package views
