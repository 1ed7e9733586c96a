import CLinux

extension Log {
    /// Logs what C libraries print to the standard error from now on, until the process ends.
    ///
    /// libpq prints the server's warnings at the start of a session, and its own about the password
    /// file, as bare lines. Each becomes a warning in the log. A service calls this once, before it
    /// starts threads. Output that goes directly to the descriptor, such as Swift's message for a
    /// fatal error, is not affected.
    package func takeLibraryOutput() {
        let box = Unmanaged.passRetained(Box(log: self))
        let code = clinux_take_standard_error(
            { context, bytes, count in
                guard let context, let bytes else { return count }
                let box = Unmanaged<Box>.fromOpaque(context).takeUnretainedValue()
                let text = UnsafeRawBufferPointer(start: bytes, count: count)
                box.note(String(decoding: text, as: UTF8.self))
                return count
            }, box.toOpaque())
        guard code != 0 else { return }
        box.release()
        error("no memory to log what libraries print")
    }

    /// State that the stream keeps for the life of the process.
    private final class Box: Sendable {
        private let log: Log
        init(log: Log) { self.log = log }

        func note(_ text: String) {
            var lines = text[...]
            while let last = lines.last, last.isNewline { lines.removeLast() }
            if !lines.isEmpty { log.warning("a library reports", [.libraryText(String(lines))]) }
        }
    }
}
