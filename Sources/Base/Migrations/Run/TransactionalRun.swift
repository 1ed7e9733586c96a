import Postgres

/// Runs a file and records it in the ledger in one transaction, so that either both happen or
/// neither.
struct TransactionalRun {
    let session: Session
    let attempts: Attempts

    /// Runs the file. If this throws, nothing that was not committed has taken effect.
    func apply(_ file: MigrationFile, _ script: Script) throws(MigrationError) {
        let message = self.message(file, script)
        try attempts.run(file.fileName, file: file.fileName) { () throws(PostgresError) in
            try session.reset()
            try session.run(message)
        } explain: { error, blockers in
            let isEntry = session.completedBeforeFailure > script.statements.count
            if isEntry, error.sqlState == .readOnlyTransaction {
                return .entry(of: file.fileName, in: session.configuration.ledgerSchema, error)
            }
            let failurePosition = FailurePosition(
                of: error, in: script, prefix: TransactionalRun.prefix, prefixStatements: 1,
                completed: session.completedBeforeFailure)
            return .statement(
                error, file: file.fileName, line: failurePosition.line, blockers: blockers)
        }
    }

    /// The text before the file's text: one statement.
    private static let prefix = "BEGIN;\n"

    /// Returns a message that begins a transaction, runs the file, records it in the ledger and
    /// commits, all in one round trip. The session was reset before and has responded, because the
    /// settings at the message's arrival decide how it is read and how its transaction behaves.
    ///
    /// Deferred constraints are checked, and deferred triggers fired, while the file's own settings
    /// and role are in effect; only then the role changes to the ledger's owner.
    private func message(_ file: MigrationFile, _ script: Script) -> String {
        let entry = Ledger(session).insertScript(
            file, kind: .transaction, duration: Ledger.transactionMilliseconds)
        return """
            \(TransactionalRun.prefix)\(script.text.string)
            ;
            SET CONSTRAINTS ALL IMMEDIATE; \(session.localRoleScript)
            \(session.outdatingScript)
            \(entry)
            COMMIT;
            """
    }
}
