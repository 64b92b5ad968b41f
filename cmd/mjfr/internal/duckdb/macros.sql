-- Percentiles as mjfr computes them: of n values, the one at position (n + 1) * p, interpolated.
CREATE OR REPLACE MACRO jdk_quantile_of(sorted, h) AS CASE
  WHEN h < 1 THEN sorted[1]
  WHEN h >= len(sorted) THEN sorted[-1]
  ELSE sorted[CAST(floor(h) AS BIGINT)] + (h - floor(h)) * (sorted[CAST(floor(h) AS BIGINT) + 1] - sorted[CAST(floor(h) AS BIGINT)])
END;
CREATE OR REPLACE MACRO jdk_quantile(x, p) AS jdk_quantile_of(list_sort(list(x) FILTER (x IS NOT NULL)), (count(x) + 1) * CAST(p AS DOUBLE));
CREATE OR REPLACE MACRO p50(x) AS jdk_quantile(x, 0.5);
CREATE OR REPLACE MACRO p90(x) AS jdk_quantile(x, 0.9);
CREATE OR REPLACE MACRO p95(x) AS jdk_quantile(x, 0.95);
CREATE OR REPLACE MACRO p99(x) AS jdk_quantile(x, 0.99);
CREATE OR REPLACE MACRO p999(x) AS jdk_quantile(x, 0.999);

-- A duration in nanoseconds as text. DuckDB's format_bytes does the same for bytes.
CREATE OR REPLACE MACRO format_duration(ns) AS CASE
  WHEN abs(ns) < 1e3 THEN CAST(CAST(ns AS BIGINT) AS VARCHAR) || ' ns'
  WHEN abs(ns) < 1e6 THEN printf('%.3g us', ns / 1e3)
  WHEN abs(ns) < 1e9 THEN printf('%.3g ms', ns / 1e6)
  ELSE printf('%.3f s', ns / 1e9)
END;

-- Parts of names: the class of a method such as top_frame, the package of a class or method, and the name without it.
CREATE OR REPLACE MACRO class_of(method) AS regexp_replace(method, '\.[^.(]*(\(.*)?$', '');
CREATE OR REPLACE MACRO class_in(name) AS CASE WHEN contains(name, '(') THEN regexp_extract(split_part(name, '(', 1), '^(.*)\.[^.]*$', 1) ELSE rtrim(name, '[]') END;
CREATE OR REPLACE MACRO package_of(name) AS regexp_extract(regexp_replace(class_in(name), '(\$\d+)?([/.+](0x[0-9a-fA-F]+|\d+))+$', ''), '^(.*)\.[^.]*$', 1);
CREATE OR REPLACE MACRO simple_name(name) AS regexp_replace(name[length(package_of(name)) + 1:], '^\.', '');
