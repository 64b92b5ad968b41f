import java.nio.file.*;
import java.sql.*;
import java.time.*;
import java.util.*;
import jdk.jfr.*;
import jdk.jfr.consumer.*;
import org.duckdb.*;

/**
 * Imports a recording into a database of DuckDB, as jfr-query does: a table for each event type, by DuckDB's appender, with the first
 * ten methods of stacks. It does less than that: structs are one column, and there are no tables for classes, methods and threads.
 *
 *   java -cp CLASSPATH DuckDBImport app.jfr app.db
 */
public class DuckDBImport {
    interface Column { void append(DuckDBAppender a, RecordedEvent e) throws SQLException; }
    static class Table { List<String> names = new ArrayList<>(), kinds = new ArrayList<>(); List<Column> columns = new ArrayList<>(); DuckDBAppender to; }

    public static void main(String[] args) throws Exception {
        Map<Long, Table> tables = new HashMap<>();
        Map<String, Table> byName = new HashMap<>();
        long n = 0;
        try (var c = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:" + args[1]); var file = new RecordingFile(Path.of(args[0]))) {
            while (file.hasMoreEvents()) {
                RecordedEvent e = file.readEvent();
                n++;
                Table t = tables.get(e.getEventType().getId());
                if (t == null) {
                    t = byName.computeIfAbsent(e.getEventType().getName(), name -> make(c, e.getEventType()));
                    tables.put(e.getEventType().getId(), t);
                }
                t.to.beginRow();
                for (Column column : t.columns) column.append(t.to, e);
                t.to.endRow();
            }
            for (Table t : byName.values()) t.to.close();
        }
        System.err.println(n + " events, " + byName.size() + " tables");
    }

    static Table make(DuckDBConnection c, EventType type) {
        Table t = new Table();
        for (ValueDescriptor f : type.getFields()) {
            String name = f.getName();
            if (name.equals("stackTrace")) {
                t.names.add("stackTrace"); t.kinds.add("VARCHAR");
                t.columns.add((a, e) -> a.append(stack(e.getStackTrace())));
                continue;
            }
            add(t, name, f);
        }
        try (var s = c.createStatement()) {
            var text = new StringJoiner(", ");
            for (int i = 0; i < t.names.size(); i++) text.add('"' + t.names.get(i) + "\" " + t.kinds.get(i));
            s.execute("create table \"" + type.getName() + "\" (" + text + ")");
            t.to = c.createAppender("main", type.getName());
        } catch (SQLException e) { throw new RuntimeException(e); }
        return t;
    }

    static void add(Table t, String name, ValueDescriptor f) {
        t.names.add(name);
        switch (f.isArray() ? "array" : f.getTypeName()) {
            case "long" -> {
                if (f.getContentType() != null && f.getContentType().equals("jdk.jfr.Timestamp")) {
                    t.kinds.add("TIMESTAMP");
                    t.columns.add((a, e) -> { Instant i = e.getInstant(name); a.append(LocalDateTime.ofEpochSecond(Math.max(0, Math.min(i.getEpochSecond(), 1L << 33)), i.getNano(), ZoneOffset.UTC)); });
                } else if (f.getContentType() != null && f.getContentType().equals("jdk.jfr.Timespan")) {
                    t.kinds.add("DOUBLE");
                    t.columns.add((a, e) -> { Duration d = e.getDuration(name); a.append(d.getSeconds() + d.getNano() / 1e9); });
                } else { t.kinds.add("BIGINT"); t.columns.add((a, e) -> a.append(e.getLong(name))); }
            }
            case "int", "short", "byte" -> { t.kinds.add("INTEGER"); t.columns.add((a, e) -> a.append(e.getInt(name))); }
            case "boolean" -> { t.kinds.add("BOOLEAN"); t.columns.add((a, e) -> a.append(e.getBoolean(name))); }
            case "float", "double" -> { t.kinds.add("DOUBLE"); t.columns.add((a, e) -> a.append(e.getDouble(name))); }
            case "java.lang.String" -> { t.kinds.add("VARCHAR"); t.columns.add((a, e) -> a.append(e.getString(name))); }
            case "java.lang.Thread" -> { t.kinds.add("VARCHAR"); t.columns.add((a, e) -> { RecordedThread x = e.getThread(name); a.append(x == null ? null : x.getJavaName() == null ? x.getOSName() : x.getJavaName()); }); }
            case "java.lang.Class" -> { t.kinds.add("VARCHAR"); t.columns.add((a, e) -> { RecordedClass x = e.getClass(name); a.append(x == null ? null : x.getName()); }); }
            default -> { t.kinds.add("VARCHAR"); t.columns.add((a, e) -> { Object x = e.getValue(name); a.append(x == null ? null : text(x)); }); }
        }
    }

    /** The first field of a constant, or a method's name. */
    static String text(Object x) {
        if (x instanceof RecordedMethod m) return m.getType().getName() + "." + m.getName();
        if (x instanceof RecordedObject o && !o.getFields().isEmpty()) { Object v = o.getValue(o.getFields().get(0).getName()); return v == null ? null : v instanceof RecordedObject ? "" : v.toString(); }
        return x instanceof Object[] ? "" : x.toString();
    }

    /** The first ten methods. */
    static String stack(RecordedStackTrace s) {
        if (s == null) return null;
        StringBuilder b = new StringBuilder();
        List<RecordedFrame> frames = s.getFrames();
        for (int i = 0; i < Math.min(10, frames.size()); i++) {
            RecordedMethod m = frames.get(i).getMethod();
            b.append(m.getType().getName()).append('.').append(m.getName()).append('\n');
        }
        return b.toString();
    }
}
