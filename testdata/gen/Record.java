package gen;

import java.nio.file.Path;
import java.util.Map;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/** Starts and ends recordings the same way for every program here. */
final class Record {
    private Record() {
    }

    /** A running recording with no JDK event enabled; our own events are on by default. */
    static Recording start() {
        return start(Map.of());
    }

    /** Like {@link #start()}, with settings such as {@code "jdk.ThreadPark#enabled", "true"}. */
    static Recording start(Map<String, String> settings) {
        Recording recording = new Recording();
        recording.setName("gen");
        recording.setSettings(settings);
        recording.start();
        return recording;
    }

    /** A running recording with one of the JDK's own configurations, "default" or "profile", and changes to it. */
    static Recording startConfigured(String name, Map<String, String> changes) throws Exception {
        Recording recording = new Recording(Configuration.getConfiguration(name));
        recording.setName("gen");
        // All at once and before the start: each change to a running recording
        // writes every setting of every event again.
        Map<String, String> settings = recording.getSettings();
        settings.putAll(changes);
        // These would carry one machine's particulars into a public file.
        settings.put("jdk.OSInformation#enabled", "false");
        settings.put("jdk.SystemProcess#enabled", "false");
        settings.put("jdk.InitialEnvironmentVariable#enabled", "false");
        recording.setSettings(settings);
        recording.start();
        return recording;
    }

    /**
     * Stops and writes. dump() rather than setDestination(), because a
     * destination's absolute path ends up in jdk.ActiveRecording.
     */
    static void finish(Recording recording, String out) throws Exception {
        recording.stop();
        recording.dump(Path.of(out));
        recording.close();
    }
}
