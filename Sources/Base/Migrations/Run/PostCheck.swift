import Postgres

/// Checks a database against the promises of its configuration: tables of tenant schemas are
/// protected by row-level security, and PUBLIC has no privileges.
struct PostCheck {
    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    /// Throws `exposed` with every object that breaks the promises.
    func run() throws(MigrationError) {
        let problems = try self.problems()
        guard problems.isEmpty else {
            throw MigrationError(
                .exposed,
                "tables or objects are open to roles that must have no access", details: problems)
        }
    }

    /// Returns the violations, one per line.
    func problems() throws(MigrationError) -> [String] {
        let configuration = session.configuration
        let tenantSchemas = configuration.tenantSchemas
        let privateSchemas = configuration.privateSchemas
        if tenantSchemas.isEmpty && privateSchemas.isEmpty { return [] }
        do {
            return try tablesWithoutRowSecurity(tenantSchemas)
                + openRelations(tenantSchemas + privateSchemas) + openOthers(privateSchemas)
        } catch {
            throw .database(error, "the check of tenant schemas")
        }
    }

    private func tablesWithoutRowSecurity(_ schemas: [String]) throws(PostgresError) -> [String] {
        let exceptions = session.configuration.tenantTableExceptions
        let tables = try session.connection.query(
            """
            SELECT n.nspname::text, c.relname::text, c.relrowsecurity, c.relforcerowsecurity
              FROM pg_catalog.pg_class AS c
              JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
             WHERE c.relkind IN ('r', 'p') AND n.nspname = ANY (\(schemas))
               AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
             ORDER BY 1, 2
            """
        ).map { (row) throws(PostgresError) in
            let name = QualifiedName(schema: try row.read(), try row.read())
            return (name.description, try row.read(Bool.self), try row.read(Bool.self))
        }
        return tables.filter { exceptions[$0.0] == nil }.map { name, isEnabled, isForced in
            let missing = [isEnabled ? nil : "enabled", isForced ? nil : "forced"].compactMap { $0 }
            return "\(name): row-level security is not \(missing.joined(separator: " and not "))"
        }
    }

    /// Returns schemas, tables, views, sequences and columns with a privilege for PUBLIC.
    private func openRelations(_ schemas: [String]) throws(PostgresError) -> [String] {
        try privileges(
            """
            \(unsafe: PostCheck.head)
            SELECT 'schema ' || nspname, coalesce(nspacl, acldefault('n', nspowner))
              FROM pg_catalog.pg_namespace WHERE nspname = ANY (\(schemas))
            UNION ALL
            SELECT n.nspname || '.' || c.relname,
                   coalesce(c.relacl, acldefault(
                       CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))
              FROM pg_catalog.pg_class AS c
              JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
             WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND n.nspname = ANY (\(schemas))
            UNION ALL
            SELECT n.nspname || '.' || c.relname || '.' || a.attname, a.attacl
              FROM pg_catalog.pg_attribute AS a
              JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
              JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
             WHERE a.attacl IS NOT NULL AND n.nspname = ANY (\(schemas))
            \(unsafe: PostCheck.tail)
            """)
    }

    /// Returns functions and types with a privilege for PUBLIC, which they have by default.
    private func openOthers(_ schemas: [String]) throws(PostgresError) -> [String] {
        try privileges(
            """
            \(unsafe: PostCheck.head)
            SELECT n.nspname || '.' || p.proname || '('
                       || pg_catalog.pg_get_function_identity_arguments(p.oid) || ')',
                   coalesce(p.proacl, acldefault('f', p.proowner))
              FROM pg_catalog.pg_proc AS p
              JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
             WHERE n.nspname = ANY (\(schemas))
            UNION ALL
            SELECT 'type ' || n.nspname || '.' || t.typname,
                   coalesce(t.typacl, acldefault('T', t.typowner))
              FROM pg_catalog.pg_type AS t
              JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
              LEFT JOIN pg_catalog.pg_class AS c ON c.oid = t.typrelid
             WHERE n.nspname = ANY (\(schemas)) AND t.typtype IN ('c', 'd', 'e', 'r')
               AND (t.typtype <> 'c' OR c.relkind = 'c')
            \(unsafe: PostCheck.tail)
            """)
    }

    // Beginning of a query for PUBLIC's privileges on the objects whose names and access lists the
    // inner query returns.
    private static let head = """
        SELECT o.name, string_agg(p.privilege_type, ', ' ORDER BY p.privilege_type) FROM (
        """
    private static let tail = """
        ) AS o (name, acl)
         CROSS JOIN LATERAL pg_catalog.aclexplode(o.acl) AS p
         WHERE p.grantee = 0
         GROUP BY o.name ORDER BY o.name
        """

    private func privileges(_ query: SQL) throws(PostgresError) -> [String] {
        try session.connection.query(query).map { (row) throws(PostgresError) in
            "\(try row.read(String.self)): PUBLIC may \(try row.read(String.self))"
        }
    }
}
