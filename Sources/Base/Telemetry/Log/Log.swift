/// The log: one line per event, written by any thread.
///
/// Messages are literals of the source, and fields come from a closed set (see `LogField`). A line
/// below the level costs only a comparison; its fields are not made. Lines of several threads are
/// never mixed. A line that is logged while another thread is writing is written by that thread, a
/// moment later. For a slow reader one mebibyte is buffered; then logging waits. If the reader is
/// gone, lines are dropped.
package struct Log: Sendable {
    /// The format of lines.
    package enum Format: Sendable, Equatable {
        /// One JSON object a line, for programs.
        case json
        /// For a person at a terminal.
        case text
    }

    /// The least level that is written.
    package let level: LogLevel
    private let sink: Sink

    /// A log that gives its lines, one or more with their line breaks, to `write`, one call at a
    /// time.
    package init(
        level: LogLevel, format: Format, clock: WallClock = .system,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.level = level
        self.sink = Sink(format: format, clock: clock, write: write)
    }

    /// Details for examining a single request.
    package func debug(_ message: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        write(.debug, message, fields)
    }

    /// Normal operation.
    package func info(_ message: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        write(.info, message, fields)
    }

    /// Something is wrong that the service copes with.
    package func warning(_ message: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        write(.warning, message, fields)
    }

    /// A failure that an operator should look at.
    package func error(_ message: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        write(.error, message, fields)
    }

    /// Waits until all that was logged has been written: before the process ends.
    package func flush() { sink.queue.flush() }

    private func write(_ level: LogLevel, _ message: StaticString, _ fields: () -> [LogField]) {
        guard level >= self.level else { return }
        sink.write(level, message, fields())
    }

    /// Makes lines and sends them on their way.
    private final class Sink: Sendable {
        private let format: Format
        private let clock: WallClock
        let queue: LineQueue

        init(
            format: Format, clock: WallClock, write: @escaping @Sendable ([UInt8]) -> Void
        ) {
            self.format = format
            self.clock = clock
            queue = LineQueue(write: write)
        }

        func write(_ level: LogLevel, _ message: StaticString, _ fields: [LogField]) {
            var line = LogLine(capacity: 256)
            switch format {
            case .json: line.json(clock.now(), level, message, fields)
            case .text: line.text(clock.now(), level, message, fields)
            }
            queue.add(line.bytes)
        }
    }
}
