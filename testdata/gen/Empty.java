package gen;

/** Records nothing: a chunk with metadata and hardly a constant. */
public final class Empty {
    private Empty() {
    }

    public static void main(String[] args) throws Exception {
        Record.finish(Record.start(), args[0]);
    }
}
