import Postgres

/// Runs a file in one transaction together with its line in the ledger: all of it, or nothing.
struct TransactionalRun {
    let session: Session
    let attempts: Attempts

    /// Runs the file; what has not been committed when this throws never took place.
    func apply(_ file: MigrationFile, _ script: Script) throws(MigrationError) {
        let message = self.message(file)
        try attempts.run(file.fileName, file: file.fileName) { () throws(PostgresError) in
            try session.run(message.text)
        } explain: { error, blockers in
            let place = FailurePlace(
                of: error, in: script, prefix: message.prefix,
                prefixStatements: message.prefixStatements,
                completed: session.completedBeforeFailure)
            return .statement(error, file: file.fileName, line: place.line, blockers: blockers)
        }
    }

    /// One message does it all, so one round trip: it sets the session up, begins, runs the file,
    /// enters it in the ledger and commits.
    ///
    /// Constraints that the file deferred are checked, and deferred triggers fired, while the
    /// file's own settings and role still hold; only then the ledger's owner comes back.
    private func message(
        _ file: MigrationFile
    ) -> (text: String, prefix: String, prefixStatements: Int) {
        let reset = session.resetScript
        let prefix = reset + "\nBEGIN;\n"
        let entry = Ledger(session).insertScript(
            file, kind: .transaction, duration: Ledger.transactionMilliseconds)
        let text = """
            \(prefix)\(file.text.string)
            ;
            SET CONSTRAINTS ALL IMMEDIATE; \(session.localRoleScript)
            \(entry)
            COMMIT;
            """
        return (text, prefix, StatementSplitter.count(in: prefix))
    }
}
