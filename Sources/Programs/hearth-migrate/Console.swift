import Migrations
import CommandLine
import Synchronization

/// Shows a run's events to a person or a log.
///
/// Results go to standard output, one per line. On a terminal, the last line on standard error
/// shows the progress; the next one overwrites it.
final class Console: Sendable {
    private let isTerminal = Terminal.standardError.isTerminal
    /// Text of the last line on the terminal; empty if there is none.
    private let lastLine = Mutex("")

    /// Seconds between two reports on a running statement.
    var reportSeconds: Double { isTerminal ? 0.5 : 10 }

    /// Prints a result.
    func result(_ line: String) {
        clearLastLine()
        Terminal.standardOutput.write(line + "\n")
    }

    /// Prints a message that is not a result.
    func remark(_ line: String) {
        clearLastLine()
        Terminal.standardError.write(line + "\n")
    }

    /// Shows an event of a run.
    func show(_ event: RunEvent) {
        switch event {
        case .waitingForDatabase(let reason, let seconds):
            remark("waiting up to \(Int(seconds.rounded())) s for the database: \(reason)")
        case .waitingForLock(let holder, let seconds):
            remark("waiting up to \(Int(seconds.rounded())) s for another runner: \(holder)")
        case .begins(let file, let number, let count):
            progress("[\(number)/\(count)] \(file)")
        case .statement(let file, let line, let number, let count):
            progress("\(file):\(line) (statement \(number) of \(count))")
        case .resumed(let file, let line, let finding):
            remark("\(file):\(line): \(finding)")
        case .applied(let file, let milliseconds):
            result("\(file)  applied in \(Console.words(milliseconds))")
        case .retries(let file, let attempt, let count, let pause, let blockers):
            let holders =
                blockers.isEmpty ? "" : "; held by " + blockers.joined(separator: "; held by ")
            remark(
                "\(file): a lock was not available\(holders)\n"
                    + "  retry \(attempt) of \(count) in \(Console.words(pause * 1000))")
        case .stillRunning(let label, let seconds, let state, let blockers):
            stillRunning(label, seconds, state, blockers)
        case .warning(let text): remark("warning: \(text)")
        case .notice(let file, let severity, let message):
            remark("\(file): \(severity): \(message)")
        }
    }

    /// Clears the last line.
    func clearLastLine() {
        lastLine.withLock { line in
            if !line.isEmpty { Terminal.standardError.write("\r\u{1B}[K") }
            line = ""
        }
    }

    private func stillRunning(
        _ label: String, _ seconds: Double, _ state: String?, _ blockers: [String]
    ) {
        let detail = state.map { ", \($0)" } ?? ""
        let waits = blockers.first.map { ", waits for \($0)" } ?? ""
        let line = "\(label)  \(Int(seconds)) s\(detail)\(waits)"
        if isTerminal { progress(line) } else { remark(line) }
    }

    private func progress(_ text: String) {
        guard isTerminal else { return }
        let columns = Terminal.standardError.columns ?? 80
        let line = String(text.prefix(max(10, columns - 1)))
        lastLine.withLock { shown in
            Terminal.standardError.write("\r\(line)\u{1B}[K")
            shown = line
        }
    }

    static func words(_ milliseconds: Double) -> String {
        if milliseconds < 10 { return "\((milliseconds * 10).rounded() / 10) ms" }
        if milliseconds < 1000 { return "\(Int(milliseconds.rounded())) ms" }
        return "\((milliseconds / 100).rounded() / 10) s"
    }
}
