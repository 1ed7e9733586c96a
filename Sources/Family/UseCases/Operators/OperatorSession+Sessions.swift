package import Domain
package import Repositories
import Jobs
import Postgres

extension OperatorSession {
    /// Returns a person's sessions that have not ended, the last used first.
    package func sessions(of user: UserID) throws -> [ListedSession] {
        try rows(AdminSessions.ofUser, user)
    }

    /// Returns a page of the events in the log of a person's sign-ins, the newest first.
    package func signIns(
        of user: UserID, _ page: OperatorPageRequest
    ) throws -> OperatorPage<SignInEvent> {
        let rows = try rows(
            SignInEvents.ofUser, user, page.start?.at, page.id(SignInOccurrence.self), page.count)
        return OperatorPage(rows, limit: page.limit) { PageCursor($0.at, $0.id) }
    }

    /// Returns a person's passkeys, oldest first.
    package func passkeys(of user: UserID) throws -> [AdminPasskey] {
        try run { batch in
            let passkeys = batch.add(Passkeys.ofUser, user)
            return { try $0.rows(passkeys) }
        }
    }

    /// Removes a passkey of a person, who gets an e-mail about it.
    ///
    /// - Throws: ``OperatorRefusal`` if the account is an operator's, or if the passkey is its last
    ///   way to sign in.
    package func remove(_ passkey: PasskeyID, of user: UserID) throws {
        try run(writes: true) { batch in
            batch.add(Passkeys.removeByOperator, user, passkey, Self.payloadOfRemoval)
            batch.notifyWorkers(MailJob.queue)
            return { _ in }
        }
    }

    /// The payload of the e-mail's job. The database adds the recipient and the kind of sign-in.
    private static var payloadOfRemoval: PostgresJSON {
        MailJob.payload(of: { .identityRemoved(recipient: $0, .passkey) })
    }

    /// Ends a person's sessions, or one of them, and returns their number.
    package func endSessions(of user: UserID, only session: SessionID?) throws -> Int {
        try change(AdminSessions.end, user, session)
    }
}
