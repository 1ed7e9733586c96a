import Postgres

/// A failure of upkeep, with the kind of object.
package struct UpkeepError: Error, CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind of object that was being changed or removed.
    package let object: ExpireAndPurge.Object
    /// The database's or the connection's error.
    package let underlying: any Error

    package var description: String { "\(object.rawValue): \(underlying)" }
    package var debugDescription: String {
        "\(object.rawValue): \(String(reflecting: underlying))"
    }

    /// Whether the database can't be reached at all.
    var isUnreachable: Bool {
        switch (underlying as? PostgresError)?.code {
        case .connectionFailed, .connectionLost, .poolExhausted, .poolClosed: true
        default: false
        }
    }
}
