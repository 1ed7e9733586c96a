package import Threads

// The effect on sessions of a pooler between this program and the server.

extension PostgresError {
    /// Whether the cause is a pooler that shares the server's sessions between clients: a statement
    /// that was prepared is missing, or another client has prepared one of its name.
    package var isOfSharedSessions: Bool {
        sqlState == .undefinedPreparedStatement || sqlState == .duplicatePreparedStatement
    }
}

extension Connection {
    private static let probe = Statement<Scalar<Int32>>("SELECT pg_backend_pid()")
    /// Sessions that are kept busy, so that the pooler has to give this one another.
    private static let holders = 3
    private static let answerSeconds = 1.0

    /// Whether statements that this session has prepared are missing a moment later, because a
    /// pooler gives each transaction whichever session of the server is free.
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
            // Its statements are spread over sessions that nobody can tell apart.
            isBroken = true
            withExtendedLifetime(others) {}
            return true
        }
        withExtendedLifetime(others) {}
        return false
    }

    /// Another session whose open transaction keeps its session of the server; the number of that.
    ///
    /// - Throws: Also where the pooler has no more of them.
    private func hold(until deadline: Deadline) throws(PostgresError) -> (Connection, Int32) {
        let other = try Connection(settings)
        let answers = try other.roundTrip(
            [Transaction.step(.begin), Self.step], Bindings(),
            min(deadline, .after(seconds: Self.answerSeconds)))
        return (other, try answers[1].scalar())
    }

    private static var step: Batch.Step { Transaction.step(probe.prepared) }
}
