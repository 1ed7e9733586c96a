import Postgres

/// Upkeep that failed, with what it was busy with.
package struct UpkeepError: Error, CustomStringConvertible, CustomDebugStringConvertible {
    /// What was to be changed or removed.
    package let object: ExpireAndPurge.Object
    /// What the database, or the way to it, had to say.
    package let underlying: any Error

    package var description: String { "\(object.rawValue): \(underlying)" }
    package var debugDescription: String {
        "\(object.rawValue): \(String(reflecting: underlying))"
    }

    /// Whether there is no database to be had at the moment, for anything.
    var isUnreachable: Bool {
        switch (underlying as? PostgresError)?.code {
        case .connectionFailed, .connectionLost, .poolExhausted, .poolClosed: true
        default: false
        }
    }
}
