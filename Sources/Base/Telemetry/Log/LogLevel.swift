/// How much a line of the log matters.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    /// Details for examining a single request.
    case debug
    /// Normal operation.
    case info
    /// Something is wrong that the service copes with.
    case warning
    /// A failure that an operator should look at.
    case error

    /// By how much they matter.
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
