package import Postgres

extension Queue {
    /// All statements, for the test that checks them against the schema.
    package static let statements: [DeclaredStatement] = [
        DeclaredStatement(enqueue), DeclaredStatement(notify), DeclaredStatement(notifyWithCommit),
        DeclaredStatement(claim), DeclaredStatement(complete), DeclaredStatement(settle),
        DeclaredStatement(buried), DeclaredStatement(start), DeclaredStatement(pause),
        DeclaredStatement(enlist), DeclaredStatement(retire), DeclaredStatement(succeed),
        DeclaredStatement(heartbeat), DeclaredStatement(putSchedule),
    ]
}
