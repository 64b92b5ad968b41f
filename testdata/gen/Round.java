package gen;

import java.util.ArrayList;
import java.util.HashMap;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.Registered;

/**
 * A few events whose constants differ from one run to the next, so that the
 * recordings of two runs give the same keys to different values:
 * {@code Round OUT NUMBER [extra]}.
 */
public final class Round {
    static class Seen extends Event {
        int round;
        String text;
        Thread thread;
        Class<?> type;
    }

    @Registered(false)
    static class Extra extends Event {
    }

    private Round() {
    }

    public static void main(String[] args) throws Exception {
        int round = Integer.parseInt(args[1]);
        if (args.length > 2) {
            // Metadata has a number that counts from the JVM's start: to start
            // and end another recording first makes it differ from that of a
            // run that does not.
            Record.start().close();
            FlightRecorder.register(Extra.class);
        }
        Recording recording = Record.start();
        for (int n = 0; n < 5; n++) {
            String text = "the text of round " + round + ", number " + n;
            Thread thread = new Thread(() -> commit(round, text), "round " + round);
            thread.start();
            thread.join();
            commit(round, text);
        }
        Record.finish(recording, args[0]);
    }

    private static void commit(int round, String text) {
        Seen e = new Seen();
        e.round = round;
        e.text = text;
        e.thread = Thread.currentThread();
        e.type = round == 1 ? ArrayList.class : HashMap.class;
        if (round == 1) {
            e.commit();
        } else {
            other(e);
        }
    }

    private static void other(Seen e) {
        e.commit();
    }
}
