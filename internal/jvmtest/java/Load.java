package mmapjfr;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.AnnotationElement;
import jdk.jfr.Event;
import jdk.jfr.EventFactory;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;

/**
 * Commits events at a given rate and obeys commands on its standard input.
 *
 * <p>{@code Load THREADS RATE MILLIS BUSY FLUSH}: so many threads that together commit so
 * many mmapjfr.Tick a second, for so many milliseconds (0: until it is told to exit),
 * and if BUSY is "busy" others that allocate, contend, throw and collect garbage; if it
 * is "new" there are threads, classes, stacks and texts, too, that were never before. Each
 * FLUSH milliseconds (0: never) one flushes, besides the JVM, which does not do so more
 * often than each second.
 *
 * <p>It says {@code ready PID REPOSITORY}, then one line for each command, then
 * {@code committed NAME COUNT} for each of its event types. The end of its input is
 * an exit.
 */
public final class Load {
    @Name("mmapjfr.Tick")
    @Label("Tick")
    static final class Tick extends Event {
        @Label("Number in its Thread") long number;
        String text;
        int worker;
        boolean odd;
        Thread owner;
        Class<?> kind;
        @Label("Nanoseconds since 1970 at the Commit") long wall;
    }

    private static final Class<?>[] KINDS = {String.class, null, int[].class, Map.Entry.class, Load.class};

    /** An event type made while the program runs. */
    private record Made(EventFactory factory, AtomicLong committed) {
    }

    private static final Map<String, Made> MADE = new TreeMap<>();
    private static final List<Thread> WORKERS = new ArrayList<>();
    private static final AtomicLong TICKS = new AtomicLong();
    private static volatile boolean ended;
    private static volatile Object sink;
    private static Recording side;

    private Load() {
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        double rate = Double.parseDouble(args[1]);
        long millis = Long.parseLong(args[2]);
        say("ready " + ProcessHandle.current().pid() + " " + System.getProperty("jdk.jfr.repository", ""));
        for (int n = 0; n < threads && rate > 0; n++) {
            int worker = n;
            start("worker " + worker, () -> ticks(worker, rate / threads));
        }
        if (args[3].equals("new")) {
            start("renewer", Load::renew);
        }
        if (!args[3].equals("calm")) {
            start("allocator", Load::allocate);
            start("thrower", Load::fail);
            start("contender 1", Load::contend);
            start("contender 2", Load::contend);
            start("collector", Load::collect);
        }
        long interval = Long.parseLong(args[4]);
        if (interval > 0) {
            start("flusher", () -> flushEach(interval));
        }
        Thread commands = new Thread(Load::obey, "commands");
        commands.setDaemon(true);
        commands.start();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!ended && (millis == 0 || System.nanoTime() < end)) {
            LockSupport.parkNanos(1_000_000);
        }
        ended = true;
        for (Thread t : WORKERS) {
            t.join();
        }
        synchronized (Load.class) {
            say("committed mmapjfr.Tick " + TICKS);
            MADE.forEach((name, made) -> say("committed " + name + " " + made.committed));
        }
        System.exit(0);
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static void start(String name, Runnable work) {
        Thread t = new Thread(work, name);
        WORKERS.add(t);
        t.start();
    }

    private static void obey() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
            for (String line; (line = in.readLine()) != null && !line.equals("exit");) {
                say(answer(line.split(" ")));
            }
        } catch (Exception e) {
            say("failed " + e);
        }
        ended = true;
    }

    private static synchronized String answer(String[] command) {
        try {
            switch (command[0]) {
                case "rotate" -> rotate();
                case "flush" -> flush();
                case "gc" -> System.gc();
                case "burst" -> burst(Integer.parseInt(command[1]));
                case "register" -> register(command[1]);
                case "unregister" -> MADE.get(command[1]).factory.unregister();
                case "emit" -> emit(MADE.get(command[1]), Integer.parseInt(command[2]));
                default -> {
                    return "failed unknown command " + command[0];
                }
            }
            return "ok " + wall();
        } catch (Exception e) {
            return "failed " + e;
        }
    }

    private static long wall() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }

    /** Both the start and the stop of a recording begin a new chunk. */
    private static void rotate() {
        if (side == null) {
            side = new Recording();
            side.setName("rotation");
            side.start();
            return;
        }
        side.close();
        side = null;
    }

    /**
     * There is no public call that flushes. This is the one that JFR makes itself at each
     * interval: new event types first, then the events.
     */
    private static void flush() throws Exception {
        Object repository = Class.forName("jdk.jfr.internal.MetadataRepository").getMethod("getInstance").invoke(null);
        Method flush = repository.getClass().getDeclaredMethod("flush");
        flush.setAccessible(true);
        flush.invoke(repository);
    }

    private static void flushEach(long millis) {
        long next = System.nanoTime() + millis * 1_000_000;
        while (!ended) {
            LockSupport.parkNanos(1_000_000);
            if (System.nanoTime() < next) {
                continue;
            }
            next += millis * 1_000_000;
            try {
                flush();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void burst(int count) {
        for (int n = 0; n < count; n++) {
            tick(-1, n);
        }
    }

    private static void register(String name) {
        List<AnnotationElement> annotations = List.of(
            new AnnotationElement(Name.class, name), new AnnotationElement(Label.class, "Made Late"));
        EventFactory factory = EventFactory.create(annotations, List.of(
            new ValueDescriptor(long.class, "number"),
            new ValueDescriptor(String.class, "text"),
            new ValueDescriptor(Class.class, "kind")));
        factory.register();
        MADE.put(name, new Made(factory, new AtomicLong()));
    }

    private static void emit(Made made, int count) {
        for (int n = 0; n < count; n++) {
            Event e = made.factory.newEvent();
            if (!e.isEnabled()) {
                continue;
            }
            e.set(0, (long) n);
            e.set(1, text(n));
            e.set(2, KINDS[n % KINDS.length]);
            e.commit();
            made.committed.incrementAndGet();
        }
    }

    private static void ticks(int worker, double rate) {
        long begin = System.nanoTime();
        for (long n = 0; !ended;) {
            long due = (long) ((System.nanoTime() - begin) * rate / 1e9);
            while (n < due && !ended) {
                tick(worker, n++);
            }
            LockSupport.parkNanos(500_000);
        }
    }

    private static void tick(int worker, long number) {
        Tick t = new Tick();
        if (!t.isEnabled()) {
            return;
        }
        t.begin();
        t.number = number;
        t.text = text(number);
        t.worker = worker;
        t.odd = number % 2 == 1;
        t.owner = number % 7 == 0 ? null : Thread.currentThread();
        t.kind = KINDS[(int) (number % KINDS.length)];
        t.wall = wall();
        t.commit();
        TICKS.incrementAndGet();
    }

    /** A text of every kind that a recording can have. */
    private static String text(long number) {
        return switch ((int) (number % 10)) {
            case 0 -> null;
            case 1 -> "";
            case 2 -> "short";
            case 3 -> "\u00e9\u65e5 \ud83d\ude00";
            case 4 -> "number " + number;
            default -> "a text that is long enough for the JVM to keep it as a constant, " + number / 1000 % 10;
        };
    }

    private static void allocate() {
        while (!ended) {
            for (int n = 0; n < 100; n++) {
                sink = new byte[10_000];
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static void fail() {
        for (int n = 0; !ended; n++) {
            try {
                throw new IllegalStateException("failure " + n % 5);
            } catch (IllegalStateException e) {
                sink = e;
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static void contend() {
        while (!ended) {
            synchronized (KINDS) {
                LockSupport.parkNanos(5_000_000);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** A class of which another is made each time. */
    static final class Kind {
    }

    private static void renew() {
        try (InputStream in = Load.class.getResourceAsStream("Load$Kind.class")) {
            byte[] code = in.readAllBytes();
            for (long n = 0; !ended; n++) {
                Class<?> kind = MethodHandles.lookup().defineHiddenClass(code, false).lookupClass();
                long number = n;
                Thread t = new Thread(() -> left(number, 24, kind), "new " + n);
                t.start();
                t.join();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** A stack for each number. */
    private static void left(long number, int depth, Class<?> kind) {
        if (depth == 0) {
            renewed(number, kind);
        } else if ((number >> depth - 1 & 1) == 0) {
            left(number, depth - 1, kind);
        } else {
            right(number, depth - 1, kind);
        }
    }

    private static void right(long number, int depth, Class<?> kind) {
        left(number, depth, kind);
    }

    private static void renewed(long number, Class<?> kind) {
        Tick t = new Tick();
        t.begin();
        try {
            throw new IllegalStateException("a failure that the JVM has never seen before, number " + number);
        } catch (IllegalStateException e) {
            t.text = e.getMessage();
        }
        sink = new byte[100_000];
        LockSupport.parkNanos(5_000_000);
        t.owner = Thread.currentThread();
        t.kind = kind;
        t.wall = wall();
        t.commit();
        TICKS.incrementAndGet();
    }

    private static void collect() {
        while (!ended) {
            System.gc();
            for (int n = 0; n < 50 && !ended; n++) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }
}
