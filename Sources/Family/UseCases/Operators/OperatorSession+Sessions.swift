package import Domain
package import Repositories

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

    /// Ends a person's sessions, or one of them, and returns their number.
    package func endSessions(of user: UserID, only session: SessionID?) throws -> Int {
        try change(AdminSessions.end, user, session)
    }
}
