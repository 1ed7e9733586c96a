package import Domain
package import Postgres
import Repositories

/// The way from a use case to the database: every request begins with who makes it.
package struct Database: Sendable {
    package let pool: Pool

    package init(_ pool: Pool) { self.pool = pool }

    /// Runs statements for a caller, in one round trip and one transaction.
    ///
    /// `add` puts the statements into the batch and returns what reads their answers. It runs
    /// twice when the caller is seen for the first time, or with news in its token: the user is
    /// written then, in the same transaction.
    /// - Throws: ``UseCaseError`` for what the database refuses on purpose and for a delegation
    ///   that does not hold; `PostgresError` for everything else.
    package func request<Value>(
        by caller: Caller,
        _ add: (inout Batch) -> (Answers, Subject) throws -> Value
    ) throws -> Value {
        do {
            return try pool.withConnection { connection in
                try Self.perform(caller, add, on: connection)
            }
        } catch let error as PostgresError {
            throw DatabaseRefusals.meaning(of: error) ?? error
        }
    }

    private static func perform<Value>(
        _ caller: Caller, _ add: (inout Batch) -> (Answers, Subject) throws -> Value,
        on connection: Connection
    ) throws -> Value {
        do {
            var batch = Batch()
            let identity = batch.add(
                RequestIdentities.begin, caller.issuer, PostgresBytes(caller.subjectHash.bytes),
                caller.email?.text, caller.isEmailVerified, caller.actingAs)
            let read = add(&batch)
            let answers = try connection.send(batch)
            let found = try answers.row(identity)
            if found.outcome == .known || caller.isAnonymous || found.outcome == .actingRefused {
                return try read(answers, try Subject(found, caller))
            }
        } catch let error as PostgresError where isForWantOfUser(error) && !caller.isAnonymous {
            // Seen for the first time: the statements found nobody signed in.
        }
        var batch = Batch()
        let identity = batch.add(
            RequestIdentities.see, caller.issuer, PostgresBytes(caller.subjectHash.bytes),
            caller.adoptedID, caller.email?.text, caller.isEmailVerified, caller.fullName,
            caller.role, caller.actingAs)
        let read = add(&batch)
        let answers = try connection.send(batch)
        return try read(answers, try Subject(try answers.row(identity), caller))
    }

    private static func isForWantOfUser(_ error: PostgresError) -> Bool {
        error.constraint == "not_signed_in"
    }
}

/// Whom a request is for, once the database has said so.
package struct Subject: Sendable {
    /// While acting, the managed member; nil for an anonymous caller, who is nobody here.
    package let user: UserID?
    package let isActing: Bool
    package let isAnonymous: Bool

    init(_ identity: RequestIdentity, _ caller: Caller) throws(UseCaseError) {
        if identity.outcome == .actingRefused { throw UseCaseError(.actingRefused) }
        user = identity.subject
        isActing = caller.actingAs != nil
        isAnonymous = caller.isAnonymous
    }
}
