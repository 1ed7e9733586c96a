package import Basics

// Detection of a pooler between this program and the server.

extension PostgresError {
    /// Whether a pooler that shares the server's sessions between clients caused the error: a
    /// prepared statement is missing, or another client has prepared one of the same name.
    package var isOfSharedSessions: Bool {
        sqlState == .undefinedPreparedStatement || sqlState == .duplicatePreparedStatement
    }
}

extension Connection {
    private static let probe = Statement<Scalar<Int32>>("SELECT pg_backend_pid()")
    /// Sessions that are kept busy, so that the pooler has to assign this client another one.
    private static let holders = 3
    private static let answerSeconds = 1.0

    /// Whether this session loses its prepared statements because a pooler assigns each transaction
    /// any free session of the server.
    ///
    /// Opens other sessions if there is a pooler. False if statements are not prepared.
    package func losesPreparedStatements(_ deadline: Deadline) throws(PostgresError) -> Bool {
        guard settings.preparesStatements else { return false }
        let server = try run(Self.probe, deadline: deadline).first?.value
        guard server != backendProcessID else { return false }
        var others: [Connection] = []
        while others.count < Self.holders {
            guard let (other, held) = try? hold(until: deadline) else { break }
            others.append(other)
            if held == server { break }
        }
        do {
            _ = try roundTrip(
                [Self.step], Bindings(), min(deadline, .after(seconds: Self.answerSeconds)))
        } catch  where error.isOfSharedSessions {
            // The pooler has spread its prepared statements over unknown sessions.
            isBroken = true
            withExtendedLifetime(others) {}
            return true
        }
        withExtendedLifetime(others) {}
        return false
    }

    /// Opens another session, whose open transaction occupies a session of the server; returns its
    /// process id.
    ///
    /// - Throws: `PostgresError`, also when the pooler has no free session.
    private func hold(until deadline: Deadline) throws(PostgresError) -> (Connection, Int32) {
        let other = try Connection(settings)
        let answers = try other.roundTrip(
            [Transaction.step(.begin), Self.step], Bindings(),
            min(deadline, .after(seconds: Self.answerSeconds)))
        return (other, try answers[1].scalar())
    }

    private static var step: Batch.Step { Transaction.step(probe.prepared) }
}
