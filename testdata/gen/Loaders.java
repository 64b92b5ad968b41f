package gen;

import java.io.InputStream;
import jdk.jfr.Event;

/** Class loaders of our own, one with a name and one without, that each define the same class. */
final class Loaders {
    /** What the loaders define: an event type too, so that several of one name exist. */
    public static final class Loaded extends Event implements Runnable {
        Class<?> type;
        double result;

        @Override
        public void run() {
            long end = System.nanoTime() + 40_000_000;
            while (System.nanoTime() < end) {
                result += Math.sin(result);
            }
            type = getClass();
            commit();
        }
    }

    private static final class OwnLoader extends ClassLoader {
        OwnLoader(String name) {
            super(name, Loaders.class.getClassLoader());
        }

        Class<?> define(String name) throws Exception {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] code = in.readAllBytes();
                return defineClass(name, code, 0, code.length);
            }
        }
    }

    private static Object[] kept;

    private Loaders() {
    }

    static void run() throws Exception {
        kept = new Object[] {load("named loader"), load("\u00e9\u65e5 loader"), load(null), load(null)};
    }

    private static Object load(String name) throws Exception {
        Class<?> type = new OwnLoader(name).define("gen.Loaders$Loaded");
        Runnable loaded = (Runnable) type.getDeclaredConstructor().newInstance();
        loaded.run();
        return loaded;
    }
}
