import Foundation
import Glibc
import TestSupport

/// A terminal of the given width, with a program running in it. For use by one thread.
final class PseudoTerminal {
    /// TIOCSPTLCK and TIOCGPTN of Linux (ioctl_tty(2)), which are macros that Swift can't import.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    private let master: Int32
    private let process: Subprocess
    /// The output and echoed input so far.
    private(set) var shown = ""

    init(
        _ program: String, _ words: [String], columns: UInt16 = 80, environment: [String: String]
    ) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, ioctl(master, Self.setLock, &isLocked) == 0,
            ioctl(master, Self.getNumber, &number) == 0
        else { throw NoTerminal() }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw NoTerminal() }
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(slave, UInt(TIOCSWINSZ), &size) == 0 else { throw NoTerminal() }
        let handle = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        process = try Subprocess(
            programPath(program), words, environment: programEnvironment(environment),
            input: .file(handle), output: .file(handle), errors: .file(handle))
        // The parent's copy must be closed, or the terminal would not end together with the
        // program.
        try handle.close()
    }

    deinit { close(master) }

    /// Waits until a text appears.
    func waits(for text: String) throws {
        while !shown.contains(text) {
            guard try readMore() else { throw NoTerminal(shown) }
        }
    }

    /// Types a line.
    func type(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        guard write(master, bytes, bytes.count) == bytes.count else { throw NoTerminal(shown) }
    }

    /// Waits for the program's end; returns its exit code and the output's lines.
    func ends() throws -> (code: Int32, lines: [String]) {
        while try readMore() {}
        try process.wait()
        let lines = shown.split(separator: "\r\n", omittingEmptySubsequences: false)
        return (process.exitCode, lines.map(String.init))
    }

    /// Reads more output; returns false at the end.
    private func readMore() throws -> Bool {
        var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 30_000) == 1 else { throw TimedOut() }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(master, &bytes, bytes.count)
        // Linux returns EIO once the last program has closed the other side.
        guard count > 0 else { return false }
        shown += String(decoding: bytes.prefix(count), as: UTF8.self)
        return true
    }
}

/// Error: no terminal is available, or the expected text did not appear on it.
struct NoTerminal: Error {
    let shown: String

    init(_ shown: String = "") { self.shown = shown }
}
