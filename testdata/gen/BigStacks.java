package gen;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;

/**
 * A large profile of a busy program: most of its bytes are deep stack traces, hardly two of
 * them alike. Written until the recording has reached a size, as {@link Big} does.
 */
public final class BigStacks {
    /** Most of our events, and the only ones without a stack. */
    @Name("gen.Tick")
    @StackTrace(false)
    static class Tick extends Event {
        int number;
        long value;
    }

    /** What the others have in common. They differ in nothing but name and number. */
    abstract static class Work extends Event {
        int number;
        long bytes;
        String text;
        Class<?> layer;
    }

    // In the order of their number, the most frequent first; see Task.work.
    @Name("gen.Call") static class Call extends Work { }
    @Name("gen.Query") static class Query extends Work { }
    @Name("gen.Fetch") static class Fetch extends Work { }
    @Name("gen.Store") static class Store extends Work { }
    @Name("gen.CacheHit") static class CacheHit extends Work { }
    @Name("gen.CacheMiss") static class CacheMiss extends Work { }
    @Name("gen.Parse") static class Parse extends Work { }
    @Name("gen.Render") static class Render extends Work { }
    @Name("gen.Encode") static class Encode extends Work { }
    @Name("gen.Decode") static class Decode extends Work { }
    @Name("gen.Send") static class Send extends Work { }
    @Name("gen.Receive") static class Receive extends Work { }
    @Name("gen.Lookup") static class Lookup extends Work { }
    @Name("gen.Validate") static class Validate extends Work { }
    @Name("gen.Retry") static class Retry extends Work { }
    @Name("gen.Commit") static class Commit extends Work { }
    @Name("gen.Rollback") static class Rollback extends Work { }
    @Name("gen.Login") static class Login extends Work { }

    /** About {@link #RARE} in all, however large the recording. */
    @Name("gen.Rare") static class Rare extends Work { }

    private static final List<Supplier<Work>> KINDS = List.of(Call::new, Query::new, Fetch::new, Store::new,
        CacheHit::new, CacheMiss::new, Parse::new, Render::new, Encode::new, Decode::new, Send::new, Receive::new,
        Lookup::new, Validate::new, Retry::new, Commit::new, Rollback::new, Login::new);
    private static final String[] TEXTS = {"/", "/login", "/orders/4711", "/caf\u00e9", "", "select 1"};
    private static final int WORKERS = 4;
    private static final int LAYERS = 40;
    /** For each stack. They cost little to make, where a stack has to be walked. */
    private static final int TICKS = 6;
    private static final int RARE = 200;
    /** How many requests it takes to fill a GiB, more or less. */
    private static final long REQUESTS = 550_000;

    private static final AtomicLong requests = new AtomicLong();
    private static final Object account = new Object();
    private static long balance;
    private static volatile boolean done;

    private BigStacks() {
    }

    public static void main(String[] args) throws Exception {
        double gib = Double.parseDouble(args[1]);
        List<Layer> layers = new ArrayList<>();
        for (int n = 0; n < LAYERS; n++) {
            layers.add(new OwnLoader("layer " + n).layer());
        }
        // Threads wait for each other, but not for long.
        Recording recording = Record.startConfigured("profile", Map.of("jdk.JavaMonitorEnter#threshold", "0 ms"));
        recording.setDestination(Path.of(args[0]));
        List<Thread> workers = new ArrayList<>();
        for (int n = 0; n < WORKERS; n++) {
            Task task = new Task(n, layers, (long) Math.max(1, gib * REQUESTS / RARE));
            Thread worker = new Thread(task, "worker " + n);
            worker.start();
            workers.add(worker);
        }
        while (recording.getSize() < gib * (1L << 30)) {
            Thread.sleep(50);
        }
        done = true;
        for (Thread worker : workers) {
            worker.join();
        }
        // To the destination, chunk by chunk.
        recording.close();
    }

    /** A part of the program. */
    public interface Layer {
        /** Goes deeper, by way of one method or another of the layer. */
        void enter(Task task);
    }

    /** The code of all layers. Each has been loaded on its own, so that they have methods of their own. */
    public static final class Code implements Layer {
        @Override
        public void enter(Task task) {
            switch (task.pick(3)) {
                case 0:
                    filter(task);
                    break;
                case 1:
                    dispatch(task);
                    break;
                default:
                    task.deeper();
            }
        }

        private void filter(Task task) {
            if (task.pick(2) == 0) {
                task.deeper();
            } else {
                dispatch(task);
            }
        }

        private void dispatch(Task task) {
            switch (task.pick(4)) {
                case 0:
                    task.deeper();
                    break;
                case 1:
                    task.deeper();
                    break;
                case 2:
                    task.deeper();
                    break;
                default:
                    filter(task);
            }
        }
    }

    private static final class OwnLoader extends ClassLoader {
        OwnLoader(String name) {
            super(name, BigStacks.class.getClassLoader());
        }

        Layer layer() throws Exception {
            String name = "gen.BigStacks$Code";
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] code = in.readAllBytes();
                return (Layer) defineClass(name, code, 0, code.length).getDeclaredConstructor().newInstance();
            }
        }
    }

    /** Handles requests, each on a random way through the layers. */
    public static final class Task implements Runnable {
        private final SplittableRandom random;
        private final List<Layer> layers;
        private final long betweenRare;
        private int left;

        Task(long seed, List<Layer> layers, long betweenRare) {
            this.random = new SplittableRandom(seed);
            this.layers = layers;
            this.betweenRare = betweenRare;
        }

        @Override
        public void run() {
            while (!done) {
                left = 16 + pick(28);
                deeper();
            }
        }

        public int pick(int bound) {
            return random.nextInt(bound);
        }

        public void deeper() {
            if (pick(16) == 0) {
                work();
            }
            if (left-- > 0) {
                layers.get(pick(LAYERS)).enter(this);
            } else {
                work();
                request();
            }
        }

        /** An event or two with one stack, and some without any. */
        private void work() {
            // The fourth power gives the first kind half of all, and the last a seventieth.
            double u = random.nextDouble();
            Supplier<Work> kind = KINDS.get((int) (KINDS.size() * u * u * u * u));
            for (int n = 1 + pick(2); n > 0; n--) {
                commit(kind.get());
            }
            for (int n = 0; n < TICKS; n++) {
                tick();
            }
        }

        private void request() {
            if (requests.incrementAndGet() % betweenRare == 0) {
                commit(new Rare());
            }
            synchronized (account) {
                balance += left;
            }
        }

        private void commit(Work e) {
            e.begin();
            e.number = pick(1000);
            e.bytes = random.nextLong(1 << 20);
            e.text = TEXTS[pick(TEXTS.length)];
            e.layer = layers.get(pick(LAYERS)).getClass();
            e.commit();
        }

        private void tick() {
            Tick e = new Tick();
            e.number = pick(1000);
            e.value = random.nextLong();
            e.commit();
        }
    }
}
