/// Rules about what no migration file may contain. Every file is checked against all of them before
/// any statement runs.
package enum RefusalRule: String, Sendable, CaseIterable {
    case nulByte = "nul-byte"
    case notUTF8 = "not-utf-8"
    case utf16 = "utf-16"
    /// A quote or comment that never ends.
    case unclosed = "unclosed"
    case syntax = "syntax"
    /// A `-- hearth:` comment that is not a known directive.
    case unknownDirective = "unknown-directive"
    /// A `-- hearth:` comment that must come before the first statement and does not.
    case lateDirective = "late-directive"
    case backslashCommand = "backslash-command"
    case copyFromStdin = "copy-from-stdin"
    /// BEGIN, COMMIT and the like, because the runner controls transactions.
    case transactionControl = "transaction-control"
    /// A statement that PostgreSQL refuses in a transaction, in a file that runs in one.
    case needsNoTransaction = "needs-no-transaction"
    case unnamedIndex = "unnamed-index"
    case temporaryObject = "temporary-object"
    /// A statement that would release the runner's advisory lock.
    case freesTheLock = "frees-the-lock"
    /// A setting with which the server would read the rest of the file differently from how it was
    /// checked.
    case changesQuoting = "changes-quoting"
    case changesEncoding = "changes-encoding"
    /// A marker of another migration tool that is not honoured here.
    case otherTool = "other-tool"
    /// A statement that a repeatable file may not contain.
    case notRepeatable = "not-repeatable"

    /// Returns the problem with the subject, and what to do instead.
    package func message(about subject: String) -> String {
        switch self {
        case .nulByte: "a NUL byte, which PostgreSQL can't store"
        case .notUTF8: "bytes that aren't UTF-8; save the file as UTF-8"
        case .utf16: "text in UTF-16; save the file as UTF-8"
        case .unclosed: "\(subject) is opened here but never closed"
        case .syntax, .otherTool, .notRepeatable: subject
        case .unknownDirective:
            "-- hearth: \(subject) is unknown; known are `no-transaction`, `allow RULE: reason` "
                + "and, in repeatable files, `after FILE`"
        case .lateDirective:
            "-- hearth: \(subject) must come before the first statement"
        case .backslashCommand:
            "\(subject) is a psql command, which is not supported; write it in SQL"
        case .copyFromStdin:
            "COPY FROM STDIN and TO STDOUT exchange data with psql; use INSERT, or a file of the "
                + "server"
        case .transactionControl:
            "\(subject): the runner begins and ends transactions itself; delete it"
        case .needsNoTransaction:
            "\(subject) can't run in a transaction; put it in a file of its own that begins with "
                + "`-- hearth: no-transaction`"
        case .unnamedIndex:
            "name the index, so that a run can find it again after an interruption"
        case .temporaryObject:
            "a temporary object is gone when an interrupted run continues; delete it"
        case .freesTheLock:
            "\(subject) releases the lock that keeps other runners away; delete it"
        case .changesQuoting:
            "\(subject) changes what quotes mean; write E'' strings instead"
        case .changesEncoding:
            "\(subject) changes how later statements are read; the file is UTF-8 (COPY has an "
                + "option ENCODING)"
        }
    }
}

/// A rule that a file breaks, with the position.
package struct RefusedStatement: Sendable, Equatable {
    /// The rule that is broken.
    package let rule: RefusalRule
    /// The file's name.
    package let file: String
    /// The line, from 1.
    package let line: Int
    /// The subject in the message.
    package let subject: String

    /// Creates a refusal.
    package init(_ rule: RefusalRule, file: String, line: Int, subject: String = "") {
        self.rule = rule
        self.file = file
        self.line = line
        self.subject = subject
    }
}

extension RefusedStatement: CustomStringConvertible {
    /// The refusal in the format of compilers: `0001_a.sql:3: what is wrong [rule]`.
    package var description: String {
        "\(file):\(line): \(rule.message(about: subject)) [\(rule.rawValue)]"
    }
}
