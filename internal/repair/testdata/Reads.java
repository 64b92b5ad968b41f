import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * Does to all recordings of a directory what jfr does, in one process, and tells which of
 * them a command refuses: a line with the file, the command and why.
 */
public class Reads {
    private static final List<List<String>> COMMANDS = List.of(
        List.of("Summary"), List.of("Metadata"), List.of("Print", "--stack-depth", "64"), List.of("Print", "--json"));

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        try (Stream<Path> files = Files.list(Path.of(args[0]))) {
            for (Path file : files.sorted().toList()) {
                for (List<String> command : COMMANDS) {
                    try {
                        run(command, file);
                    } catch (Throwable t) {
                        Throwable cause = t.getCause() == null ? t : t.getCause();
                        StackTraceElement[] trace = cause.getStackTrace();
                        out.println(file.getFileName() + " " + command + " " + cause + " at " + (trace.length > 0 ? trace[0] : ""));
                    }
                }
            }
        }
    }

    private static void run(List<String> command, Path file) throws Exception {
        Class<?> type = Class.forName("jdk.jfr.internal.tool." + command.get(0));
        var constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        var execute = type.getMethod("execute", Deque.class);
        execute.setAccessible(true);
        Deque<String> options = new ArrayDeque<>(command.subList(1, command.size()));
        options.add(file.toString());
        execute.invoke(constructor.newInstance(), options);
    }
}
