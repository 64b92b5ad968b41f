import jdk.jfr.Event;
import jdk.jfr.Name;

// Sleeper tells that it is there and writes an event of its own ten times a second.
public class Sleeper {
    @Name("test.Tick")
    static class Tick extends Event {
        int number;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        for (int i = 0;; i++) {
            Tick tick = new Tick();
            tick.number = i;
            tick.commit();
            Thread.sleep(100);
        }
    }
}
