import CLinux

extension Log {
    /// Logs what C libraries print to the standard error from now on, until the process ends.
    ///
    /// libpq prints warnings that a server sends at the start of a session, and its own about the
    /// file of passwords: bare lines among those of the log. Each becomes a warning. Called once, by
    /// a service, before it starts threads; what writes to the descriptor itself, as Swift does when
    /// it ends a process for a mistake of ours, is not held up.
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

    /// What the stream keeps for as long as the process runs.
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
