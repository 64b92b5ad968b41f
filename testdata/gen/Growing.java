package gen;

import java.nio.file.Path;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Recording;
import jdk.jfr.Registered;

/**
 * One chunk that grows over several flushes, with an event type, strings,
 * threads and stacks in each part that no part before had.
 *
 * <p>{@code finished OUT} leaves the finished chunk only, {@code snapshots OUT}
 * also the two states before, {@code live OUT} a chunk still being written, and
 * {@code killed OUT} kills the JVM within the chunk. make.sh sets a flush interval.
 */
public final class Growing {
    @Label("Always There")
    static class Common extends Event {
        int part;
        String text;
        Thread worker;
        Class<?> type;
    }

    @Registered(false)
    static class Second extends Event {
        int part;
        Class<?> type;
    }

    @Registered(false)
    @Label("Third")
    static class Third extends Event {
        String text;
        long only;
    }

    private Growing() {
    }

    public static void main(String[] args) throws Exception {
        Recording recording = FlightRecorder.getFlightRecorder().getRecordings().get(0);
        String mode = args[0];
        String out = args[1];
        ChunkFile chunk = new ChunkFile();
        switch (mode) {
            case "finished", "snapshots" -> {
                boolean snapshots = mode.equals("snapshots");
                first(1);
                chunk.awaitFlush();
                if (snapshots) {
                    chunk.copy(out + "-1.jfr");
                }
                second(2);
                chunk.awaitFlush();
                if (snapshots) {
                    chunk.copy(out + "-2.jfr");
                }
                third(3);
                chunk.awaitFlush();
                first(4);
                recording.stop();
                recording.dump(Path.of(out + (snapshots ? "-3.jfr" : ".jfr")));
            }
            case "live", "killed" -> {
                first(1);
                chunk.awaitFlush();
                first(2);
                chunk.awaitFlush();
                // Events that fill the buffers are written at once, ahead of the
                // constants they refer to.
                for (int n = 0; n < 200 && chunk.unflushed() == 0; n++) {
                    for (int i = 0; i < 50; i++) {
                        commit(3, "not flushed yet " + i);
                    }
                    Thread.sleep(1);
                }
                if (chunk.unflushed() == 0) {
                    throw new IllegalStateException("nothing beyond the last flush");
                }
                if (mode.equals("live")) {
                    chunk.copy(out + ".jfr");
                } else {
                    new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start().waitFor();
                }
            }
            default -> throw new IllegalArgumentException(mode);
        }
    }

    private static void first(int part) throws Exception {
        Thread worker = new Thread(() -> {
            for (int n = 0; n < 20; n++) {
                commit(part, "worker " + n);
            }
        }, "worker of part " + part);
        worker.start();
        worker.join();
        commit(part, "a string long enough for the pool, of part " + part);
        commit(part, "a string long enough for the pool, of part " + part);
        commit(part, "a string long enough for the pool, of any part");
    }

    private static void second(int part) throws Exception {
        FlightRecorder.register(Second.class);
        Second e = new Second();
        e.part = part;
        e.type = Second.class;
        e.commit();
        first(part);
    }

    private static void third(int part) throws Exception {
        FlightRecorder.register(Third.class);
        Third e = new Third();
        e.text = "third";
        e.only = Long.MAX_VALUE;
        e.commit();
        second(part);
    }

    private static void commit(int part, String text) {
        Common e = new Common();
        e.part = part;
        e.text = text;
        e.worker = Thread.currentThread();
        e.type = part == 1 ? Growing.class : part == 2 ? String.class : Recording.class;
        e.commit();
    }
}
