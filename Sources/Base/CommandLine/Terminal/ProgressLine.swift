import Configuration

/// A line on standard error that shows the progress of long work.
///
/// On a terminal the line is overwritten and finally erased; elsewhere nothing is written.
package final class ProgressLine {
    private let terminal: Terminal
    private let isShown: Bool
    private var hasText = false

    /// Creates a line that shows nothing yet.
    package convenience init(_ terminal: Terminal = .standardError) {
        self.init(terminal, isShown: terminal.isTerminal)
    }

    private init(_ terminal: Terminal, isShown: Bool) {
        self.terminal = terminal
        self.isShown = isShown
    }

    /// A line that never shows anything.
    package static var silent: ProgressLine { ProgressLine(.standardError, isShown: false) }

    /// Replaces the shown text.
    package func show(_ text: String) {
        guard isShown else { return }
        let room = max(10, (terminal.columns ?? 80) - 1)
        terminal.write("\r\(text.printable.cut(toColumns: room))\u{1B}[K")
        hasText = true
    }

    /// Erases the line.
    package func clear() {
        if hasText { terminal.write("\r\u{1B}[K") }
        hasText = false
    }
}
