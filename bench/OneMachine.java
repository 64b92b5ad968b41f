import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Records events of three threads for some seconds, a hundred megabytes of them a second. Chunks of jfrbench gen repeat the
 * ticks of their originals, so verbs that copy take them for those of several virtual machines; these are of one.
 *
 * java -XX:StartFlightRecording=filename=one.jfr,settings=profile,maxsize=3g,dumponexit=true bench/OneMachine.java 16
 */
public class OneMachine {
    @Name("shop.Order")
    @Label("Order")
    static class Order extends Event {
        @Label("Id")
        long id;

        @Label("Customer")
        String customer;

        @Label("Amount")
        @DataAmount
        long amount;
    }

    @Name("shop.Tick")
    @Label("Tick")
    @StackTrace(false)
    static class Tick extends Event {
        @Label("Number")
        int number;
    }

    static volatile long allocated;

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        Thread[] threads = new Thread[3];
        for (int k = 0; k < threads.length; k++) {
            int number = k;
            threads[k] = new Thread(() -> record(number, end), "worker-" + k);
            threads[k].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void record(int number, long end) {
        String[] customers = new String[500];
        for (int i = 0; i < customers.length; i++) {
            customers[i] = "customer-" + i + "-" + number;
        }
        for (int i = 0; System.nanoTime() < end; i++) {
            if (i % 8 == 0) {
                Order order = new Order();
                order.begin();
                order.id = i;
                order.customer = customers[i % customers.length];
                order.amount = i * 37L;
                order.end();
                commit(order, i % 23);
            }
            Tick tick = new Tick();
            tick.number = i;
            tick.commit();
            if (i % 64 == 0) {
                allocated += new byte[512 + i % 4096].length;
            }
        }
    }

    /** commit writes an event with a stack of that many frames more. */
    static void commit(Order order, int frames) {
        if (frames == 0) {
            order.commit();
        } else {
            commit(order, frames - 1);
        }
    }
}
