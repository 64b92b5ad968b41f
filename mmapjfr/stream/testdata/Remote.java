import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.Map;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.management.jfr.FlightRecorderMXBean;

/**
 * Hands out what it records as a remote stream does, while it records: "Remote MILLIS"
 * writes it to the standard output, and how many events it committed to the standard error.
 */
public final class Remote {
    @Name("test.Tick")
    static final class Tick extends Event {
        long n;
        String text;
    }

    private Remote() {
    }

    public static void main(String[] args) throws Exception {
        FlightRecorderMXBean bean = ManagementFactory.getPlatformMXBean(FlightRecorderMXBean.class);
        long id = bean.newRecording();
        bean.setPredefinedConfiguration(id, "default");
        bean.startRecording(id);
        long stream = bean.openStream(id, Map.of("streamVersion", "1.0"));
        long[] committed = {0};
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        Thread worker = new Thread(() -> {
            try {
                while (System.nanoTime() < end) {
                    for (int i = 0; i < 10; i++) {
                        Tick t = new Tick();
                        t.n = committed[0]++;
                        t.text = "tick " + t.n % 7;
                        t.commit();
                    }
                    Thread.sleep(10);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        worker.start();
        OutputStream out = System.out;
        long last = Long.MAX_VALUE;
        while (System.nanoTime() - last < 3_000_000_000L) {
            if (last == Long.MAX_VALUE && !worker.isAlive()) {
                last = System.nanoTime();
            }
            byte[] bytes = bean.readStream(stream);
            if (bytes != null && bytes.length > 0) {
                out.write(bytes);
                out.flush();
            } else {
                Thread.sleep(10); // the last events come with the next flush
            }
        }
        System.err.println(committed[0]);
        System.exit(0);
    }
}
