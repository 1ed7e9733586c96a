package import Domain
package import Repositories

extension OperatorSession {
    /// A person's sessions that have not ended, the one used last first.
    package func sessions(of user: UserID) throws -> [ListedSession] {
        try rows(OperatedSessions.ofUser, user)
    }

    /// Ends a person's sessions, or one of them; how many.
    package func endSessions(of user: UserID, only session: SessionID?) throws -> Int {
        try change(OperatedSessions.end, user, session)
    }
}
