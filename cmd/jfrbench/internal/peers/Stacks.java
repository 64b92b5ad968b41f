import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmc.common.IMCFrame;
import org.openjdk.jmc.common.IMCMethod;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.item.ItemFilters;
import org.openjdk.jmc.flightrecorder.CouldNotLoadRecordingException;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;

/**
 * Counts the events of one type by their stack with JMC's reader, and writes a line for each stack.
 *
 * <pre>
 * java Stacks TYPE FILE OUT
 * </pre>
 */
final class Stacks {
    private Stacks() {
    }

    public static void main(String[] args) throws IOException, CouldNotLoadRecordingException {
        IItemCollection events = JfrLoaderToolkit.loadEvents(new File(args[1])).apply(ItemFilters.type(args[0]));
        // Events of a chunk share the objects of their stacks: each text is made once.
        Map<IMCStackTrace, long[]> counts = new IdentityHashMap<>();
        for (IItemIterable same : events) {
            IMemberAccessor<IMCStackTrace, IItem> stack = JfrAttributes.EVENT_STACKTRACE.getAccessor(same.getType());
            for (IItem event : same) {
                IMCStackTrace trace = stack.getMember(event);
                if (trace != null) {
                    counts.computeIfAbsent(trace, t -> new long[1])[0]++;
                }
            }
        }
        Map<String, Long> sums = new HashMap<>();
        counts.forEach((trace, n) -> sums.merge(text(trace), n[0], Long::sum));
        try (PrintWriter out = new PrintWriter(args[2], StandardCharsets.UTF_8)) {
            sums.forEach((stack, n) -> out.println(stack + " " + n));
        }
    }

    private static String text(IMCStackTrace trace) {
        List<? extends IMCFrame> frames = trace.getFrames();
        StringBuilder b = new StringBuilder();
        for (int i = frames.size() - 1; i >= 0; i--) {
            IMCMethod m = frames.get(i).getMethod();
            b.append(m.getType().getFullName()).append('.').append(m.getMethodName()).append(i > 0 ? ";" : "");
        }
        return b.toString();
    }
}
