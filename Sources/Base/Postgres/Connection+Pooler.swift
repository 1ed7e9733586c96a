package import Basics

// Detection of a pooler between this program and the server.

extension PostgresError {
    /// Whether a pooler that shares the server's sessions between clients caused the error: a
    /// prepared statement is missing, or another client has prepared one of the same name.
    package var isCausedBySharedSessions: Bool {
        sqlState == .undefinedPreparedStatement || sqlState == .duplicatePreparedStatement
    }
}

extension Connection {
    private static let probe = Statement<Scalar<Int32>>("SELECT pg_backend_pid()")
    /// Sessions that are kept busy, so that the pooler has to assign this client another one.
    private static let occupiedSessions = 3
    private static let responseSeconds = 1.0

    /// Whether this session loses its prepared statements because a pooler assigns each transaction
    /// any free session of the server.
    ///
    /// Opens other sessions if there is a pooler. False if statements are not prepared.
    package func losesPreparedStatements(_ deadline: Deadline) throws(PostgresError) -> Bool {
        guard settings.preparesStatements else { return false }
        let server = try run(Self.probe, deadline: deadline).first?.value
        guard server != backendProcessID else { return false }
        var sessions: [Connection] = []
        while sessions.count < Self.occupiedSessions {
            guard let (session, processID) = try? occupySession(until: deadline) else { break }
            sessions.append(session)
            if processID == server { break }
        }
        do {
            _ = try roundTrip(
                [Self.step], Bindings(), min(deadline, .after(seconds: Self.responseSeconds)))
        } catch  where error.isCausedBySharedSessions {
            // The pooler has spread its prepared statements over unknown sessions.
            isBroken = true
            withExtendedLifetime(sessions) {}
            return true
        }
        withExtendedLifetime(sessions) {}
        return false
    }

    /// Opens another session, whose open transaction occupies a session of the server; returns its
    /// process id.
    ///
    /// - Throws: `PostgresError`, among other reasons if the pooler has no free session.
    private func occupySession(until deadline: Deadline) throws(PostgresError) -> (
        Connection, Int32
    ) {
        let session = try Connection(settings)
        let results = try session.roundTrip(
            [Transaction.step(.begin), Self.step], Bindings(),
            min(deadline, .after(seconds: Self.responseSeconds)))
        return (session, try results[1].scalar())
    }

    private static var step: Batch.Step { Transaction.step(probe.prepared) }
}
