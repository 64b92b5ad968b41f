package gen;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Files, sockets and a process. Addresses and paths are such as every machine has. */
final class InputOutput {
    private InputOutput() {
    }

    static void run() throws Exception {
        files();
        sockets();
        new ProcessBuilder("true", "an argument").start().waitFor();
    }

    private static void files() throws IOException {
        Path path = Path.of("caf\u00e9.txt");
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int n = 0; n < 5; n++) {
                channel.write(ByteBuffer.allocate(100 * n));
            }
            channel.force(true);
        }
        Files.readAllBytes(path);
        Files.delete(path);
    }

    private static void sockets() throws Exception {
        InetAddress local = InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 1});
        try (ServerSocket server = new ServerSocket(0, 1, local)) {
            Thread echo = new Thread(() -> echo(server), "echo");
            echo.start();
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(local, server.getLocalPort()));
                for (int n = 1; n <= 3; n++) {
                    socket.getOutputStream().write(new byte[n * 10]);
                    socket.getInputStream().readNBytes(n * 10);
                }
                // Long enough in native code to be sampled there.
                socket.setSoTimeout(100);
                try {
                    socket.getInputStream().read();
                } catch (SocketTimeoutException e) {
                    // As intended.
                }
                socket.shutdownOutput();
            }
            echo.join();
        }
    }

    private static void echo(ServerSocket server) {
        try (Socket socket = server.accept()) {
            byte[] buffer = new byte[100];
            for (int n; (n = socket.getInputStream().read(buffer)) >= 0;) {
                socket.getOutputStream().write(buffer, 0, n);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
