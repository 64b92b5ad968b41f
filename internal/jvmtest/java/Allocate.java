import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.Configuration;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;

/** Allocates in threads of a kind while recordings begin and end, and says how much. Usage: Allocate KIND WHEN FILE */
public class Allocate {
    /** What was allocated until samples were to be taken, until they were for sure, and until the end of the recording. */
    @Name("test.Allocated")
    @StackTrace(false)
    static class Allocated extends Event {
        long asked;
        long sampled;
        long end;
    }

    static final AtomicLong total = new AtomicLong();
    static volatile Object sink;

    static void allocate(long bytes, int pause) {
        for (long n = 0; n < bytes; n += 1016) {
            sink = new byte[1000];
            total.addAndGet(1016);
        }
        sleep(pause);
    }

    static void sleep(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new RuntimeException(e);
        }
    }

    static void start(String kind) throws Exception {
        switch (kind) {
        case "one":
            daemon(() -> allocate(200_000, 1));
            break;
        case "pool":
            for (int i = 0; i < 12; i++) {
                daemon(() -> allocate(100_000, 5));
            }
            break;
        case "short": // threads that end before most are sampled
            threads(Thread::new);
            break;
        case "virtual":
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            threads((ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder));
            break;
        default:
            throw new IllegalArgumentException(kind);
        }
    }

    static void daemon(Runnable r) {
        Thread t = new Thread(() -> {
            while (true) {
                r.run();
            }
        });
        t.setDaemon(true);
        t.start();
    }

    static void threads(ThreadFactory f) {
        daemon(() -> {
            Thread[] list = new Thread[8];
            for (int i = 0; i < list.length; i++) {
                list[i] = f.newThread(() -> allocate(1_000_000, 0));
                list[i].start();
            }
            for (Thread t : list) {
                try {
                    t.join();
                } catch (InterruptedException e) {
                    throw new RuntimeException(e);
                }
            }
            sleep(15);
        });
    }

    static Recording record(boolean samples) throws Exception {
        Recording r = new Recording(Configuration.getConfiguration("default"));
        if (samples) {
            r.enable("jdk.ObjectAllocationSample").with("throttle", "300/s");
        } else {
            r.disable("jdk.ObjectAllocationSample");
        }
        r.start();
        return r;
    }

    public static void main(String[] args) throws Exception {
        String kind = args[0];
        Allocated a = new Allocated();
        Recording r = null;
        Recording other = null;
        switch (args[1]) {
        case "early": // before the threads
            r = record(true);
            start(kind);
            break;
        case "late":
            start(kind);
            sleep(1500);
            break;
        case "dumped": // the file begins with a later chunk
            r = record(true);
            start(kind);
            sleep(1500);
            record(false).close(); // begins another chunk
            r.setMaxAge(Duration.ofMillis(1));
            break;
        case "beside": // another recording with samples
            other = record(true);
            start(kind);
            sleep(1500);
            break;
        case "again": // after another one with samples
            other = record(true);
            start(kind);
            sleep(700);
            other.close();
            sleep(1500);
            break;
        case "monitored": // beside another one without samples
            other = record(false);
            start(kind);
            sleep(1500);
            break;
        case "enabled": // in a recording that goes on
            r = record(false);
            start(kind);
            sleep(1500);
            a.asked = total.get();
            r.enable("jdk.ObjectAllocationSample").with("throttle", "300/s");
            break;
        default:
            throw new IllegalArgumentException(args[1]);
        }
        if (a.asked == 0) {
            a.asked = total.get();
        }
        if (r == null) {
            r = record(true);
        }
        a.sampled = total.get();
        sleep(1500);
        a.end = total.get();
        a.commit();
        r.stop();
        r.dump(Path.of(args[2]));
        System.exit(0);
    }
}
