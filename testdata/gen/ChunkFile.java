package gen;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * The chunk file that the running JVM writes, seen from outside: its header
 * tells when a flush has happened. Its name comes from make.sh, which sets the
 * repository's place.
 */
final class ChunkFile {
    private static final int STATE_OFFSET = 64;
    private static final int UPDATING = 255;

    private final Path path;
    private int state;

    /** The newest chunk in the JVM's repository. */
    ChunkFile() throws IOException {
        Path repository = Path.of(System.getProperty("gen.repository"));
        try (Stream<Path> files = Files.walk(repository)) {
            path = files.filter(f -> f.toString().endsWith(".jfr")).max(Comparator.naturalOrder()).orElseThrow();
        }
        state = steadyHeader().get(STATE_OFFSET) & 0xff;
    }

    /** Waits until the JVM has flushed once more. */
    void awaitFlush() throws Exception {
        int old = state;
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (state == old) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("no flush within 20 s");
            }
            Thread.sleep(5);
            state = steadyHeader().get(STATE_OFFSET) & 0xff;
        }
    }

    /** Copies the file as it is now, under a header that was not being written meanwhile. */
    void copy(String to) throws Exception {
        while (true) {
            ByteBuffer before = steadyHeader();
            byte[] content = Files.readAllBytes(path);
            if (before.equals(steadyHeader()) && before.equals(ByteBuffer.wrap(content, 0, before.capacity()))) {
                Files.write(Path.of(to), content);
                return;
            }
        }
    }

    /** How many bytes the file holds beyond the size that its header tells. */
    long unflushed() throws IOException {
        return Files.size(path) - steadyHeader().getLong(8);
    }

    private ByteBuffer steadyHeader() throws IOException {
        while (true) {
            ByteBuffer header = ByteBuffer.allocate(68);
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                channel.read(header, 0);
            }
            header.rewind();
            if ((header.get(STATE_OFFSET) & 0xff) != UPDATING) {
                return header;
            }
        }
    }
}
