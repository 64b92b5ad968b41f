package gen;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;

/** Writes short events, from two threads, until the recording has reached a size. */
public final class Big {
    @Name("gen.Small")
    @Label("Small")
    @StackTrace(false)
    static class Small extends Event {
        int number;
        long value;
        String text;
        Thread worker;
    }

    private static final String[] TEXTS = {"alpha", "beta", "gamma delta", "caf\u00e9", "", "zeta 123456"};
    private static volatile boolean done;

    private Big() {
    }

    public static void main(String[] args) throws Exception {
        long target = (long) (Double.parseDouble(args[1]) * (1L << 30));
        Recording recording = Record.start();
        recording.setDestination(Path.of(args[0]));
        List<Thread> workers = new ArrayList<>();
        for (int n = 0; n < 2; n++) {
            Thread worker = new Thread(Big::write, "writer " + n);
            worker.start();
            workers.add(worker);
        }
        while (recording.getSize() < target) {
            Thread.sleep(50);
        }
        done = true;
        for (Thread worker : workers) {
            worker.join();
        }
        // To the destination, chunk by chunk.
        recording.close();
    }

    private static void write() {
        for (int n = 0; !done; n++) {
            Small e = new Small();
            e.begin();
            e.number = n;
            e.value = n * 0x9E3779B97F4A7C15L;
            e.text = TEXTS[n % TEXTS.length];
            e.worker = Thread.currentThread();
            e.commit();
        }
    }
}
