package mmapjfr;

import com.sun.management.OperatingSystemMXBean;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.TreeMap;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;

/**
 * Follows a repository with the JDK's own stream.
 *
 * <p>{@code Consume REPOSITORY OUT EVERY IDLE TYPES [epoch] [unordered]}: writes to the
 * folder OUT a sample of the events, one of EVERY (0: none), as jfr print --json does,
 * and to its standard output what it counted. It ends when the stream does, when IDLE
 * milliseconds (0: never) have passed without a flush after the first, or when its
 * input ends. A number on its input makes it wait, before the input's end counts, until
 * as many events have been flushed, but for no more than IDLE milliseconds without a
 * flush. TYPES are names with commas between them, or "-" for all.
 */
public final class Consume {
    /** The words of jfr print --json come from the class that makes them there. */
    private static final class Json {
        private final Object writer;
        private final Method print;
        private final PrintWriter out;

        Json(Path file) throws Exception {
            out = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
            Class<?> type = Class.forName("jdk.jfr.internal.tool.JSONWriter");
            Constructor<?> constructor = type.getConstructor(PrintWriter.class);
            constructor.setAccessible(true);
            writer = constructor.newInstance(out);
            method(type, "setStackDepth", int.class).invoke(writer, 9999);
            print = method(type, "print", List.class);
            method(type, "printBegin").invoke(writer);
        }

        private static Method method(Class<?> type, String name, Class<?>... of) throws NoSuchMethodException {
            for (Class<?> c = type; c != null; c = c.getSuperclass()) {
                try {
                    Method m = c.getDeclaredMethod(name, of);
                    m.setAccessible(true);
                    return m;
                } catch (NoSuchMethodException e) {
                    // perhaps in the class above
                }
            }
            throw new NoSuchMethodException(name);
        }

        void write(RecordedEvent e) {
            try {
                print.invoke(writer, List.of(e));
            } catch (ReflectiveOperationException failed) {
                throw new IllegalStateException(failed);
            }
        }

        void close() throws Exception {
            Class<?> type = writer.getClass();
            method(type, "printEnd").invoke(writer);
            method(type, "flush", boolean.class).invoke(writer, true);
            out.close();
        }
    }

    /**
     * The JDK's stream tells the time of all chunks by the clock of its first one. So
     * that times can be compared, each chunk is given its own.
     */
    private static final class Clocks {
        private final Object stream;
        private Object parser;

        Clocks(EventStream stream) {
            this.stream = stream;
        }

        void set() {
            try {
                Object now = get(stream, "currentParser");
                if (now == parser) {
                    return;
                }
                parser = now;
                Object header = get(now, "chunkHeader");
                Object clock = get(now, "timeConverter");
                field(clock, "startTicks").set(clock, get(header, "chunkStartTicks"));
                field(clock, "startNanos").set(clock, get(header, "chunkStartNanos"));
                double ticks = field(header, "ticksPerSecond").getLong(header);
                field(clock, "divisor").set(clock, ticks / 1_000_000_000L);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        private static Object get(Object of, String name) throws ReflectiveOperationException {
            return field(of, name).get(of);
        }

        private static Field field(Object of, String name) throws ReflectiveOperationException {
            Field f = of.getClass().getDeclaredField(name);
            f.setAccessible(true);
            return f;
        }
    }

    private static final TreeMap<String, long[]> COUNTS = new TreeMap<>();
    private static final List<String> DELAYS = new ArrayList<>();
    private static final List<String> FAILURES = new ArrayList<>();
    private static long every;
    private static Json json;
    private static Clocks clocks;
    private static long youngest; // the last Tick of this flush
    private static long arrived;
    private static long flushes;
    private static long events;
    private static volatile long flushedEvents;
    private static volatile long lastFlush;

    private Consume() {
    }

    public static void main(String[] args) throws Exception {
        Path repository = Path.of(args[0]);
        Path out = Path.of(args[1]);
        every = Long.parseLong(args[2]);
        long idle = Long.parseLong(args[3]);
        List<String> options = List.of(args).subList(5, args.length);
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        if (every > 0) {
            json = new Json(out.resolve("sample.json"));
        }
        long cpu;
        try (EventStream stream = EventStream.openRepository(repository)) {
            clocks = new Clocks(stream);
            stream.setOrdered(!options.contains("unordered"));
            if (options.contains("epoch")) {
                stream.setStartTime(Instant.EPOCH);
            }
            if (args[4].equals("-")) {
                stream.onEvent(Consume::event);
            } else {
                for (String name : args[4].split(",")) {
                    stream.onEvent(name, Consume::event);
                }
            }
            stream.onFlush(Consume::flushed);
            stream.onError(e -> FAILURES.add(e.toString()));
            Thread input = new Thread(() -> {
                try (Scanner in = new Scanner(System.in)) {
                    if (in.hasNextLong()) {
                        for (long wanted = in.nextLong(); flushedEvents < wanted && !isIdle(idle);) {
                            Thread.sleep(10);
                        }
                        Thread.sleep(1500); // what is too much would come now
                    }
                    while (in.hasNext()) {
                        in.next();
                    }
                } catch (InterruptedException e) {
                    // as good as the end of the input
                }
                stream.close();
            });
            input.setDaemon(true);
            input.start();
            cpu = system.getProcessCpuTime();
            stream.startAsync();
            System.out.println("started");
            System.out.flush();
            if (idle > 0) {
                do {
                    Thread.sleep(10);
                } while (input.isAlive() && !isIdle(idle));
                stream.close();
            }
            stream.awaitTermination();
            cpu = system.getProcessCpuTime() - cpu;
        }
        if (json != null) {
            json.close();
        }
        StringBuilder said = new StringBuilder();
        COUNTS.forEach((name, n) -> said.append("count " + n[0] + " " + name + "\n"));
        DELAYS.forEach(d -> said.append("delay " + d + "\n"));
        FAILURES.forEach(f -> said.append("failure " + f.replace('\n', ' ') + "\n"));
        said.append("flushes " + flushes + "\ncpu " + cpu + "\n");
        System.out.write(said.toString().getBytes(StandardCharsets.UTF_8));
        System.out.flush();
        System.exit(0);
    }

    private static boolean isIdle(long millis) {
        return millis > 0 && lastFlush != 0 && System.nanoTime() - lastFlush > millis * 1_000_000;
    }

    private static void event(RecordedEvent e) {
        String name = e.getEventType().getName();
        events++;
        COUNTS.computeIfAbsent(name, n -> new long[1])[0]++;
        if (name.equals("mmapjfr.Tick")) {
            long wall = e.getLong("wall");
            if (wall > youngest) {
                youngest = wall;
                arrived = wall();
            }
        }
        if (json == null) {
            return;
        }
        clocks.set();
        if (sampled(e, name)) {
            json.write(e);
        }
    }

    /** The same choice as that of the function Sampled in sample.go. */
    private static boolean sampled(RecordedEvent e, String name) {
        Instant start = e.getStartTime();
        long hash = 0xcbf29ce484222325L;
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        long nanos = start.getEpochSecond() * 1_000_000_000 + start.getNano();
        for (int n = 0; n < 8; n++) {
            hash = (hash ^ (nanos >>> 8 * n & 0xff)) * 0x100000001b3L;
        }
        return Long.remainderUnsigned(hash ^ hash >>> 32, every) == 0;
    }

    private static void flushed() {
        flushes++;
        flushedEvents = events;
        lastFlush = System.nanoTime();
        if (youngest != 0) {
            DELAYS.add(Long.toString(arrived - youngest));
            youngest = 0;
        }
    }

    private static long wall() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }
}
