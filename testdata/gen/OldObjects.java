package gen;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Recording;

/** Objects that stay, reached from the roots in several ways: by fields, arrays, maps, threads. */
public final class OldObjects {
    /** A link of a chain; a chain longer than JFR's limit is recorded with a gap. */
    static final class Node {
        Node next;
        byte[] load;
    }

    private static final List<Object> LIST = new ArrayList<>();
    private static final Map<String, Object> MAP = new HashMap<>();
    private static final Object[][][] ARRAYS = new Object[10][10][10];
    private static final ThreadLocal<Object> LOCAL = new ThreadLocal<>();
    private static Node chain;
    private static Object garbage;

    private static final int CHAIN = 400;

    private OldObjects() {
    }

    public static void main(String[] args) throws Exception {
        Recording recording = Record.start(Map.of(
            "jdk.OldObjectSample#enabled", "true",
            "jdk.OldObjectSample#stackTrace", "true",
            "jdk.OldObjectSample#cutoff", "infinity"));
        CountDownLatch held = new CountDownLatch(1);
        Thread holder = new Thread(() -> hold(held), "holder of \u00e9\u65e5");
        holder.setDaemon(true);
        holder.start();
        held.await();
        for (int n = 0; n < 1000; n++) {
            LIST.add(new byte[1000 + n]);
            MAP.put("key " + n, new int[500]);
            ARRAYS[n / 100][n / 10 % 10][n % 10] = new long[200];
            if (n < CHAIN) {
                Node node = new Node();
                // Few, since each sample of one is printed with all of its chain.
                node.load = n % 80 == 0 ? new byte[16_000] : null;
                node.next = chain;
                chain = node;
            }
        }
        for (int n = 0; n < 20; n++) {
            LIST.add(new Thread(new ThreadGroup("group " + n), () -> { }, "thread " + n));
            LIST.add(OldObjects.class.getDeclaredMethods());
            LIST.add(new String[1000][4]);
        }
        // JFR tells the samples that are old by those that a collection has
        // found dead, and JDK 17 looks at them only when it takes another.
        for (int n = 0; n < 20; n++) {
            garbage = new short[1000];
        }
        garbage = null;
        System.gc();
        for (int n = 0; n < 10; n++) {
            LIST.add(new float[500]);
        }
        Record.finish(recording, args[0]);
    }

    /** Holds objects by its stack and by a thread local. */
    private static void hold(CountDownLatch held) {
        Object[] onStack = new Object[10];
        for (int n = 0; n < onStack.length; n++) {
            onStack[n] = new double[500];
        }
        List<Object> local = new ArrayList<>();
        for (int n = 0; n < 10; n++) {
            local.add(new char[2000]);
        }
        LOCAL.set(local);
        held.countDown();
        while (onStack[0] != null) {
            try {
                Thread.sleep(1000);
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
