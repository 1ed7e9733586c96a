import Postgres

/// The changes that allow the owner role to work in a database, and lock PUBLIC out.
struct DatabaseRepair {
    private let session: Session
    private let owner: String
    private let configuration: FolderConfiguration

    init(_ session: Session, _ owner: String, _ configuration: FolderConfiguration) {
        self.session = session
        self.owner = owner
        self.configuration = configuration
    }

    /// Returns the statements, in an order in which they can run once the role exists.
    func changes() throws(PostgresError) -> [Change] {
        try privileges() + ledger()
    }

    private func privileges() throws(PostgresError) -> [Change] {
        let database = session.database.quotedIdentifier
        let name = owner.quotedIdentifier
        let granted = try privileges(
            "SELECT coalesce(datacl, acldefault('d', datdba)) FROM pg_catalog.pg_database "
                + "WHERE datname = current_database()")
        var changes: [Change] = []
        for privilege in ["CONNECT", "CREATE", "TEMPORARY"]
        where !granted.contains("\(owner) \(privilege)") {
            changes.append(
                Change(
                    "\(owner): \(privilege) on database \(session.database)",
                    "GRANT \(privilege) ON DATABASE \(database) TO \(name)"))
        }
        if granted.contains("PUBLIC TEMPORARY") {
            changes.append(
                Change(
                    "PUBLIC: no longer TEMPORARY on database \(session.database)",
                    "REVOKE TEMPORARY ON DATABASE \(database) FROM PUBLIC"))
        }
        let onPublic = try privileges(
            "SELECT coalesce(nspacl, acldefault('n', nspowner)) FROM pg_catalog.pg_namespace "
                + "WHERE nspname = 'public'")
        if onPublic.contains("PUBLIC CREATE") {
            changes.append(
                Change(
                    "PUBLIC: no longer CREATE on schema public",
                    "REVOKE CREATE ON SCHEMA public FROM PUBLIC"))
        }
        return changes
    }

    /// The privileges, as `role PRIVILEGE`.
    private func privileges(_ query: String) throws(PostgresError) -> Set<String> {
        Set(
            try session.connection.query(
                """
                SELECT coalesce(r.rolname::text, 'PUBLIC') || ' ' || p.privilege_type
                  FROM (\(unsafe: query)) AS o (acl)
                 CROSS JOIN LATERAL pg_catalog.aclexplode(o.acl) AS p
                  LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = p.grantee
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) })
    }

    /// Returns changes to the ledger's schema and tables, which an earlier run may have created
    /// under another role.
    private func ledger() throws(PostgresError) -> [Change] {
        let schema = configuration.ledgerSchema
        let name = owner.quotedIdentifier
        let schemaOwner = try session.connection.query(
            """
            SELECT r.rolname::text FROM pg_catalog.pg_namespace AS n
              JOIN pg_catalog.pg_roles AS r ON r.oid = n.nspowner WHERE n.nspname = \(schema)
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }.first
        guard let schemaOwner else {
            return [
                Change(
                    "schema \(schema): created, owned by \(owner)",
                    "CREATE SCHEMA \(schema.quotedIdentifier) AUTHORIZATION \(name)")
            ]
        }
        var changes: [Change] = []
        if schemaOwner != owner {
            changes.append(
                Change(
                    "schema \(schema): now owned by \(owner)",
                    "ALTER SCHEMA \(schema.quotedIdentifier) OWNER TO \(name)"))
        }
        let tables = try session.connection.query(
            """
            SELECT c.relname::text FROM pg_catalog.pg_class AS c
              JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
              JOIN pg_catalog.pg_roles AS r ON r.oid = c.relowner
             WHERE n.nspname = \(schema)
               AND c.relname IN ('ledger', 'journal', 'definitions', 'recording', 'repeatable',
                                 'repeatable_object')
               AND c.relkind = 'r' AND r.rolname <> \(owner)
             ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        return changes
            + tables.map { table in
                let qualified = QualifiedName(schema: schema, table)
                return Change(
                    "table \(qualified): now owned by \(owner)",
                    "ALTER TABLE \(qualified.quoted) OWNER TO \(name)")
            }
    }
}
