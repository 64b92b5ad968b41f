import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import jdk.jfr.EventType;
import jdk.jfr.consumer.EventStream;

/**
 * Tells what the JDK's stream of a file calls handlers with: {@code Told FILE ORDERED}.
 */
public final class Told {
    public static void main(String[] args) throws Exception {
        try (PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8)) {
            EventStream s = EventStream.openFile(Path.of(args[0])); // to close it again would call onClose again
            s.setOrdered(Boolean.parseBoolean(args[1]));
            s.onMetadata(m -> out.println("metadata +" + names(m.getAddedEventTypes()) + " -" + names(m.getRemovedEventTypes())));
            s.onEvent(e -> out.println(e.getEventType().getName() + " " + nanos(e.getStartTime()) + " " + nanos(e.getEndTime())));
            s.onFlush(() -> out.println("flush"));
            s.onError(e -> out.println("error " + e));
            s.onClose(() -> out.println("close"));
            s.start();
        }
    }

    private static long nanos(Instant t) {
        return t.getEpochSecond() * 1_000_000_000L + t.getNano();
    }

    private static String names(List<EventType> types) {
        return types.stream().map(EventType::getName).distinct().sorted().collect(Collectors.joining(","));
    }
}
