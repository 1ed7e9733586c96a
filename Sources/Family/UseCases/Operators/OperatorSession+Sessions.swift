package import Domain
package import Repositories

extension OperatorSession {
    /// Returns a person's sessions that have not ended, the last used first.
    package func sessions(of user: UserID) throws -> [ListedSession] {
        try rows(AdminSessions.ofUser, user)
    }

    /// Ends a person's sessions, or one of them, and returns their number.
    package func endSessions(of user: UserID, only session: SessionID?) throws -> Int {
        try change(AdminSessions.end, user, session)
    }
}
