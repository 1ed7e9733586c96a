package import Telemetry

extension Log {
    /// A log to the standard error: text when that is a terminal, else JSON.
    package init(level: LogLevel) {
        let stream = Terminal.standardError
        self.init(level: level, format: stream.isTerminal ? .text : .json, clock: .system) { line in
            line.withUnsafeBufferPointer { _ = stream.write(bytes: $0) }
        }
    }
}
