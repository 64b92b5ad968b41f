package gen;

import jdk.jfr.Contextual;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import jdk.jfr.Throttle;

/** The kinds of event that {@link Kinds} makes, and those that came after JDK 17. */
public final class Kinds25 {
    @Name("gen.Trace")
    @Label("Trace")
    @StackTrace(false)
    static class Trace extends Event {
        @Contextual @Name("id") String traceId;
        @Contextual @Label("Order Number") long order;
        int notContextual;
    }

    @Name("gen.Throttled")
    @Throttle("100/s")
    static class Throttled extends Event {
        int n;
    }

    private Kinds25() {
    }

    public static void main(String[] args) throws Exception {
        Recording recording = Kinds.start();
        Trace outer = new Trace();
        outer.begin();
        outer.traceId = "outer";
        outer.order = 1;
        Kinds.commitAll();
        Trace inner = new Trace();
        inner.begin();
        inner.traceId = "inner";
        inner.order = 2;
        for (int n = 0; n < 1000; n++) {
            Throttled t = new Throttled();
            t.n = n;
            t.commit();
        }
        inner.commit();
        outer.commit();
        // A thread of its own, whose events that context does not cover.
        Thread.ofVirtual().name("virtual").start(() -> new Trace().commit()).join();
        Record.finish(recording, args[0]);
    }
}
