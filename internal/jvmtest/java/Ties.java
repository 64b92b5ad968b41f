import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import jdk.jfr.Configuration;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;

/** Does many things equally often, and records almost all events: rows of views are equal. Usage: Ties FILE */
public class Ties {
    static final int THREADS = 96;
    static final int KINDS = 32;

    interface Work {
        void run() throws Exception;
    }

    /** Copied into hidden classes and into those of other loaders, where it sees only classes of the JDK. */
    public static class Body implements IntUnaryOperator {
        static volatile Object kept;

        static int one(int n) {
            kept = new int[n & 63];
            return kept.hashCode() ^ n;
        }

        static int two(int n) {
            kept = new long[n & 63];
            return kept.hashCode() + n;
        }

        @Override
        public int applyAsInt(int n) {
            int sum = 0;
            for (int i = 0; i < 30_000; i++) {
                sum += (i & 1) == 0 ? one(i) : two(i);
            }
            try {
                throw new IllegalStateException("tie " + n % 40);
            } catch (IllegalStateException e) {
                return sum + e.getMessage().length();
            }
        }
    }

    static class Loader extends ClassLoader {
        Loader(String name) {
            super(name, Ties.class.getClassLoader());
        }

        Class<?> define(byte[] b) {
            return defineClass(null, b, 0, b.length);
        }
    }

    static final List<Object> kept = new ArrayList<>();

    static void work(Work w) {
        try {
            w.run();
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Recording r = new Recording(Configuration.getConfiguration("profile"));
        for (EventType t : FlightRecorder.getFlightRecorder().getEventTypes()) {
            if (!t.getName().matches(".*(PromoteObject|GCPhaseParallel|G1HeapRegion|CompilerInlining|MethodSample|Class(Load|Define)|MethodT.*|.*TLAB)")) {
                r.enable(t.getName()).withThreshold(Duration.ZERO);
            }
        }
        r.enable("jdk.OldObjectSample").with("cutoff", "1 s");
        r.enable("jdk.MethodTrace").with("filter", "Ties::work");
        r.enable("jdk.MethodTiming").with("filter", "Ties");
        r.enable("jdk.DeprecatedInvocation").with("level", "all");
        r.enable("jdk.CPUTimeSample").with("throttle", "500/s");
        r.start();
        byte[] bytes;
        try (var in = Ties.class.getResourceAsStream("Ties$Body.class")) {
            bytes = in.readAllBytes();
        }
        List<IntUnaryOperator> bodies = new ArrayList<>();
        List<Object> locks = new ArrayList<>();
        for (int i = 0; i < KINDS; i++) {
            bodies.add((IntUnaryOperator) MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass().getConstructor().newInstance());
            locks.add(i % 2 == 0 ? new Object() : bodies.get(i));
        }
        List<ServerSocket> servers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            servers.add(new ServerSocket(0, 50, InetAddress.getByAddress("host" + i, new byte[] {127, 0, 0, 1})));
        }
        Path dir = Files.createTempDirectory("ties");
        CountDownLatch ready = new CountDownLatch(THREADS);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int n = i;
            Thread t = new Thread(() -> work(() -> {
                ready.countDown();
                ready.await();
                for (int j = 0; j < 2; j++) {
                    bodies.get(n % KINDS).applyAsInt(n);
                    synchronized (locks.get(n % KINDS)) {
                        Thread.sleep(1);
                    }
                    LockSupport.parkNanos(locks.get(n % KINDS), 1000);
                    try (RandomAccessFile f = new RandomAccessFile(dir.resolve("file" + n).toFile(), "rw")) {
                        f.write(new byte[10]);
                        f.seek(0);
                        f.read(new byte[10]);
                    }
                    IntUnaryOperator other = (IntUnaryOperator) new Loader(n % 2 == 0 ? null : "loader" + n).define(bytes).getConstructor().newInstance();
                    other.applyAsInt(n);
                    synchronized (kept) {
                        kept.add(other);
                    }
                }
            }), i % 5 == 0 ? "same" : "worker" + i);
            threads.add(t);
            t.start();
        }
        for (ServerSocket s : servers) {
            try (Socket a = new Socket(s.getInetAddress(), s.getLocalPort()); Socket b = s.accept()) {
                a.getOutputStream().write(1);
                b.getInputStream().read();
            }
        }
        for (Thread t : threads) {
            t.join();
        }
        for (int i = 0; i < THREADS; i++) {
            Files.delete(dir.resolve("file" + i));
        }
        Files.delete(dir);
        System.gc();
        r.stop();
        r.dump(Path.of(args[0]));
        System.exit(0);
    }
}
