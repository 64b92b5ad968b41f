package gen;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;

/** The profilers that are new in JDK 25: by CPU time, and of chosen methods' calls. */
public final class CpuTime {
    static final class Work {
        int calls;

        void traced(int n) {
            calls++;
            timed(n);
        }

        void timed(int n) {
            Stacks.busy(n);
        }

        void never() {
            calls = -1;
        }
    }

    private CpuTime() {
    }

    public static void main(String[] args) throws Exception {
        Recording recording = Record.startConfigured("default", Map.of(
            "jdk.CPUTimeSample#enabled", "true",
            "jdk.CPUTimeSample#throttle", "10 ms",
            "jdk.CPUTimeSamplesLost#enabled", "true",
            "jdk.MethodTrace#enabled", "true",
            "jdk.MethodTrace#threshold", "0 ms",
            "jdk.MethodTrace#filter", "gen.CpuTime$Work::traced",
            "jdk.MethodTiming#enabled", "true",
            "jdk.MethodTiming#period", "endChunk",
            "jdk.MethodTiming#filter", "gen.CpuTime$Work"));
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            Thread thread = new Thread(() -> {
                Work work = new Work();
                for (int n = 0; n < 10; n++) {
                    work.traced(30);
                }
            }, "worker " + t);
            thread.start();
            threads.add(thread);
        }
        for (Thread t : threads) {
            t.join();
        }
        Record.finish(recording, args[0]);
    }
}
