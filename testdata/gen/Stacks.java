package gen;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import jdk.jfr.Event;

/** Stacks: deep, truncated, of lambdas, of reflection, in native code; and time spent in them. */
final class Stacks {
    /** An event that is only there for its stack trace. */
    static class Here extends Event {
        String where;
        int depth;
    }

    private static volatile long sink;

    private Stacks() {
    }

    static void run() throws Exception {
        recurse(300, 300);
        // Deeper than stackdepth: the recording says that it is cut off.
        recurse(600, 600);
        lambdas();
        Method method = Stacks.class.getDeclaredMethod("here", String.class, int.class);
        method.invoke(null, "reflection", 0);
        new Inner().call();
        new Object() {
            void call() {
                here("anonymous class", 0);
            }
        }.call();
        try {
            fail(20);
        } catch (IllegalStateException e) {
            here("catch", e.getStackTrace().length);
        }
        try {
            throw new StackOverflowError("thrown by hand, \"quoted\"");
        } catch (StackOverflowError e) {
            here("catch error", 0);
        }
        busy(400);
    }

    private static void recurse(int n, int depth) {
        if (n > 1) {
            recurse(n - 1, depth);
        } else {
            here("recursion", depth);
        }
    }

    private static void lambdas() {
        IntUnaryOperator op = n -> {
            here("lambda", n);
            return n;
        };
        op.andThen(op).applyAsInt(1);
        List<Integer> sorted = IntStream.range(0, 3).boxed().map(n -> {
            here("stream", n);
            return n;
        }).sorted(Comparator.reverseOrder()).collect(Collectors.toList());
        sorted.forEach(n -> here("forEach", n));
    }

    private static void fail(int n) {
        if (n == 0) {
            throw new IllegalStateException("caf\u00e9 \u65e5\u672c");
        }
        try {
            fail(n - 1);
        } catch (IllegalStateException e) {
            if (n % 5 == 0) {
                throw new IllegalStateException("at " + n, e);
            }
            throw e;
        }
    }

    /** Work for the sampler, in compiled and interpreted code. */
    static void busy(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < end) {
            sink += hash(10_000) + sort();
        }
    }

    private static long hash(int n) {
        long h = 1;
        for (int i = 0; i < n; i++) {
            h = h * 31 + (h >>> 7);
        }
        return h;
    }

    private static long sort() {
        return IntStream.range(0, 500).mapToObj(i -> Integer.toString(i * 7919 % 500)).sorted().count();
    }

    private static void here(String where, int depth) {
        Here e = new Here();
        e.where = where;
        e.depth = depth;
        e.commit();
    }

    private static final class Inner {
        Inner() {
            here("constructor", 0);
        }

        void call() {
            here("inner class", 0);
        }
    }
}
