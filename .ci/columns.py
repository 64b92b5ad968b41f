"""Compares what pyarrow and DuckDB read of exported tables with what `mjfr print --ndjson` prints.

    python3 .ci/columns.py EVENTS.ndjson PARQUET_FOLDER

The Parquet files have been written with --inline-stacks. Each row is compared, as the columns' metadata says which
field of the event a column is; stack_id is computed anew, as docs/COLUMNS.md says.
"""
import collections, datetime, glob, hashlib, json, os, re, struct, sys
import duckdb, pyarrow as pa, pyarrow.parquet as pq

PRIMITIVES = {"Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long", "F": "float", "D": "double", "V": "void"}
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
ENDLESS = (2**63 - 1, -(2**63), 1 - 2**63)


def nanos(text):
    """Nanoseconds since 1970; None for a time that they cannot express."""
    if not re.match(r"\d{4}-", text):
        return None # columns cannot express it
    seconds, _, fraction = text.rstrip("Z").partition(".")
    at = datetime.datetime.fromisoformat(seconds + "+00:00") - EPOCH
    ns = (at.days * 86400 + at.seconds) * 10**9 + int(fraction.ljust(9, "0")[:9] or 0)
    return ns if -(2**63) + 10**9 < ns < 2**63 - 10**9 else None


def stack_id(frames, truncated):
    h = hashlib.sha256()
    for f in frames:
        for x in (re.sub(r"(\$\d+)?([/.+](0x[0-9a-fA-F]+|\d+))+$", "", f["class"] or ""), f["method"] or "", f["descriptor"] or "", f["type"] or "", f["line"] or 0, -1 if f["bci"] is None else f["bci"]):
            h.update(str(x).encode() + b"\0")
    if truncated:
        h.update(b"\1")
    return int.from_bytes(h.digest()[:8], "big", signed=True)


def walk(value, path):
    """The value of a field, whose name may have dots."""
    if not path:
        return value
    if not isinstance(value, dict):
        return None
    for n in range(len(path), 0, -1):
        if (name := ".".join(path[:n])) in value:
            return walk(value[name], path[n:])
    return None


def expected(column, kind, unit, value):
    """What a column has for a value that has been printed."""
    last = column.rstrip("_").rpartition(".")[2]
    if isinstance(value, dict) and "javaId" in value:
        key = {"thread_id": "javaId", "os_tid": "osId", "virtual": "virtual"}.get(last, "name")
        value = value[key]
        return None if key in ("javaId", "osId") and (value or 0) <= 0 else value
    if isinstance(value, dict) and "frames" in value:
        frames = value["frames"]
        if last == "top_frame":
            return re.sub(r":\d+$", "", frames[0]) if frames and frames[0] else None
        return len(frames) if last == "frames" else "" # those of stack_id and top_app_frame are checked elsewhere
    if value is None or isinstance(value, dict):
        return None
    if isinstance(value, list):
        if value and isinstance(value[0], dict):
            return len(value)
        return tuple(expected("", kind.value_type if pa.types.is_list(kind) else kind, unit, v) for v in value)
    if pa.types.is_timestamp(kind):
        ns = nanos(value)
        return None if ns is None else ns // 1000
    if column == "start_ns":
        return nanos(value)
    if unit.startswith("ns") and value in ENDLESS:
        return None
    if pa.types.is_floating(kind):
        return float(value) + 0.0 if isinstance(value, (int, float)) else None
    return value


def actual(column, kind, value, printed_structs):
    """The same for what has been read."""
    last = column.rstrip("_").rpartition(".")[2]
    if value is None:
        return None
    if last in ("stack_id", "top_app_frame"):
        return ""
    if printed_structs or pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        return len(value)
    if pa.types.is_floating(kind):
        return value + 0.0
    return tuple(value) if isinstance(value, list) else value


def single(number):
    """A number as a float has it; the two zeros are one."""
    try:
        return struct.unpack("f", struct.pack("f", number))[0] + 0.0
    except OverflowError:
        return number


def rows_of(table):
    """The columns of a table as lists; times are microseconds."""
    columns = {}
    for name, column in zip(table.column_names, table.columns):
        if pa.types.is_timestamp(column.type):
            column = column.cast(pa.int64())
        elif pa.types.is_list(column.type) and pa.types.is_timestamp(column.type.value_type):
            column = column.cast(pa.list_(pa.int64()))
        columns[name] = column.to_pylist()
    return columns


def judge_type(name, events, table, recordings):
    if len(events) != table.num_rows:
        yield f"{name}: {table.num_rows} rows, {len(events)} events"
        return
    columns = rows_of(table)
    if not set(columns.pop("recording_id")) <= recordings:
        yield f"{name}.recording_id: _recording lacks some"
    yield from judge_columns(name, events, table, columns)
    times = columns.get("start_ns", [])
    if times != sorted(times):
        yield f"{name}: the rows are not in order"
    for column, values in columns.items():
        if column.rpartition(".")[2] == "stack_id" and (frames := columns.get(column.removesuffix("stack_id") + "frames")):
            for id, list_ in zip(values, frames):
                if id is not None and id not in (stack_id(list_, False), stack_id(list_, True)):
                    yield f"{name}.{column}: {id} is not that of its frames"


def judge_columns(name, events, table, columns):
    """What differs between events and the rows of a table, whose columns have been read as lists."""
    meta = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
    want, got = [()] * len(events), [()] * len(events)
    for column, values in columns.items():
        kind, unit = table.schema.field(column).type, meta.get(f"jfr.field.{column}.unit", "")
        path = meta[f"jfr.field.{column}.path"].split(".")
        printed = [expected(column, kind, unit, walk(e, path)) for e in events]
        structs = any(isinstance(v, list) and v and isinstance(v[0], dict) for v in (walk(e, path) for e in events))
        read = [actual(column, kind, v, structs) for v in values]
        if pa.types.is_floating(kind) and all(v is None or v == single(v) for v in read):
            printed = [v if v is None else single(v) for v in printed] # floats are printed with as many digits as they need
            read = [v if v is None else single(v) for v in read]
        if column.rpartition(".")[2] == "top_app_frame":
            continue # may be null where the stack is not
        if collections.Counter(map(repr, printed)) != collections.Counter(map(repr, read)):
            differ = collections.Counter(map(repr, printed)) - collections.Counter(map(repr, read))
            more = collections.Counter(map(repr, read)) - collections.Counter(map(repr, printed))
            yield f"{name}.{column}: printed {list(differ.items())[:3]}, read {list(more.items())[:3]}"
        want = [w + (v,) for w, v in zip(want, printed)]
        got = [g + (v,) for g, v in zip(got, read)]
    if collections.Counter(map(repr, want)) != collections.Counter(map(repr, got)):
        yield f"{name}: the rows differ"


def main(ndjson, parquet):
    events, failures, tables = collections.defaultdict(list), [], 0
    recordings = set(pq.ParquetFile(parquet + "/_recording.parquet").read()["recording_id"].to_pylist())
    with open(ndjson) as f:
        for line in f:
            event = json.loads(line)
            events[event["@type"]].append(event)
    for path in sorted(glob.glob(parquet + "/*.parquet")):
        tables += 1
        table = pq.ParquetFile(path).read()
        base = os.path.basename(path).removesuffix(".parquet")
        duck = duckdb.sql(f"select * from read_parquet('{path}', hive_partitioning = false)").arrow()
        duck = duck.read_all() if hasattr(duck, "read_all") else duck
        for column in table.column_names:
            values = table[column].to_pylist()
            if values != duck[column].to_pylist():
                failures.append(f"{base}.{column}: DuckDB reads other values")
        name = json.loads('"%s"' % (table.schema.metadata or {}).get(b"jfr.type", b"").decode())
        if not base.startswith("_"):
            failures += judge_type(name, events.pop(name, []), table, recordings)
        elif base == "_stacks":
            for row in table.to_pylist():
                if stack_id(row["frames"], row["truncated"]) != row["stack_id"]:
                    failures.append(f"_stacks: {row['stack_id']} is not that of its frames")
    failures += [f"{name}: no table has its {len(list_)} events" for name, list_ in events.items()]
    for f in failures[:20]:
        print(f)
    print(f"{tables} tables, {len(failures)} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main(*sys.argv[1:])
