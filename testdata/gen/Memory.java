package gen;

import java.util.ArrayList;
import java.util.List;

/** Allocation inside and outside of thread-local buffers, and collections of each generation. */
final class Memory {
    private static Object sink;

    private Memory() {
    }

    static void run() {
        List<byte[]> kept = new ArrayList<>();
        for (int n = 0; n < 10; n++) {
            kept.add(new byte[256 * 1024]);
            allocate(200);
        }
        System.gc();
        kept.clear();
        sink = null;
        System.gc();
    }

    private static void allocate(int count) {
        for (int n = 0; n < count; n++) {
            sink = new long[1000];
            sink = new String[10][20];
            sink = new StringBuilder().append(n).append("text").toString();
            if (n % 100 == 0) {
                // Too large for any thread-local buffer.
                sink = new byte[1 << 20];
            }
        }
    }
}
