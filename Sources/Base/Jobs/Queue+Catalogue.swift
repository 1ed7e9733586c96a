package import Postgres

extension Queue {
    /// All statements, for the test that checks them against the schema.
    package static let statements: [DeclaredStatement] = [
        DeclaredStatement(enqueue), DeclaredStatement(notify), DeclaredStatement(notifyWithCommit),
        DeclaredStatement(claim), DeclaredStatement(complete), DeclaredStatement(finish),
        DeclaredStatement(discarded), DeclaredStatement(start), DeclaredStatement(pause),
        DeclaredStatement(acquireLease), DeclaredStatement(releaseLease),
        DeclaredStatement(takeOverLease),
        DeclaredStatement(heartbeat), DeclaredStatement(upsertSchedule),
    ]
}
