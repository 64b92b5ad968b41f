package gen;

import java.nio.file.Files;
import java.nio.file.Path;
import jdk.jfr.Event;
import jdk.jfr.Recording;

/** Several chunks of one JVM, with event types that only some of them use. */
public final class Chunks {
    static class Always extends Event {
        int chunk;
        String text;
        Thread thread;
    }

    static class OnlyFirst extends Event {
        String text;
    }

    static class FromSecond extends Event {
        int chunk;
        Class<?> type;
    }

    private static final int COUNT = 3;

    private Chunks() {
    }

    public static void main(String[] args) throws Exception {
        Recording recording = Record.start();
        // Lives through all chunks: each has to name it anew.
        Thread lasting = new Thread(() -> {
            for (int n = 0; n < 20 * COUNT; n++) {
                always(-1, "from a thread that lives through all chunks");
                try {
                    Thread.sleep(10);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }, "lasting");
        lasting.start();
        for (int chunk = 1; chunk <= COUNT; chunk++) {
            int number = chunk;
            Thread worker = new Thread(() -> always(number, "worker of chunk " + number), "worker " + number);
            worker.start();
            worker.join();
            always(chunk, "the same text in each of the chunks");
            if (chunk == 1) {
                OnlyFirst e = new OnlyFirst();
                e.text = "only in the first";
                e.commit();
            } else {
                // Its class is loaded, and so its type registered, only now.
                FromSecond e = new FromSecond();
                e.chunk = chunk;
                e.type = FromSecond.class;
                e.commit();
            }
            Thread.sleep(200);
            if (chunk < COUNT) {
                // A dump of what there is so far begins a new chunk.
                Path part = Files.createTempFile(Path.of("."), "part", ".jfr");
                recording.dump(part);
                Files.delete(part);
            }
        }
        lasting.join();
        Record.finish(recording, args[0]);
    }

    private static void always(int chunk, String text) {
        Always e = new Always();
        e.chunk = chunk;
        e.text = text;
        e.thread = Thread.currentThread();
        e.commit();
    }
}
