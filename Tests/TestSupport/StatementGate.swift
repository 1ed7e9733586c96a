import Postgres

/// A gate that blocks statements of one kind until it is opened, so that a test can act at a
/// certain step of a transaction, however fast the machine is.
package final class StatementGate {
    private let keeper: Connection
    private let observer: Connection

    /// - Parameters:
    ///   - event: The event as a constraint trigger names it: `AFTER INSERT ON app.family_units`.
    ///   - atCommit: Whether to block the COMMIT instead of the statement.
    package init(_ database: TestDatabase, _ event: String, atCommit: Bool = false) throws {
        keeper = try Connection(database.settings())
        observer = try Connection(database.settings())
        let timing = atCommit ? "DEFERRABLE INITIALLY DEFERRED" : ""
        try keeper.execute(
            script: """
                SELECT pg_advisory_lock(2);
                CREATE OR REPLACE FUNCTION public.pass_statement_gate() RETURNS trigger
                    LANGUAGE plpgsql SECURITY DEFINER AS $$
                    BEGIN PERFORM pg_catalog.pg_advisory_xact_lock_shared(2); RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER statement_gate \(event) \(timing)
                    FOR EACH ROW EXECUTE FUNCTION public.pass_statement_gate()
                """)
    }

    /// Waits until a statement is blocked.
    package func awaitArrival() throws {
        try eventually {
            try observer.query(
                """
                SELECT EXISTS (SELECT FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
                    WHERE d.datname = current_database() AND l.locktype = 'advisory'
                        AND NOT l.granted)
                """
            ).scalar(Bool.self)
        }
    }

    /// Lets the waiting statement and all later ones pass.
    package func open() throws { try keeper.execute(script: "SELECT pg_advisory_unlock(2)") }
}
