package gen;

import gen.Annotations.Celsius;
import gen.Annotations.RequestId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import jdk.jfr.AnnotationElement;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventFactory;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import jdk.jfr.Unsigned;
import jdk.jfr.ValueDescriptor;

/** Commits events with every kind of field, at the ends of each kind's range. */
public final class Kinds {
    private static final long[] LONGS = {
        0, 1, -1, 63, 64, 127, 128, 255, 256, 0x3fff, 0x4000, 0x1fffff, 0x200000,
        Integer.MAX_VALUE, Integer.MIN_VALUE, 0xffffffffL, 1L << 55, 1L << 56, 1_234_567_890_123L,
        Long.MIN_VALUE + 1, Long.MIN_VALUE, Long.MAX_VALUE - 1, Long.MAX_VALUE,
    };
    private static final double[] DOUBLES = {
        0.0, -0.0, 1.0, -1.5, 0.1, 1e-5, 1e7, 1e21, 123456789.123456789, Math.PI,
        Double.MIN_VALUE, Double.MIN_NORMAL, Double.MAX_VALUE, -Double.MAX_VALUE,
        Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY,
        // A NaN whose payload is not Java's own: its bits must survive.
        Double.longBitsToDouble(0xfff8_0000_dead_beefL),
        Float.MIN_VALUE, Float.MIN_NORMAL, Float.MAX_VALUE,
    };
    private static int periodic;

    private Kinds() {
    }

    public static void main(String[] args) throws Exception {
        Recording recording = start();
        commitAll();
        Record.finish(recording, args[0]);
    }

    static Recording start() {
        FlightRecorder.addPeriodicEvent(KindEvents.Every100ms.class, () -> {
            KindEvents.Every100ms e = new KindEvents.Every100ms();
            e.count = ++periodic;
            e.commit();
        });
        FlightRecorder.addPeriodicEvent(KindEvents.ChunkBegin.class, () -> new KindEvents.ChunkBegin().commit());
        FlightRecorder.addPeriodicEvent(KindEvents.ChunkEnd.class, () -> new KindEvents.ChunkEnd().commit());
        return Record.start(Map.of(
            "gen.KindEvents$Filtered#prefix", "/keep",
            // Settings of types never used, or of none, are written too.
            "gen.Unknown#enabled", "true",
            "jdk.ActiveSetting#enabled", "true",
            "jdk.ActiveRecording#enabled", "true"));
    }

    static void commitAll() throws Exception {
        primitives();
        times();
        measures();
        references();
        others();
        dynamic();
        // Long enough for some periodic events.
        Thread.sleep(350);
    }

    private static void primitives() {
        for (int n = 0; n < LONGS.length; n++) {
            long v = LONGS[n];
            KindEvents.Primitives p = new KindEvents.Primitives();
            p.z = (n & 1) != 0;
            p.b = (byte) v;
            p.s = (short) v;
            p.c = (char) v;
            p.i = (int) v;
            p.l = v;
            p.d = DOUBLES[n % DOUBLES.length];
            p.f = (float) p.d;
            p.commit();
            KindEvents.UnsignedNumbers u = new KindEvents.UnsignedNumbers();
            u.b = (byte) v;
            u.s = (short) v;
            u.c = (char) v;
            u.i = (int) v;
            u.l = v;
            u.commit();
        }
        for (float f : new float[] {Float.MIN_VALUE, Float.MIN_NORMAL, Float.MAX_VALUE, -0.0f, 0.1f, 16777216f,
            Float.intBitsToFloat(0xffc0beef)}) {
            KindEvents.Primitives p = new KindEvents.Primitives();
            p.b = Byte.MIN_VALUE;
            p.s = Short.MIN_VALUE;
            p.c = Character.MAX_VALUE;
            p.f = f;
            p.commit();
        }
        for (char c : new char[] {0, '\t', '\n', '"', '\\', ' ', 'a', 0x7f, 0x80, 0xe9, 0x2028, 0xd83d, 0xde00, 0xffff}) {
            KindEvents.Primitives p = new KindEvents.Primitives();
            p.c = c;
            p.b = Byte.MAX_VALUE;
            p.s = Short.MAX_VALUE;
            p.commit();
        }
    }

    private static void times() {
        long now = System.currentTimeMillis();
        List<Long> values = new ArrayList<>(List.of(now, now - 1, now + 86_400_000L, -now, 999L, 1000L, 1001L));
        for (long v : LONGS) {
            values.add(v);
        }
        for (long v : values) {
            KindEvents.Instants t = new KindEvents.Instants();
            t.millis = v;
            t.ticks = v;
            t.commit();
            KindEvents.Spans s = new KindEvents.Spans();
            s.ticks = v;
            s.nanos = v;
            s.micros = v;
            s.millis = v;
            s.seconds = v;
            s.shortMillis = (int) v;
            s.unsignedNanos = v;
            s.commit();
        }
    }

    private static void measures() {
        for (int n = 0; n < LONGS.length; n++) {
            long v = LONGS[n];
            KindEvents.Measures m = new KindEvents.Measures();
            m.bytes = v;
            m.bits = v;
            m.defaultBytes = (int) v;
            m.bytesPerSecond = v;
            m.bitsPerSecond = v;
            m.percentDouble = DOUBLES[n % DOUBLES.length];
            m.percentFloat = n / 20f;
            m.hertz = (int) v;
            m.address = v;
            m.flag = n % 2 == 0;
            m.temperature = n - 10.5f;
            m.request = n;
            m.requestName = "request-" + n;
            m.commit();
        }
    }

    private static void references() throws Exception {
        new KindEvents.References().commit();
        Thread unstarted = new Thread("never started");
        Thread ended = new Thread(new ThreadGroup("own \u00e9 group"), () -> { }, "ended \u65e5\u672c");
        ended.start();
        ended.join();
        Thread unnamed = new Thread(() -> reference("from a thread without a name", null, null), "");
        unnamed.start();
        unnamed.join();
        reference("current", Thread.currentThread(), Kinds.class);
        reference("unstarted", unstarted, int.class);
        reference("ended", ended, void.class);
        Runnable lambda = () -> reference("lambda", null, String[].class);
        lambda.run();
        reference("hidden class", null, lambda.getClass());
        reference("arrays", null, long[][][].class);
        reference("inner", null, Map.Entry.class);
        reference("anonymous", null, new Object() { }.getClass());
        // One event under way while another begins and ends, and one committed twice.
        KindEvents.References outer = new KindEvents.References();
        outer.begin();
        reference("within", null, null);
        outer.end();
        outer.text = "around";
        outer.commit();
        outer.commit();
    }

    private static void reference(String text, Thread thread, Class<?> type) {
        KindEvents.References r = new KindEvents.References();
        r.text = text;
        r.thread = thread;
        r.type = type;
        r.from = thread;
        r.to = Thread.currentThread();
        r.commit();
    }

    private static void others() throws Exception {
        KindEvents.Named named = new KindEvents.Named();
        named.original = 1;
        named.annotated = 2;
        named.experimental = 3;
        named.$dollar$ = 4;
        named._under = 5;
        named.gr\u00f6\u00dfe = 6;
        named.\u540d\u524d = 7;
        named.type = "a field called type";
        named.id = 8;
        named.commit();
        new KindEvents.UnicodeName().commit();
        new KindEvents.Nothing().commit();

        KindEvents.Middle middle = new KindEvents.Middle();
        middle.fromBase = 1;
        middle.inherited = "middle";
        middle.fromMiddle = 2;
        middle.commit();
        KindEvents.Derived derived = new KindEvents.Derived();
        derived.fromBase = 3;
        derived.inherited = "derived";
        derived.fromMiddle = 4;
        derived.fromDerived = 5;
        derived.commit();

        new KindEvents.Disabled().commit();
        KindEvents.Slow fast = new KindEvents.Slow();
        fast.begin();
        fast.commit();
        KindEvents.Slow slow = new KindEvents.Slow();
        slow.begin();
        slow.value = 1;
        Thread.sleep(5);
        slow.commit();
        // begin() and end() at once: a duration of zero or almost.
        KindEvents.Nothing instant = new KindEvents.Nothing();
        instant.begin();
        instant.end();
        instant.commit();
        // end() without begin().
        KindEvents.Nothing onlyEnd = new KindEvents.Nothing();
        onlyEnd.end();
        onlyEnd.commit();

        for (String path : new String[] {"/keep/1", "/drop/1", "/keep/2"}) {
            KindEvents.Filtered f = new KindEvents.Filtered();
            f.path = path;
            if (f.shouldCommit()) {
                f.commit();
            }
        }
    }

    /** An event type without a class of its own in the source. */
    private static void dynamic() {
        List<ValueDescriptor> fields = List.of(
            new ValueDescriptor(boolean.class, "z"),
            new ValueDescriptor(byte.class, "b"),
            new ValueDescriptor(short.class, "s"),
            new ValueDescriptor(char.class, "c"),
            new ValueDescriptor(int.class, "i", List.of(new AnnotationElement(Unsigned.class))),
            new ValueDescriptor(long.class, "l", List.of(
                new AnnotationElement(Timespan.class, Timespan.MICROSECONDS),
                new AnnotationElement(Label.class, "Some Micros"))),
            new ValueDescriptor(long.class, "amount", List.of(new AnnotationElement(DataAmount.class, DataAmount.BITS))),
            new ValueDescriptor(float.class, "f", List.of(new AnnotationElement(Celsius.class, Map.of()))),
            new ValueDescriptor(double.class, "d"),
            new ValueDescriptor(String.class, "text", List.of(new AnnotationElement(RequestId.class, Map.of()))),
            new ValueDescriptor(Thread.class, "thread"),
            new ValueDescriptor(Class.class, "type"));
        List<AnnotationElement> annotations = List.of(
            new AnnotationElement(Name.class, "gen.Dynamic"),
            new AnnotationElement(Label.class, "Dynamic"),
            new AnnotationElement(Description.class, "Made by an EventFactory"),
            new AnnotationElement(Category.class, new String[] {"Generated", "Dynamic"}),
            new AnnotationElement(StackTrace.class, false));
        EventFactory factory = EventFactory.create(annotations, fields);
        Event empty = factory.newEvent();
        empty.commit();
        Event full = factory.newEvent();
        Object[] values = {true, (byte) -1, (short) -2, 'x', -3, -4L, 5L, 6.5f, 7.5, "dynamic", Thread.currentThread(),
            EventFactory.class};
        for (int n = 0; n < values.length; n++) {
            full.set(n, values[n]);
        }
        full.commit();
        EventFactory.create(List.of(new AnnotationElement(Name.class, "gen.DynamicNothing")), List.of()).newEvent().commit();
    }
}
