import Configuration
import Glibc
import Synchronization
package import Telemetry

/// One of the process's standard streams, written without buffers.
package struct Terminal: Sendable {
    /// Where results go.
    package static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    /// Where everything that is not a result goes.
    package static let standardError = Terminal(descriptor: STDERR_FILENO)

    let descriptor: Int32

    /// The first failure to write a result, as an errno; 0 while there was none.
    private static let failure = Atomic<Int32>(0)

    /// Why something of the results got lost; nil when nothing did.
    package static var lostOutput: String? {
        let number = failure.load(ordering: .relaxed)
        return number == 0 ? nil : String(cString: strerror(number))
    }

    /// Whether a person is likely to be reading.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The columns of the terminal, or nil if it is none.
    package var columns: Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// The number of bytes that a reader takes without a wait; all where there is none, such as
    /// with a file.
    var room: Int {
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return .max }
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&wait, 1, 0) == 1 else { return 0 }
        // A pipe that is ready has so much room. A reader that has gone makes the write fail.
        return wait.revents == Int16(POLLOUT) ? Self.pipeBytes : .max
    }

    /// PIPE_BUF: what is written to a pipe at once and whole.
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

    /// Writes all of the bytes, as the text.
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
                // The stream is shared with someone who made it non-blocking.
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
    /// a connection could get the number of a standard stream and receive results.
    ///
    /// They are opened on /dev/null in the opposite direction, so that writing results fails
    /// (EBADF) instead of losing them. Child processes inherit this.
    ///
    /// - Returns: Why it can't be done; nil when all three numbers are taken.
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
    /// A log to the standard error: text when that is a terminal, else JSON.
    package init(level: LogLevel) {
        self.init(level: level, to: .standardError)
    }

    /// A log to a stream: text when that is a terminal, else JSON.
    package init(level: LogLevel, to stream: Terminal) {
        self.init(
            level: level, format: stream.isTerminal ? .text : .json, clock: .system,
            room: { stream.room }
        ) { line in
            line.withUnsafeBufferPointer { _ = stream.write(bytes: $0) }
        }
    }
}
