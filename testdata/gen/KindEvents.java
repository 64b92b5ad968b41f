package gen;

import gen.Annotations.Celsius;
import gen.Annotations.Everything;
import gen.Annotations.RequestId;
import jdk.jfr.BooleanFlag;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Experimental;
import jdk.jfr.Frequency;
import jdk.jfr.Label;
import jdk.jfr.MemoryAddress;
import jdk.jfr.Name;
import jdk.jfr.Percentage;
import jdk.jfr.Period;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;
import jdk.jfr.TransitionFrom;
import jdk.jfr.TransitionTo;
import jdk.jfr.Unsigned;

/** Event types that together use every kind of field and annotation. */
final class KindEvents {
    private KindEvents() {
    }

    @Label("Primitives")
    @Description("One field of each primitive type")
    @Category({"Generated", "Kinds", "Primitive"})
    @StackTrace(false)
    static class Primitives extends Event {
        boolean z;
        byte b;
        short s;
        char c;
        int i;
        long l;
        float f;
        double d;
    }

    @StackTrace(false)
    @Category({"Generated", "Kinds"})
    static class UnsignedNumbers extends Event {
        @Unsigned byte b;
        @Unsigned short s;
        @Unsigned char c;
        @Unsigned int i;
        @Unsigned long l;
    }

    @StackTrace(false)
    @Category({"Generated", "Kinds"})
    static class Instants extends Event {
        @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH) long millis;
        @Timestamp(Timestamp.TICKS) long ticks;
    }

    @StackTrace(false)
    @Category({"Generated", "Kinds"})
    static class Spans extends Event {
        @Timespan(Timespan.TICKS) long ticks;
        @Timespan(Timespan.NANOSECONDS) long nanos;
        @Timespan(Timespan.MICROSECONDS) long micros;
        @Timespan(Timespan.MILLISECONDS) long millis;
        @Timespan(Timespan.SECONDS) long seconds;
        @Timespan(Timespan.MILLISECONDS) int shortMillis;
        @Unsigned @Timespan(Timespan.NANOSECONDS) long unsignedNanos;
    }

    @StackTrace(false)
    @Category({"Generated", "Kinds"})
    static class Measures extends Event {
        @DataAmount(DataAmount.BYTES) long bytes;
        @DataAmount(DataAmount.BITS) long bits;
        @DataAmount int defaultBytes;
        @DataAmount @Frequency long bytesPerSecond;
        @DataAmount(DataAmount.BITS) @Frequency long bitsPerSecond;
        @Percentage float percentFloat;
        @Percentage double percentDouble;
        @Frequency int hertz;
        @MemoryAddress long address;
        @BooleanFlag boolean flag;
        @Celsius float temperature;
        @RequestId long request;
        @RequestId String requestName;
    }

    static class References extends Event {
        String text;
        Thread thread;
        Class<?> type;
        @TransitionFrom Thread from;
        @TransitionTo Thread to;
    }

    @Name("gen.named.Some_Name$1")
    @Label("Label with \"quotes\", <tags> & \u00e9\u65e5\ud83d\ude00")
    @Description("First line\nsecond line\ttab\\backslash")
    @Category({"Generated", "A/B", "\u00dcber", "d\u00e9j\u00e0 \"vu\""})
    @Experimental
    @Everything
    @StackTrace(false)
    static class Named extends Event {
        @Name("renamed") @Label("Renamed Field") @Description("Renamed by annotation") int original;
        @Everything(text = "field", texts = {}, z = false) int annotated;
        @Experimental int experimental;
        int $dollar$;
        int _under;
        int gr\u00f6\u00dfe;
        int \u540d\u524d;
        String type;
        int id;
        // Neither of these two belongs to the event: JFR leaves them out.
        static int notRecorded = 1;
        transient int notRecordedEither = 1;
    }

    @Name("gen.\u00dcbung.\u540d\u524d")
    @Label("")
    @StackTrace(false)
    static class UnicodeName extends Event {
        @Label("") int value;
    }

    @Label("Nothing")
    @Description("No field of its own")
    static class Nothing extends Event {
    }

    @Category("Generated")
    abstract static class Base extends Event {
        @Label("From Base") int fromBase;
        protected String inherited;
    }

    static class Middle extends Base {
        long fromMiddle;
    }

    static class Derived extends Middle {
        double fromDerived;
    }

    @Enabled(false)
    @Threshold("20 ms")
    static class Disabled extends Event {
        int value;
    }

    @Threshold("1 ms")
    static class Slow extends Event {
        int value;
    }

    @Period("100 ms")
    @StackTrace(false)
    static class Every100ms extends Event {
        int count;
    }

    @Period("beginChunk")
    @StackTrace(false)
    static class ChunkBegin extends Event {
        int count;
    }

    @Period("endChunk")
    @StackTrace(false)
    static class ChunkEnd extends Event {
        int count;
    }

    /** Has a setting of its own, which decides about each event. */
    static class Filtered extends Event {
        String path;

        @SettingDefinition
        @Name("prefix")
        @Label("Path Prefix")
        @Description("Only paths with this prefix are recorded")
        boolean prefix(PrefixControl control) {
            return control.accepts(path);
        }
    }
}
