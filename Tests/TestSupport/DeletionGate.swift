import Postgres

/// A gate that blocks deletions from a table until it is opened, so that a test can act while a
/// deletion is in progress, however fast the machine is.
package final class DeletionGate {
    private let keeper: Connection
    private let observer: Connection

    /// - Parameter table: The table's name with its schema.
    package init(_ database: TestDatabase, table: String) throws {
        keeper = try Connection(database.settings())
        observer = try Connection(database.settings())
        try keeper.execute(
            script: """
                SELECT pg_advisory_lock(1);
                CREATE FUNCTION public.pass_gate() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN PERFORM pg_catalog.pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
                CREATE TRIGGER gate BEFORE DELETE ON \(table)
                    FOR EACH STATEMENT EXECUTE FUNCTION public.pass_gate()
                """)
    }

    /// Waits until a deletion is blocked.
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

    /// Lets the waiting deletion and all later ones pass.
    package func open() throws { try keeper.execute(script: "SELECT pg_advisory_unlock(1)") }
}
