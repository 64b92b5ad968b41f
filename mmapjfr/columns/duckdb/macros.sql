-- Percentiles as the JDK computes them: of n values the one at (n + 1) * p, between neighbours in proportion.
CREATE MACRO jdk_quantile_of(sorted, h) AS CASE
  WHEN h < 1 THEN sorted[1]
  WHEN h >= len(sorted) THEN sorted[-1]
  ELSE sorted[CAST(floor(h) AS BIGINT)] + (h - floor(h)) * (sorted[CAST(floor(h) AS BIGINT) + 1] - sorted[CAST(floor(h) AS BIGINT)])
END;
CREATE MACRO jdk_quantile(x, p) AS jdk_quantile_of(list_sort(list(x) FILTER (x IS NOT NULL)), (count(x) + 1) * CAST(p AS DOUBLE));
CREATE MACRO p50(x) AS jdk_quantile(x, 0.5);
CREATE MACRO p90(x) AS jdk_quantile(x, 0.9);
CREATE MACRO p95(x) AS jdk_quantile(x, 0.95);
CREATE MACRO p99(x) AS jdk_quantile(x, 0.99);
CREATE MACRO p999(x) AS jdk_quantile(x, 0.999);

-- Aggregates of the JDK's views. Of diff, moment is what values are ordered by, such as start_ns.
CREATE MACRO count_unique(x) AS count(DISTINCT x);
CREATE MACRO diff(x, moment) AS arg_max(x, moment) - arg_min(x, moment);
CREATE MACRO normalized(x) AS CAST(x AS DOUBLE) / nullif(sum(x) OVER (), 0);

-- Arithmetic of views: down to a multiple of a width; a number that is not infinite; a time.
CREATE MACRO floor_to(x, width) AS CAST(x AS HUGEINT) - (CAST(x AS HUGEINT) % width + width) % width;
CREATE MACRO finite(x) AS nullif(nullif(nullif(x + 0, CAST('inf' AS DOUBLE)), CAST('-inf' AS DOUBLE)), CAST('nan' AS DOUBLE));
CREATE MACRO time_of(ns) AS make_timestamptz(CAST(floor_to(ns, 1000) // 1000 AS BIGINT));

-- Formats. Lengths of time are in nanoseconds, sizes in bytes, and 1 is 100 %.
CREATE MACRO format_decimals(x, digits) AS printf('%.' || digits || 'f', CAST(x AS DOUBLE));
CREATE MACRO format_percentage(x) AS printf('%.2f %%', 100 * CAST(x AS DOUBLE));
CREATE MACRO format_hex(x) AS printf('0x%X', CAST(x AS BIGINT));
CREATE MACRO format_memory(x) AS CASE
  WHEN abs(x) < 1024 THEN CAST(x AS VARCHAR) || ' bytes'
  WHEN abs(x) < 1048576 THEN printf('%.1f kB', x / 1024.0)
  WHEN abs(x) < 1073741824 THEN printf('%.1f MB', x / 1048576.0)
  WHEN abs(x) < 1099511627776 THEN printf('%.1f GB', x / 1073741824.0)
  ELSE printf('%.1f TB', x / 1099511627776.0)
END;
CREATE MACRO format_duration(x) AS CASE
  WHEN abs(x) < 1e3 THEN CAST(CAST(x AS BIGINT) AS VARCHAR) || ' ns'
  WHEN abs(x) < 1e6 THEN printf('%.3g us', x / 1e3)
  WHEN abs(x) < 1e9 THEN printf('%.3g ms', x / 1e6)
  ELSE printf('%.3f s', x / 1e9)
END;
CREATE MACRO format_human_duration(x) AS CASE
  WHEN abs(x) < 60e9 THEN printf('%.2f s', x / 1e9)
  WHEN abs(x) < 3600e9 THEN printf('%d min %d s', CAST(x // 60000000000 AS BIGINT), CAST(x // 1000000000 % 60 AS BIGINT))
  ELSE printf('%d h %d min', CAST(x // 3600000000000 AS BIGINT), CAST(x // 60000000000 % 60 AS BIGINT))
END;

-- Names: of the class of a method such as top_frame, of the package of a class or a method, and the rest without it.
CREATE MACRO class_of(method) AS regexp_replace(method, '\.[^.(]*(\(.*)?$', '');
CREATE MACRO class_in(name) AS CASE WHEN contains(name, '(') THEN regexp_extract(split_part(name, '(', 1), '^(.*)\.[^.]*$', 1) ELSE rtrim(name, '[]') END;
CREATE MACRO package_of(name) AS regexp_extract(regexp_replace(class_in(name), '(\$\d+)?([/.+](0x[0-9a-fA-F]+|\d+))+$', ''), '^(.*)\.[^.]*$', 1);
CREATE MACRO simple_name(name) AS regexp_replace(name[length(package_of(name)) + 1:], '^\.', '');

-- Stacks: the frames of a stack_id, the innermost first; one of them as text; all in one text, the outermost first, as
-- flame graphs have it; and whether a class and method match a regular expression. Tables are called what no script calls
-- its own, which an argument may name.
CREATE MACRO frames(id) AS (SELECT any_value("@s".frames) FROM _stacks "@s" WHERE "@s".stack_id = id);
CREATE MACRO frame_text(f) AS f.class || '.' || f.method || CASE WHEN f.line > 0 THEN ':' || f.line ELSE '' END;
CREATE MACRO frame(id, number) AS frame_text(frames(id)[number + 1]);
CREATE MACRO stack_text(id) AS array_to_string(list_reverse(list_transform(frames(id), lambda f: f.class || '.' || f.method)), ';');
CREATE MACRO has_frame(id, pattern) AS coalesce(list_any_value(list_filter(list_transform(frames(id), lambda f: regexp_matches(f.class || '.' || f.method, pattern)), lambda b: b)), false);

-- The text of a method with the simple names of its parameters, as in top_frame, of the columns of _frames.
CREATE MACRO type_text(of) AS CASE ltrim(of, '[')
  WHEN 'B' THEN 'byte' WHEN 'C' THEN 'char' WHEN 'D' THEN 'double' WHEN 'F' THEN 'float' WHEN 'I' THEN 'int'
  WHEN 'J' THEN 'long' WHEN 'S' THEN 'short' WHEN 'Z' THEN 'boolean' ELSE regexp_replace(of, '^\[*L(?:.*[./])?([^./]*);$', '\1')
END || repeat('[]', length(of) - length(ltrim(of, '[')));
CREATE MACRO method_text(class, method, descriptor) AS concat(class || '.', method, CASE
  WHEN starts_with(descriptor, '(') THEN '(' || coalesce(array_to_string(list_transform(regexp_extract_all(split_part(descriptor[2:], ')', 1), '\[*(?:L[^;]*;|.)'), lambda p: type_text(p)), ', '), '') || ')'
  ELSE descriptor
END);
CREATE MACRO method_of(f) AS CASE WHEN f.method IS NOT NULL THEN method_text(f.class, f.method, f.descriptor) END;
CREATE MACRO top_not_init_frame(id) AS (SELECT any_value(method_of(list_filter("@s".frames, lambda f: f.method IS DISTINCT FROM '<init>')[1])) FROM _stacks "@s" WHERE "@s".stack_id = id);

-- Garbage collections by gcId: the heap before and after, and what came last before an event. Numbers of collections and
-- moments are those of one JVM, so the forms without a recording_id are errors where the recordings are of several.
CREATE MACRO several_jvms() AS (SELECT max("@r".jvms) > 1 OR count(DISTINCT concat_ws('/', "@r".host, "@r".jvm_pid, coalesce(CAST("@r".jvm_start_time AS VARCHAR), "@r".recording_id))) > 1 FROM _recording "@r");
CREATE MACRO need_one_jvm(name) AS error(name || ' needs recordings of one JVM each: this one has several, which mjfr disassemble takes apart');
CREATE MACRO need_recording(name) AS CASE WHEN (SELECT min("@r".jvms) > 1 FROM _recording "@r") THEN need_one_jvm(name) ELSE error('the recordings are of several JVMs, and which of them is not said: write ' || name || ' with recording_id as the second argument') END;
CREATE MACRO is_mixed(recording) AS coalesce((SELECT max("@r".jvms) > 1 FROM _recording "@r" WHERE "@r".recording_id = recording), false);
CREATE MACRO heap_at_gc(id, moment) AS (SELECT any_value("@h".heapUsed) FROM "jdk.GCHeapSummary" "@h" WHERE "@h".gcId = id AND "@h"."when" = moment);
CREATE MACRO heap_at_gc_of(id, moment, recording) AS (SELECT any_value("@h".heapUsed) FROM "jdk.GCHeapSummary" "@h" WHERE "@h".gcId = id AND "@h"."when" = moment AND "@h".recording_id = recording);
CREATE MACRO heap_before_gc(id) AS CASE WHEN several_jvms() THEN need_recording('heap_before_gc') ELSE heap_at_gc(id, 'Before GC') END,
  (id, recording) AS CASE WHEN is_mixed(recording) THEN need_one_jvm('heap_before_gc') ELSE heap_at_gc_of(id, 'Before GC', recording) END;
CREATE MACRO heap_after_gc(id) AS CASE WHEN several_jvms() THEN need_recording('heap_after_gc') ELSE heap_at_gc(id, 'After GC') END,
  (id, recording) AS CASE WHEN is_mixed(recording) THEN need_one_jvm('heap_after_gc') ELSE heap_at_gc_of(id, 'After GC', recording) END;
CREATE MACRO last_gc_before(ns) AS CASE WHEN several_jvms() THEN need_recording('last_gc_before') ELSE (SELECT max("@g".start_ns) FROM "jdk.GarbageCollection" "@g" WHERE "@g".start_ns < ns) END,
  (ns, recording) AS CASE WHEN is_mixed(recording) THEN need_one_jvm('last_gc_before') ELSE (SELECT max("@g".start_ns) FROM "jdk.GarbageCollection" "@g" WHERE "@g".start_ns < ns AND "@g".recording_id = recording) END;
CREATE MACRO gc_id_before(ns) AS CASE WHEN several_jvms() THEN need_recording('gc_id_before') ELSE (SELECT arg_max("@g".gcId, "@g".start_ns) FROM "jdk.GarbageCollection" "@g" WHERE "@g".start_ns < ns) END,
  (ns, recording) AS CASE WHEN is_mixed(recording) THEN need_one_jvm('gc_id_before') ELSE (SELECT arg_max("@g".gcId, "@g".start_ns) FROM "jdk.GarbageCollection" "@g" WHERE "@g".start_ns < ns AND "@g".recording_id = recording) END;
CREATE MACRO gc_id_after(ns) AS CASE WHEN several_jvms() THEN need_recording('gc_id_after') ELSE (SELECT arg_min("@g".gcId, "@g".start_ns) FROM "jdk.GarbageCollection" "@g" WHERE "@g".start_ns > ns) END,
  (ns, recording) AS CASE WHEN is_mixed(recording) THEN need_one_jvm('gc_id_after') ELSE (SELECT arg_min("@g".gcId, "@g".start_ns) FROM "jdk.GarbageCollection" "@g" WHERE "@g".start_ns > ns AND "@g".recording_id = recording) END;
CREATE MACRO since_last_gc(ns) AS ns - last_gc_before(ns), (ns, recording) AS ns - last_gc_before(ns, recording);
