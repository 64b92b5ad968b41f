package gen;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import jdk.jfr.Event;
import jdk.jfr.Recording;

/** Virtual threads, with and without names, pinned and not. */
public final class Virtual {
    static class InThread extends Event {
        Thread thread;
        String text;
    }

    /** To sleep within a class initializer pins a virtual thread: there is a native frame below. */
    static final class SlowToLoad {
        static final int VALUE = slow();

        private static int slow() {
            pause(30);
            return 1;
        }
    }

    private Virtual() {
    }

    public static void main(String[] args) throws Exception {
        Recording recording = Record.start(Map.ofEntries(
            Map.entry("jdk.VirtualThreadStart#enabled", "true"),
            Map.entry("jdk.VirtualThreadEnd#enabled", "true"),
            Map.entry("jdk.VirtualThreadPinned#enabled", "true"),
            Map.entry("jdk.VirtualThreadPinned#threshold", "0 ms"),
            Map.entry("jdk.VirtualThreadSubmitFailed#enabled", "true"),
            Map.entry("jdk.ThreadPark#enabled", "true"),
            Map.entry("jdk.ThreadSleep#enabled", "true"),
            Map.entry("jdk.ThreadSleep#threshold", "0 ms"),
            Map.entry("jdk.ThreadStart#enabled", "true"),
            Map.entry("jdk.ThreadEnd#enabled", "true"),
            Map.entry("jdk.ExecutionSample#enabled", "true"),
            Map.entry("jdk.ExecutionSample#period", "10 ms"),
            Map.entry("jdk.ThreadDump#enabled", "true"),
            Map.entry("jdk.ThreadDump#period", "endChunk"),
            Map.entry("jdk.JavaMonitorEnter#enabled", "true"),
            Map.entry("jdk.JavaMonitorEnter#threshold", "0 ms"),
            Map.entry("jdk.ZYoungGarbageCollection#enabled", "true"),
            Map.entry("jdk.ZOldGarbageCollection#enabled", "true"),
            Map.entry("jdk.ZPageAllocation#enabled", "true"),
            Map.entry("jdk.GCPhasePause#enabled", "true"),
            Map.entry("jdk.GCPhaseConcurrent#enabled", "true")));
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < 20; n++) {
            threads.add(Thread.ofVirtual().name("virtual " + n).start(() -> work("named")));
            threads.add(Thread.ofVirtual().start(() -> work("unnamed")));
        }
        threads.add(Thread.ofVirtual().name("\u00e9\u65e5\ud83d\ude00").start(() -> work("name beyond ASCII")));
        threads.add(Thread.ofVirtual().name("pinned").start(() -> commit("pinned " + SlowToLoad.VALUE)));
        threads.add(Thread.ofVirtual().name("before").start(() -> {
            work("before");
            Thread.currentThread().setName("after");
            work("after");
        }));
        threads.add(Thread.ofVirtual().name("busy").start(() -> Stacks.busy(150)));
        threads.add(Thread.ofPlatform().name("platform").start(() -> work("platform")));
        for (Thread t : threads) {
            t.join();
        }
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int n = 0; n < 10; n++) {
                executor.submit(() -> work("executor"));
            }
        }
        System.gc();
        Record.finish(recording, args[0]);
    }

    private static void work(String text) {
        commit(text);
        pause(2);
        synchronized (Virtual.class) {
            pause(1);
        }
        commit(text);
    }

    private static void commit(String text) {
        InThread e = new InThread();
        e.thread = Thread.currentThread();
        e.text = text;
        e.commit();
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
