import CLinux
import Configuration
import Glibc
import Synchronization
package import Basics

/// The log: one line per event, written by any thread.
///
/// Messages are literals in the source, and fields come from a closed set (see `LogField`). A line
/// below the level costs only a comparison, because its fields are not created. Lines of several
/// threads are never mixed. A line that is logged while another thread is writing is written by
/// that thread a moment later.
///
/// Nothing waits for the log's reader: for a slow one a mebibyte is buffered, and further lines are
/// dropped and counted. If the reader is gone, lines are dropped as well.
package struct Log: Sendable {
    /// The format of lines.
    package enum Format: Sendable, Equatable {
        /// One JSON object per line, for programs.
        case json
        /// Text for a person at a terminal.
        case text
    }

    /// The lowest level that is written.
    package let level: LogLevel
    private let sink: Sink

    /// Creates a log that passes one or more lines at a time, with their line ends, to `write`, one
    /// call at a time.
    ///
    /// - Parameter room: Returns the number of bytes that `write` accepts now without waiting.
    package init(
        level: LogLevel, format: Format, clock: WallClock = .system,
        room: @escaping @Sendable () -> Int = { .max },
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.level = level
        self.sink = Sink(format: format, clock: clock, room: room, write: write)
    }

    /// Logs details for examining a single request.
    package func debug(_ message: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        write(.debug, message, fields)
    }

    /// Logs normal operation.
    package func info(_ message: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        write(.info, message, fields)
    }

    /// Logs normal operation; `write` adds the fields one by one. Used for lines logged on every
    /// request.
    package func info(_ message: StaticString, writing write: (inout LogLine) -> Void) {
        guard LogLevel.info >= level else { return }
        sink.write(.info, message, write)
    }

    /// Logs a problem that the service copes with.
    package func warning(_ message: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        write(.warning, message, fields)
    }

    /// Logs a failure that an operator should look at.
    package func error(_ message: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        write(.error, message, fields)
    }

    /// Waits until everything logged so far has been written, for at most the given seconds. Called
    /// before the process ends.
    package func flush(withinSeconds seconds: Double = 2) {
        sink.queue.flush(.after(seconds: seconds))
    }

    /// Declares the metric of dropped lines.
    package func declareMetric(in metrics: Metrics) {
        let queue = sink.queue
        metrics.sampledCounter(
            "hearth_log_lines_dropped_total",
            "Log lines dropped because the reader was too slow."
        ) { Double(queue.dropped) }
    }

    private func write(_ level: LogLevel, _ message: StaticString, _ fields: () -> [LogField]) {
        guard level >= self.level else { return }
        sink.write(level, message) { line in
            for field in fields() { line.add(field) }
        }
    }

    /// Formats lines and queues them for writing.
    private final class Sink: Sendable {
        private let format: Format
        private let clock: WallClock
        let queue: LineQueue

        init(
            format: Format, clock: WallClock, room: @escaping @Sendable () -> Int,
            write: @escaping @Sendable ([UInt8]) -> Void
        ) {
            self.format = format
            self.clock = clock
            queue = LineQueue(room: room, write: write) { count in
                withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1_024) { memory in
                    var line = LogLine(
                        in: memory, format, clock.now(), .warning, "log lines were dropped")
                    line.add(.count(count))
                    line.end()
                    var bytes: [UInt8] = []
                    line.withBytes { bytes = Array($0) }
                    return bytes
                }
            }
        }

        func write(
            _ level: LogLevel, _ message: StaticString, _ fields: (inout LogLine) -> Void
        ) {
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1_024) { memory in
                var line = LogLine(in: memory, format, clock.now(), level, message)
                fields(&line)
                line.end()
                line.withBytes { queue.add($0) }
            }
        }
    }
}

/// Importance of a log line.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    /// Details for examining a single request.
    case debug
    /// Normal operation.
    case info
    /// A problem that the service copes with.
    case warning
    /// A failure that an operator should look at.
    case error

    /// Compares by importance.
    package static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }

    var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}

/// Queue of lines for a log's reader.
///
/// A thread writes if no other thread is writing and the reader has room. Otherwise it leaves its
/// line to the writing thread and continues. If threads waited for each other instead, each would
/// have to be woken when its turn came, which takes longer than the write. While the reader has no
/// room, a separate thread waits for it. Lines that don't fit into the queue are dropped.
final class LineQueue: Sendable {
    private struct State {
        var lines: [UInt8] = []
        /// Buffer of written lines, reused for the next ones.
        var spare: [UInt8] = []
        var isWriting = false
        /// Number of dropped lines, and how many of them the log has reported.
        var dropped = 0
        var reportedDropped = 0
    }

    /// Maximum size of a reused buffer; larger ones are freed.
    private static let spareBytes = 1 << 16
    /// Maximum backlog for a slow reader.
    private static let limitBytes = 1 << 20

    private let state = Monitor(State())
    private let room: @Sendable () -> Int
    private let write: @Sendable ([UInt8]) -> Void
    private let droppedNotice: @Sendable (Int) -> [UInt8]

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - room: Returns the number of bytes that the reader accepts now without waiting.
    ///   - write: Writes lines, one call at a time; it may wait for the reader.
    ///   - droppedNotice: Returns the line that reports the number of dropped lines.
    init(
        room: @escaping @Sendable () -> Int, write: @escaping @Sendable ([UInt8]) -> Void,
        droppedNotice: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.room = room
        self.write = write
        self.droppedNotice = droppedNotice
    }

    /// Number of dropped lines.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Adds a line without ever waiting for the reader. On return the line has been written, is
    /// about to be written by another thread, or was dropped.
    func add(_ line: UnsafeBufferPointer<UInt8>) {
        let isWriter = state.withLock { state in
            guard state.lines.count + line.count <= Self.limitBytes else {
                state.dropped += 1
                return false
            }
            state.lines.append(contentsOf: line)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isWriter { writeAvailable() }
    }

    /// Waits until every line that was added before has been written, or until the deadline.
    func flush(_ deadline: Deadline) {
        _ = state.wait { ($0.isWriting ? nil : true, deadline) }
    }

    /// Writes as long as the reader has room, and leaves the rest to a thread that can wait.
    private func writeAvailable() {
        while let lines = next() {
            var rest = lines[...]
            while !rest.isEmpty {
                let part = rest.prefix(Self.whole(rest, within: room()))
                if part.isEmpty { return deferWriting(rest) }
                write(part.count == lines.count ? lines : Array(part))
                rest = rest.dropFirst(part.count)
            }
            recycle(lines)
        }
    }

    /// Returns the number of bytes to write at once: whole lines, if at least one fits.
    private static func whole(_ lines: ArraySlice<UInt8>, within room: Int) -> Int {
        if lines.count <= room { return lines.count }
        let end = lines.prefix(room).lastIndex(of: UInt8(ascii: "\n"))
        return end.map { $0 + 1 - lines.startIndex } ?? room
    }

    /// Leaves lines, and all that are added meanwhile, to a new thread.
    private func deferWriting(_ lines: ArraySlice<UInt8>) {
        let isStarted = SystemThread.startDetached { [self] in
            write(Array(lines))
            while let lines = next() {
                write(lines)
                recycle(lines)
            }
        }
        if isStarted { return }
        // Without a thread, the next caller that adds a line writes these first.
        state.update { state in
            state.lines = Array(lines) + state.lines
            state.isWriting = false
            return true
        }
    }

    /// Takes the lines to write next; nil if there are none, which ends the writing.
    private func next() -> [UInt8]? {
        var lines: [UInt8] = []
        var newlyDropped = 0
        state.update { state in
            swap(&lines, &state.lines)
            swap(&state.lines, &state.spare)
            if lines.isEmpty {
                newlyDropped = state.dropped - state.reportedDropped
                state.reportedDropped = state.dropped
            }
            state.isWriting = !lines.isEmpty || newlyDropped > 0
            return !state.isWriting
        }
        if newlyDropped > 0 { return droppedNotice(newlyDropped) }
        return lines.isEmpty ? nil : lines
    }

    /// Keeps the buffer of written lines for reuse.
    private func recycle(_ lines: consuming [UInt8]) {
        var lines = lines
        lines.removeAll(keepingCapacity: lines.capacity <= Self.spareBytes)
        state.withLock { swap(&$0.spare, &lines) }
    }
}

/// Id of a request: the caller's own if it is harmless, otherwise a new one.
package struct RequestID: Sendable, Hashable, CustomStringConvertible {
    /// Representation of the id. An id that Hearth created stays a number, so that no string is
    /// created only to be written.
    private enum Form: Sendable, Hashable {
        case number(UInt64)
        case external(String)
    }

    private let form: Form

    /// Accepts an id of up to 40 letters, digits, `-`, `_` and `.`, as in a UUID or a trace id; too
    /// short for a token of 32 random bytes. Nil for any other text, including a shared code.
    package init?(_ text: String) {
        guard (1...40).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPlain),
            !Redaction.containsSharedCode(text.utf8)
        else { return nil }
        form = .external(text)
    }

    /// Creates an id of 16 hexadecimal digits, which is unique in this process and almost certainly
    /// among all processes. It can be guessed, but it only names a request and grants no access.
    package static func fresh() -> RequestID {
        RequestID(number: RequestNumber.next())
    }

    /// The id as it is sent and logged.
    package var description: String {
        switch form {
        case .number(let number): Hexadecimal.text(number)
        case .external(let text): text
        }
    }

    private init(number: UInt64) { form = .number(number) }

    /// The id as the value of a log field.
    var logged: LogField.Value {
        switch form {
        case .number(let number): .hexadecimal(number)
        case .external(let text): .text(text)
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}

/// Generator of unique numbers: counts up from a random start, and mixes the bits so that
/// consecutive numbers look different.
private enum RequestNumber {
    private static let counts = StripedCounts(1)
    private static let start = UInt64.random(in: .min ... .max)

    static func next() -> UInt64 {
        // SplitMix64 (Steele, Lea, Flood 2014): a bijection, so different counts stay different.
        var value = start &+ counts.unique() &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// The trace that a request belongs to, from the header `traceparent` (W3C Trace Context 1).
package struct TraceContext: Sendable, Hashable {
    /// The trace's id; never 0.
    package let trace: UInt128
    /// The caller's span; never 0.
    package let parent: UInt64
    /// Whether the caller records the trace.
    package let isSampled: Bool

    /// Parses `00-<32 digits>-<16 digits>-<2 digits>` in lower-case hexadecimal; nil for a header
    /// that the standard says to ignore. Later versions may add more after another dash.
    package init?(traceparent: String) {
        let bytes = Array(traceparent.utf8)
        guard bytes.count == 55 || (bytes.count > 55 && bytes[55] == 0x2D),
            bytes[2] == 0x2D, bytes[35] == 0x2D, bytes[52] == 0x2D,
            let version = Hexadecimal.value(bytes[0..<2]), version != 0xFF,
            version != 0 || bytes.count == 55,
            let trace = Hexadecimal.value(bytes[3..<35]), trace != 0,
            let parent = Hexadecimal.value(bytes[36..<52]), parent != 0,
            let flags = Hexadecimal.value(bytes[53..<55])
        else { return nil }
        isSampled = flags & 1 == 1
        self.trace = trace
        self.parent = UInt64(truncatingIfNeeded: parent)
    }

    /// Creates the context of a request or a job that this process traces.
    package init(_ recording: TraceRecording) {
        trace = recording.trace
        parent = recording.root
        isSampled = true
    }

    /// The context as the parent of a span.
    package var spanParent: SpanParent {
        SpanParent(trace: trace, span: parent, isSampled: isSampled)
    }

    var traceText: String {
        Hexadecimal.text(UInt64(truncatingIfNeeded: trace >> 64))
            + Hexadecimal.text(UInt64(truncatingIfNeeded: trace))
    }
}

/// A clock for the time of day; tests use their own.
package struct WallClock: Sendable {
    /// Returns milliseconds since 1970-01-01 UTC.
    package let now: @Sendable () -> Int

    /// Creates a clock that returns the result of `now`.
    package init(now: @escaping @Sendable () -> Int) {
        self.now = now
    }

    /// The system's clock.
    package static let system = WallClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

/// A date and time in UTC, by the proleptic Gregorian calendar.
struct CivilTime: Equatable {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int
    let millisecond: Int

    /// Creates the time that is this many milliseconds after the beginning of 1970. Days are
    /// counted in eras of 400 years that begin on 1 March, so that the leap day comes last.
    init(millisecondsSince1970 milliseconds: Int) {
        let (days, rest) = Self.divide(milliseconds, by: 86_400_000)
        hour = rest / 3_600_000
        minute = rest / 60_000 % 60
        second = rest / 1000 % 60
        millisecond = rest % 1000
        let (era, dayOfEra) = Self.divide(days + 719_468, by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Divides, rounding down, with a remainder that is never negative.
    private static func divide(_ value: Int, by divisor: Int) -> (Int, Int) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Log {
    /// Logs everything that C libraries print to standard error from now on, until the process
    /// ends.
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
                box.logOutput(String(decoding: text, as: UTF8.self))
                return count
            }, box.toOpaque())
        guard code != 0 else { return }
        box.release()
        error("could not capture standard error: output of libraries is not logged")
    }

    /// State that the stream keeps for the lifetime of the process.
    private final class Box: Sendable {
        private let log: Log
        init(log: Log) { self.log = log }

        func logOutput(_ text: String) {
            guard let end = text.lastIndex(where: { !$0.isNewline }) else { return }
            log.warning("a library wrote to standard error", [.libraryText(String(text[...end]))])
        }
    }
}
