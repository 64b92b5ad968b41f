package gen;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;

/**
 * A program that gives the JDK's own "profile" configuration something of
 * everything to record. Each part is short, and deep stacks are few: as text,
 * one stack of 300 frames takes as much room as a hundred other events.
 */
public final class Profile {
    private Profile() {
    }

    public static void main(String[] args) throws Exception {
        // Off in "profile", or only above a threshold that a small program does not reach.
        Map<String, String> more = new HashMap<>();
        for (String event : List.of("FileRead", "FileWrite", "FileForce", "SocketRead", "SocketWrite",
            "JavaMonitorEnter", "JavaMonitorWait", "ThreadPark", "ThreadSleep", "JavaExceptionThrow",
            "ClassLoad", "ProcessStart", "ObjectAllocationInNewTLAB", "ObjectAllocationOutsideTLAB")) {
            more.put("jdk." + event + "#enabled", "true");
            more.put("jdk." + event + "#threshold", "0 ms");
            more.put("jdk." + event + "#throttle", "off");
        }
        Recording recording = Record.startConfigured("profile", more);
        Loaders.run();
        InputOutput.run();
        Locks.run();
        Memory.run();
        Stacks.run();
        Record.finish(recording, args[0]);
    }
}
