import Configuration
import Glibc
import Synchronization
package import Telemetry

/// One of the process's standard streams, written without a buffer.
package struct Terminal: Sendable {
    /// The stream for results.
    package static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    /// The stream for everything that is not a result.
    package static let standardError = Terminal(descriptor: STDERR_FILENO)

    let descriptor: Int32

    /// The errno of the first failure to write a result; 0 if there was none.
    private static let failure = Atomic<Int32>(0)

    /// The reason why some of the results were lost; nil if none were.
    package static var lostOutput: String? {
        let number = failure.load(ordering: .relaxed)
        return number == 0 ? nil : String(cString: strerror(number))
    }

    /// Whether a person is likely to be reading.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Width of the terminal in columns; nil if it is not a terminal.
    package var columns: Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Number of bytes that can be written without waiting for the reader; unlimited for streams
    /// without one, such as a file.
    var room: Int {
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return .max }
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&wait, 1, 0) == 1 else { return 0 }
        // A pipe that is ready has room for this many bytes. Writing fails if the reader is gone.
        return wait.revents == Int16(POLLOUT) ? Self.pipeBytes : .max
    }

    /// PIPE_BUF: the number of bytes that a pipe accepts atomically.
    private static let pipeBytes = 4_096

    /// Writes all of the text.
    ///
    /// If a write fails, the rest is dropped. Returns whether everything was written. For standard
    /// output ``lostOutput`` records the failure, and `Program.main` turns it into the exit code.
    @discardableResult
    package func write(_ text: String) -> Bool {
        var copy = text
        return copy.withUTF8 { write(bytes: $0) }
    }

    /// Writes all of the bytes, with the same result.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBufferPointer(write(bytes:)) }

    @discardableResult
    func write(bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var rest = UnsafeRawBufferPointer(bytes)
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EAGAIN {
                // The stream is shared with a process that made it non-blocking.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
            } else if errno != EINTR {
                if descriptor == STDOUT_FILENO {
                    _ = Self.failure.compareExchange(
                        expected: 0, desired: errno, ordering: .relaxed)
                }
                return false
            }
        }
        return true
    }

    /// Ends the process with an exit code.
    package static func exit(_ code: Int32) -> Never {
        Glibc.exit(code)
    }
}

extension Terminal {
    /// Occupies the descriptors of standard streams that the process was started without. Otherwise
    /// a connection could get a standard stream's number and receive results.
    ///
    /// They are opened on /dev/null in the opposite direction, so that writing results fails
    /// (EBADF) instead of losing them. Child processes inherit this.
    ///
    /// - Returns: The reason for a failure; nil if all three descriptors are occupied.
    static func takeStandardDescriptors() -> String? {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number.
            let mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY
            guard open("/dev/null", mode) == descriptor else {
                return "/dev/null: \(String(cString: strerror(errno)))"
            }
        }
        return nil
    }
}

extension Log {
    /// Creates a log on standard error: text if that is a terminal, else JSON.
    package init(level: LogLevel) {
        self.init(level: level, to: .standardError)
    }

    /// Creates a log on a stream: text if that is a terminal, else JSON.
    package init(level: LogLevel, to stream: Terminal) {
        self.init(
            level: level, format: stream.isTerminal ? .text : .json, clock: .system,
            room: { stream.room }
        ) { line in
            line.withUnsafeBufferPointer { _ = stream.write(bytes: $0) }
        }
    }
}
