import Configuration
import Glibc

/// A question to the person at the terminal, before something is done that can't be undone.
package enum Question {
    /// Whether to continue: because `isAnswered` (a flag such as `--yes` was given), or because the
    /// person types `y`. The question goes to standard error.
    ///
    /// - Throws: ``UsageError`` if there is no terminal to ask on.
    package static func allows(
        _ question: String, isAnswered: Bool
    ) throws(UsageError) -> Bool {
        if isAnswered { return true }
        guard isatty(STDIN_FILENO) == 1, Terminal.standardError.isTerminal else {
            throw UsageError(
                "nothing was changed: there is no terminal to ask on",
                details: ["Pass --yes to do it without being asked."])
        }
        Terminal.standardError.write("\(question.printable) [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased())
    }
}
