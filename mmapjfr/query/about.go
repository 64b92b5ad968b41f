package query

// About describes the language in a few lines, for help.
const About = `  SELECT what {, what}       fields, numbers made of them, and aggregates: count(*) sum avg min max median
                             p50 p99 p999 quantile(x, 0.99) stdev first last diff unique set list top_k(x, 5)
                             arg_max(x, by) rate histogram; AS names a column
  FROM type {, type}         jdk.FileRead, FileRead, jdk.GC*, or * for all
  WHERE condition            as --where has it, and with AND OR NOT IN LIKE BETWEEN
  DURING | WITHIN | ASOF type [AS name]
                             only events while one of another type lasts, or inside one of their thread, or with
                             the last one before; name.field is a field of it
  GROUP BY what {, what}     or ALL; time(10s) is the time in steps, stackTrace.topFrame the method on top
  HAVING condition           of groups, as in count(*) > 10
  ORDER BY what [DESC]       a column, its number, or anything else
  LIMIT n`
