package gen;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Threads in groups of their own, that contend, wait, park, sleep and change their names. */
final class Locks {
    private static final Object MONITOR = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();

    private Locks() {
    }

    static void run() throws Exception {
        ThreadGroup outer = new ThreadGroup("outer group");
        ThreadGroup inner = new ThreadGroup(outer, "inner \u00e9\u65e5 group");
        ThreadGroup unnamed = new ThreadGroup(inner, "");
        ThreadGroup[] groups = {outer, inner, unnamed};
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < 12; n++) {
            threads.add(new Thread(groups[n % groups.length], Locks::contend, "contender " + n));
        }
        threads.add(new Thread(inner, Locks::await, "waiter"));
        threads.add(new Thread(outer, Locks::park, "parker"));
        threads.add(new Thread(outer, Locks::rename, "name before"));
        threads.add(new Thread(unnamed, Locks::contend, ""));
        threads.add(new Thread(unnamed, Locks::contend, "long name ".repeat(20)));
        for (Thread t : threads) {
            t.start();
        }
        for (Thread t : threads) {
            t.join();
        }
        notified();
    }

    private static void contend() {
        for (int n = 0; n < 2; n++) {
            synchronized (MONITOR) {
                pause(2);
            }
            LOCK.lock();
            try {
                pause(1);
            } finally {
                LOCK.unlock();
            }
        }
    }

    private static void await() {
        Object own = new Object();
        synchronized (own) {
            try {
                own.wait(30);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** A wait that another thread ends, unlike the one above, which times out. */
    private static void notified() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        Object own = new Object();
        Thread waiter = new Thread(() -> {
            synchronized (own) {
                waiting.countDown();
                try {
                    own.wait(5000);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }, "notified waiter");
        waiter.start();
        waiting.await();
        synchronized (own) {
            own.notifyAll();
        }
        waiter.join();
    }

    private static void park() {
        LockSupport.parkNanos(new Object(), 25_000_000);
        LockSupport.parkUntil(System.currentTimeMillis() + 25);
    }

    private static void rename() {
        pause(1);
        Thread.currentThread().setName("name after");
        pause(1);
        Stacks.busy(30);
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
