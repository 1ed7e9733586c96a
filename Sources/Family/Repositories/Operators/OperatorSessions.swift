package import Domain
package import Postgres

/// The statements that begin an operator's transaction. Without one, every change is refused.
package enum OperatorSessions {
    /// Sets the operator's name for the audit log.
    package static let begin = Statement<NoRow, String>("SELECT FROM app.begin_operation($1)")
    /// Checks the role of the operator of a session of the console, and sets the name. Parameters:
    /// hash of the session's token, the lowest role that the operation allows, whether the role is
    /// locked until the end.
    package static let beginInConsole = Statement<NoRow, PostgresBytes, OperatorRole, Bool>(
        "SELECT FROM app.begin_console_operation($1, $2, $3)")
}

/// The operator in whose name transactions are made.
package enum OperatorIdentity: Sendable {
    /// An operator at the command line, who is trusted with the name.
    case named(String)
    /// The operator of a session of the console: hash of the session's token, the lowest role that
    /// the change allows, and the operator's name. Each transaction checks the role again.
    case ofSession(PostgresBytes, atLeast: OperatorRole, name: String)

    /// The operator's name, without the `operator:` that precedes it in the audit log.
    package var name: String {
        switch self {
        case .named(let name), .ofSession(_, _, let name): name
        }
    }

    /// Adds the statement that begins a transaction in the operator's name.
    ///
    /// - Parameter locks: Whether to lock the operator's role until the transaction ends; ignored
    ///   for what a viewer may do.
    package func begin(_ batch: inout Batch, locks: Bool) {
        switch self {
        case .named(let name): batch.add(OperatorSessions.begin, name)
        case .ofSession(let hash, let role, _):
            batch.add(
                OperatorSessions.beginInConsole, hash, role, locks && role != .viewer)
        }
    }
}

/// An entry of the audit log with its family and its request.
package struct AdminAuditEntry: RowDecodable, Sendable {
    /// The family; nil if none is concerned.
    package let family: FamilyID?
    package let entry: AuditEntry
    /// Id of the request that made the change; nil for a change without a request.
    package let requestID: String?

    package static let row = RowDecoder(Self.init)
}

/// An entry of the audit log with the current names of the people and the family concerned.
package struct NamedAuditEntry: RowDecodable, Sendable {
    package let entry: AdminAuditEntry
    /// Names of the person who acted, of the person concerned and of the family; nil if there is
    /// none, or if it was erased.
    package let actorName, subjectName, familyName: String?

    package static let row = RowDecoder(Self.init)
}
