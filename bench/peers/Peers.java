import java.io.IOException;
import java.nio.file.Path;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reads a recording by the JDK's own means, and prints in one line how many
 * events it saw and how long it took from opening the file to its last event.
 *
 * <pre>
 * java Peers count FILE       count the events
 * java Peers read FILE        get the value of every field of every event
 * java Peers type FILE NAME   count the events of one type
 * </pre>
 */
final class Peers {
    private static long events;
    /** How many values there were; printed, so that no one can say they were not needed. */
    private static long values;

    private Peers() {
    }

    public static void main(String[] args) throws IOException {
        Path file = Path.of(args[1]);
        long start = System.nanoTime();
        switch (args[0]) {
            case "count" -> count(file);
            case "read" -> read(file);
            case "type" -> type(file, args[2]);
            default -> throw new IllegalArgumentException("no such work: " + args[0]);
        }
        long nanos = System.nanoTime() - start;
        System.out.println("{\"events\":" + events + ",\"values\":" + values + ",\"nanos\":" + nanos + "}");
    }

    private static void count(Path file) throws IOException {
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                recording.readEvent();
                events++;
            }
        }
    }

    private static void read(Path file) throws IOException {
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                for (ValueDescriptor field : event.getFields()) {
                    if (event.getValue(field.getName()) != null) {
                        values++;
                    }
                }
                events++;
            }
        }
    }

    /** Lets the stream choose the type, and gives it all the freedom there is to be fast. */
    private static void type(Path file, String name) throws IOException {
        try (EventStream stream = EventStream.openFile(file)) {
            stream.setReuse(true);
            stream.setOrdered(false);
            stream.onEvent(name, event -> events++);
            stream.start();
        }
    }
}
