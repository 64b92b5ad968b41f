import java.nio.file.Path;

/**
 * Has a reader do a work on a recording, and prints in one line how many events it saw and how long
 * it took from opening the file to its last event.
 *
 * <pre>
 * java Peers READER count FILE       count the events
 * java Peers READER read FILE        get the value of every field of every event
 * java Peers READER type FILE NAME   count the events of one type
 * </pre>
 *
 * READER is the name of a class that extends Peers.Reader.
 */
final class Peers {
    /** Does the works. Each counts the events that it sees. */
    abstract static class Reader {
        long events;
        /** How many values there were; printed, so that no one can say they were not needed. */
        long values;

        abstract void count(Path file) throws Exception;

        abstract void read(Path file) throws Exception;

        abstract void type(Path file, String name) throws Exception;
    }

    private Peers() {
    }

    public static void main(String[] args) throws Exception {
        Reader reader = (Reader) Class.forName(args[0]).getDeclaredConstructor().newInstance();
        Path file = Path.of(args[2]);
        long start = System.nanoTime();
        switch (args[1]) {
            case "count" -> reader.count(file);
            case "read" -> reader.read(file);
            case "type" -> reader.type(file, args[3]);
            default -> throw new IllegalArgumentException("no such work: " + args[1]);
        }
        long nanos = System.nanoTime() - start;
        System.out.println("{\"events\":" + reader.events + ",\"values\":" + reader.values + ",\"nanos\":" + nanos + "}");
    }
}
