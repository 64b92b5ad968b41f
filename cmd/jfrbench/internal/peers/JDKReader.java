import java.io.IOException;
import java.nio.file.Path;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Reads a recording by the JDK's own means. */
final class JDKReader extends Peers.Reader {
    @Override
    void count(Path file) throws IOException {
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                recording.readEvent();
                events++;
            }
        }
    }

    @Override
    void read(Path file) throws IOException {
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
    @Override
    void type(Path file, String name) throws IOException {
        try (EventStream stream = EventStream.openFile(file)) {
            stream.setReuse(true);
            stream.setOrdered(false);
            stream.onEvent(name, event -> events++);
            stream.start();
        }
    }
}
