package gen;

import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;

/** Strings in each of the encodings that a recording knows, at the borders between them. */
public final class Strings {
    @StackTrace(false)
    static class Text extends Event {
        int length;
        String text;
        String again;
    }

    // JFR puts strings of more than 16 and fewer than 129 chars into a pool
    // once it has seen them before, so that each length is committed thrice.
    private static final int[] LENGTHS = {1, 15, 16, 17, 127, 128, 129, 1000};

    private static final List<String> SHORT = List.of(
        "", " ", "a", "plain ASCII", "\u00e9", "caf\u00e9 \u00ff\u0080", "\u65e5\u672c\u8a9e",
        "\ud83d\ude00", "a\ud83d\ude00b\ud834\udd1e", "\ud83d", "\ude00", "x\ud83dy", "\ude00\ud83d", "\uffff\ufffe\ufeff",
        "\0", "\1\2\3\b\f\n\r\t\u001b\u007f", "\u0085\u00a0\u2028\u2029", "\"quoted\" 'single'", "back\\slash \\n /slash/",
        "<tag attr=\"1\">&amp;</tag>", "{\"json\": [1, null]}", "null", "\u0000\u0000", "%s %d %%", "${HOME} $(x) `y`",
        "e\u0301 combining", "\u202e right to left");

    private Strings() {
    }

    public static void main(String[] args) throws Exception {
        Recording recording = Record.start();
        commit(null);
        for (String text : SHORT) {
            commit(text);
            // The same again, too long to stand in the event itself.
            commit(text + " and so on to more than sixteen chars");
        }
        for (int length : LENGTHS) {
            for (String unit : new String[] {"abcdefghij", "\u00e9\u00e8", "\u65e5a", "\ud83d\ude00"}) {
                String text = unit.repeat(length).substring(0, length);
                commit(text);
                // Long ones cost too much to repeat.
                if (length < 1000) {
                    commit(text);
                    commit(text);
                }
            }
        }
        commit("0123456789".repeat(6000));
        commit("\u65e5\u672c\u8a9e".repeat(5000));
        Record.finish(recording, args[0]);
    }

    private static void commit(String text) {
        Text e = new Text();
        e.length = text == null ? -1 : text.length();
        e.text = text;
        e.again = text != null && text.length() >= 1000 ? "" : text;
        e.commit();
    }
}
