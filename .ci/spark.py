"""Compares what Spark reads of exported tables with what `mjfr print --ndjson` prints.

    python3 .ci/spark.py FOLDER

FOLDER has a folder for each recording, with events.ndjson, and tables in flat (--inline-stacks); and lake, the
data set of all of them by `mjfr batch export --key part`. Spark counts rows and adds up whole numbers by itself; then each row is
compared. Spark takes no file whose name begins with _, so such tables are read by a link.
"""
import collections, decimal, glob, json, os, sys
import columns, pyarrow as pa, pyarrow.parquet as pq
from pyspark.sql import SparkSession, functions as F, types as T

spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.session.timeZone", "UTC")
    .config("spark.driver.memory", "1500m").config("spark.sql.shuffle.partitions", "2").config("spark.log.level", "ERROR").getOrCreate())


def name_of(*steps):
    """A column as expressions have it: groups of Parquet are structs."""
    return ".".join("`%s`" % s for s in steps)


def leaves(schema, steps=()):
    """The columns of a schema that are no structs."""
    for f in schema.fields:
        if isinstance(f.dataType, T.StructType):
            yield from leaves(f.dataType, steps + (f.name,))
        else:
            yield steps + (f.name,), f.dataType


def expression(steps, kind):
    """The column with times as microseconds."""
    column = F.col(name_of(*steps))
    if isinstance(kind, T.TimestampType):
        return F.unix_micros(column)
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.TimestampType):
        return F.transform(column, F.unix_micros)
    return column


def plain(value):
    """A value as pyarrow has it."""
    if isinstance(value, decimal.Decimal):
        return int(value)
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value.asDict() if hasattr(value, "asDict") else value


def read(path):
    """What Spark reads of a file: the columns as lists by their names, how many rows there are, and sums."""
    base = os.path.basename(path)
    if base.startswith("_") and not os.path.exists(shown := os.path.dirname(path) + "/shown" + base):
        os.symlink(base, shown)
    frame = spark.read.parquet(shown if base.startswith("_") else path)
    parts = list(leaves(frame.schema))
    exact = [(".".join(s), F.sum(F.col(name_of(*s)).cast("decimal(38,0)"))) for s, k in parts if isinstance(k, (T.LongType, T.DecimalType))]
    totals = frame.agg(F.count("*"), *(sum for _, sum in exact)).collect()[0]
    rows = frame.select(*(expression(s, k).alias(str(i)) for i, (s, k) in enumerate(parts))).collect()
    lists = {".".join(s): [plain(r[i]) for r in rows] for i, (s, _) in enumerate(parts)}
    return lists, totals[0], {name: None if v is None else int(v) for (name, _), v in zip(exact, totals[1:])}


def judge(path, events):
    """What differs between a file and the events of its type."""
    table = pq.ParquetFile(path).read()
    base = os.path.basename(path).removesuffix(".parquet")
    lists, count, sums = read(path)
    if count != len(events) and not base.startswith("_"):
        yield f"{path}: Spark counts {count} rows, {len(events)} events are printed"
    for name, total in sums.items():
        values = [v for v in lists[name] if v is not None]
        if (total or 0) != sum(values):
            yield f"{path}: Spark's sum of {name} is {total}, and that of the values {sum(values)}"
    flat = columns.rows_of(table)
    if missing := [c for c in flat if c not in lists]:
        yield f"{path}: Spark lacks {missing}"
    if base.startswith("_"):
        for name in flat.keys() & lists.keys():
            if list(map(repr, flat[name])) != list(map(repr, lists[name])):
                yield f"{path}: Spark reads other values of {name}"
    else:
        only = table.select([c for c in table.column_names if c in lists and c != "recording_id"])
        yield from columns.judge_columns(path, events, only, {c: lists[c] for c in only.column_names})


def columns_folder(path):
    """The folder of a table in a data set."""
    return os.path.basename(path).removesuffix(".parquet")


def main(folder):
    failures, tables, rows = [], 0, 0
    by_type = collections.Counter()
    for one in sorted(glob.glob(folder + "/*/events.ndjson")):
        events = collections.defaultdict(list)
        with open(one) as f:
            for line in f:
                event = json.loads(line)
                events[event["@type"]].append(event)
        own = os.path.dirname(one)
        for path in sorted(p for p in glob.glob(own + "/flat/*.parquet") if not os.path.islink(p)):
            tables += 1
            name = json.loads('"%s"' % (pq.read_schema(path).metadata or {}).get(b"jfr.type", b"").decode())
            list_ = events.pop(name, [])
            rows += len(list_)
            by_type[columns_folder(path), os.path.basename(own)] = pq.read_metadata(path).num_rows
            failures += judge(path, list_)
        failures += [f"{one}: no table has the events of {name}" for name in events]
    for table in sorted({t for t, _ in by_type}):
        kinds = collections.defaultdict(set)
        for file in glob.glob(f"{folder}/lake/{table}/*/*.parquet"):
            for field in pq.read_schema(file):
                kinds[field.name].add(str(field.type))
        merge = all(len(k) == 1 for k in kinds.values()) # Spark merges no column with two kinds
        found = {r["part"]: r["count"] for r in spark.read.option("mergeSchema", merge)
            .parquet(f"{folder}/lake/{table}").groupBy("part").count().collect()}
        want = {n: c for (t, n), c in by_type.items() if t == table}
        if want != found:
            failures.append(f"lake: {table}: Spark counts {found}, and not {want}")
    for f in failures[:20]:
        print(f)
    print(f"Spark {spark.version}: {tables} tables, {rows} rows, {len(failures)} failures")
    sys.exit(bool(failures))


main(*sys.argv[1:])
