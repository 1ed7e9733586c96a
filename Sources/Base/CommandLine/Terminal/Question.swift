import Configuration
import Glibc

/// A question to the person at the terminal before something irreversible is done.
package enum Question {
    /// Returns true if `isAnswered` (a flag such as `--yes` was given), or if the person types `y`.
    /// The question goes to standard error.
    ///
    /// - Throws: ``UsageError`` if there is no terminal to ask on.
    package static func allows(
        _ question: String, isAnswered: Bool
    ) throws(UsageError) -> Bool {
        if isAnswered { return true }
        guard isatty(STDIN_FILENO) == 1, Terminal.standardError.isTerminal else {
            throw UsageError(
                "nothing was changed: there is no terminal for a confirmation",
                details: ["Pass --yes to skip the confirmation."])
        }
        Terminal.standardError.write("\(question.printable) [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased())
    }
}
