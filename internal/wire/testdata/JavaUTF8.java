import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32;

/**
 * Prints what java.lang.String makes of bytes as UTF-8: java JavaUTF8.java >java-utf8.txt
 *
 * Lines of two words are bytes and the UTF-16 code units they give. Lines of three words are a
 * length, a first byte and the CRC-32 of the code units of all sequences of that length with that
 * first byte; the other bytes run through all 256 values (length 2) or those of EDGES (3 and 4).
 * The code units of a sequence are followed by 0xd800, which the decoder never gives alone.
 */
class JavaUTF8 {
    static final int[] EDGES = {
        0x00, 0x41, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x9f, 0xa0, 0xa1, 0xbf, 0xc0, 0xc1, 0xc2, 0xc3, 0xdf,
        0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xfc, 0xfe, 0xff,
    };

    static final String[] CASES = {
        "-", "41", "c3a4", "e282ac", "f09f9880", "00",
        "80", "bf", "8080", "418041",                       // lone continuations
        "c080", "c0", "c180", "c1bf", "41c08042",           // overlong, two bytes: modified UTF-8's NUL
        "c2", "c241", "c2c2", "c2c280", "df",               // cut off
        "e0", "e080", "e08080", "e09fbf", "e0a0", "e0a041", // overlong and cut off, three bytes
        "e1", "e180", "e18041", "e1c0", "ef", "efbf", "efbfbf", "efbbbf41",
        "eda0bdedb880", "eda080", "edbfbf", "edb080eda080", // surrogates of three bytes each
        "eda0", "eda041", "eda0bd", "eda0bded", "eda0bdedb8", "ed9fbf", "ee8080", "41eda0bd42",
        "f0", "f08080", "f0808080", "f08fbfbf", "f090", "f09080", "f0908080", "f09041", "f0908041",
        "f1", "f180", "f18080", "f1808041", "f1804141", "f1414141",
        "f3bfbfbf", "f48fbfbf", "f4908080", "f490", "f4bfbfbf",
        "f5", "f580", "f5808080", "f6808080", "f7bfbfbf",
        "f8", "f888808080", "fb", "fc", "fc8480808080", "fe", "ff", "feff", "fffe",
        "e282", "e28241", "e282e282ac", "f09f98", "f09f98f09f9880", "f09f9841", "c3c3a4", "c3e282ac",
        "4141414141414141e2", "c3a4c3a4c3a4c3a4f09f98", "c3a480e282acff41",
    };

    static final CRC32 crc = new CRC32();

    static void put(char c) {
        crc.update(c >> 8);
        crc.update(c);
    }

    static void sum(byte[] b) {
        String s = new String(b, StandardCharsets.UTF_8);
        for (int i = 0; i < s.length(); i++) {
            put(s.charAt(i));
        }
        put('\ud800');
    }

    static void all(byte[] b, int at) {
        if (at == b.length) {
            sum(b);
            return;
        }
        if (b.length == 2) {
            for (int c = 0; c < 256; c++) {
                b[at] = (byte) c;
                all(b, at + 1);
            }
            return;
        }
        for (int c : EDGES) {
            b[at] = (byte) c;
            all(b, at + 1);
        }
    }

    static void sums(int length, int first) {
        crc.reset();
        byte[] b = new byte[length];
        b[0] = (byte) first;
        all(b, 1);
        System.out.printf("%d %02x %08x%n", length, first, crc.getValue());
    }

    public static void main(String[] args) {
        for (String hex : CASES) {
            byte[] b = hex.equals("-") ? new byte[0] : HexFormat.of().parseHex(hex);
            StringBuilder units = new StringBuilder();
            new String(b, StandardCharsets.UTF_8).chars().forEach(c -> units.append(String.format("%04x", c)));
            System.out.printf("%s %s%n", hex, units.isEmpty() ? "-" : units);
        }
        for (int first = 0; first < 256; first++) {
            sums(2, first);
        }
        for (int length = 3; length <= 4; length++) {
            for (int first : EDGES) {
                sums(length, first);
            }
        }
    }
}
