import Foundation
import Postgres
import Synchronization
import TestSupport

extension House {
    /// Runs two transactions in two sessions. `early` takes its lock first and commits only once
    /// `late` waits for it.
    ///
    /// - Parameter begin: Runs its argument in a transaction, and commits.
    /// - Returns: The refusal of `late`; nil if it succeeded.
    func race(
        _ begin: ((Transaction) throws -> Void) throws -> Void,
        early: @escaping (Transaction) throws -> Void, late: @escaping @Sendable () throws -> Void
    ) throws -> String? {
        let observer = try superuser()
        let hasEnded = Flag()
        var waiting: BackgroundWork<String?>?
        try begin { transaction in
            try early(transaction)
            let holder: Int32 = try transaction.query("SELECT pg_backend_pid()").scalar()
            waiting = inBackground {
                defer { hasEnded.set() }
                return try refusal(late)
            }
            try eventually {
                let blocked: Int = try observer.query(
                    """
                    SELECT count(*) FROM pg_stat_activity AS a
                    WHERE \(holder) = ANY (pg_blocking_pids(a.pid))
                    """
                ).scalar()
                return blocked > 0 || hasEnded.isSet
            }
        }
        return try waiting?.wait()
    }

    /// Whether no session holds a lock on the row with this id.
    func isFree(_ table: String, _ id: UInt128, by column: String = "id") throws -> Bool {
        try superuser().query(
            """
            SELECT FROM \(unsafe: table) WHERE \(unsafe: column) = \(id)
            FOR NO KEY UPDATE SKIP LOCKED
            """
        ).count > 0
    }

    /// Runs `body` in an operator's transaction.
    @discardableResult
    func asOperator<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try Connection(test.settings(as: "hearth_admin")).transaction { transaction in
            try transaction.query("SELECT app.begin_operation('jo')")
            return try body(transaction)
        }
    }

    /// Creates an invitation by link, or to an address; returns its id and the hash of its token.
    func invitation(
        of person: Person, to family: Family, email: String? = nil, as role: String = "parent"
    ) throws -> (id: UInt128, token: PostgresBytes) {
        try asAPI(person) { try $0.invite(email, to: family, as: role) }
    }
}

extension Transaction {
    /// Creates or renews an invitation and stores a secret for it.
    func invite(
        _ email: String?, to family: Family, as role: String = "parent"
    ) throws -> (id: UInt128, token: PostgresBytes) {
        let made = try query(
            """
            SELECT invitation_id, generation FROM app.create_invitation(
                \(family.id), \(email as String?), \(role), NULL,
                \(email == nil ? "link" : "email"))
            """
        ).map { (row) throws(PostgresError) in
            (try row.read(UInt128.self), try row.read(Int32.self))
        }[0]
        return (made.0, try keepSecret(of: made.0, generation: made.1))
    }

    /// Resends an invitation and returns the hash of its new token.
    func resend(_ invitation: UInt128) throws -> PostgresBytes {
        let generation: Int32 = try query(
            "SELECT generation FROM app.resend_invitation(\(invitation))"
        ).scalar()
        return try keepSecret(of: invitation, generation: generation)
    }

    /// Stores a secret for an invitation and returns the hash of its token.
    func keepSecret(of invitation: UInt128, generation: Int32) throws -> PostgresBytes {
        let token = PostgresBytes((0..<32).map { _ in UInt8.random(in: 0...255) })
        try query("SELECT app.add_invitation_secret(\(invitation), \(generation), \(token))")
        return token
    }
}

/// A flag that can be set once.
final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
