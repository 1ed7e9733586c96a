import Postgres

extension Mutants {
    /// Each table without row-level security, and without FORCE for its owner.
    static func tables(_ connection: Connection) throws(PostgresError) -> [Mutant] {
        let names = try connection.query(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'app' ORDER BY 1"
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        return names.flatMap { name in
            let isClosed = StatementOperations.closed.contains { $0.table == name }
            return [
                Mutant(
                    kind: .table, name: "\(name): row-level security off",
                    script: "ALTER TABLE app.\(name) DISABLE ROW LEVEL SECURITY;",
                    object: isClosed ? nil : Reach.policies(of: "app.\(name)")),
                Mutant(
                    kind: .table, name: "\(name): not forced",
                    script: "ALTER TABLE app.\(name) NO FORCE ROW LEVEL SECURITY;",
                    object: nil),
            ]
        }
    }

    /// Grants of each privilege that a client role lacks and revocations of each that it has, also
    /// for PUBLIC, and roles with more attributes.
    static func grants(_ connection: Connection) throws(PostgresError) -> [Mutant] {
        let scripts = try connection.query(grantScripts).map { (row) throws(PostgresError) in
            try row.read(String.self)
        }
        return scripts.map {
            Mutant(kind: .grant, name: $0, script: "\($0);", object: nil)
        }
    }

    private static let grantScripts: SQL = """
        WITH client AS (
            SELECT unnest(ARRAY['anon', 'authenticated', 'hearth_api', 'hearth_server']) AS role
        ), grantee AS (
            SELECT role FROM client UNION ALL SELECT 'PUBLIC'
        ), relation AS (
            SELECT c.oid, format('%s.%s', n.nspname, c.relname) AS name
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('app', 'api', 'jobs') AND c.relkind IN ('r', 'v')
        ), columns AS (
            SELECT role, privilege, r.name, a.attname, has_column_privilege(
                role, r.oid, a.attnum, privilege) AS held
            FROM client, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS privilege, relation AS r
            JOIN pg_attribute AS a ON a.attrelid = r.oid AND a.attnum > 0
        ), routine AS (
            SELECT p.oid::regprocedure::text AS name, p.oid, p.prosecdef,
                p.prorettype = 'trigger'::regtype AS is_trigger
            FROM pg_proc AS p
            JOIN pg_namespace AS n ON n.oid = p.pronamespace
            WHERE n.nspname IN ('app', 'gateway', 'jobs') AND p.prokind = 'f'
        )
        SELECT format('GRANT %s (%I) ON %s TO %s', privilege, attname, name, role)
            FROM columns WHERE NOT held
        UNION ALL
        SELECT format('REVOKE %s ON %s FROM %s', privilege, name, role)
            FROM columns WHERE held GROUP BY privilege, name, role
        UNION ALL
        SELECT format('GRANT %s ON %s TO %s', privilege, name, role)
            FROM columns GROUP BY privilege, name, role HAVING NOT bool_and(held)
        UNION ALL
        SELECT CASE WHEN has_table_privilege(role, r.oid, privilege)
                THEN format('REVOKE %s ON %s FROM %s', privilege, r.name, role)
                ELSE format('GRANT %s ON %s TO %s', privilege, r.name, role) END
            FROM client, unnest(ARRAY['DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'])
                AS privilege, relation AS r
        UNION ALL
        SELECT format('GRANT ALL ON %s TO PUBLIC', r.name) FROM relation AS r
        UNION ALL
        SELECT CASE WHEN has_function_privilege(role, f.oid, 'EXECUTE')
                THEN format('REVOKE EXECUTE ON FUNCTION %s FROM %s', f.name, role)
                ELSE format('GRANT EXECUTE ON FUNCTION %s TO %s', f.name, role) END
            FROM client, routine AS f
        UNION ALL
        SELECT format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', f.name) FROM routine AS f
        UNION ALL
        SELECT format('ALTER FUNCTION %s RESET search_path', f.name)
            FROM routine AS f WHERE prosecdef
        UNION ALL
        SELECT format('ALTER FUNCTION %s SECURITY %s', f.name,
                CASE WHEN prosecdef THEN 'INVOKER' ELSE 'DEFINER' END)
            FROM routine AS f
            WHERE is_trigger OR EXISTS (
                SELECT FROM client WHERE has_function_privilege(role, f.oid, 'EXECUTE'))
        UNION ALL
        SELECT format('GRANT %s ON SCHEMA %s TO %s', privilege, nspname, role)
            FROM grantee, unnest(ARRAY['USAGE', 'CREATE']) AS privilege, pg_namespace
            WHERE nspname IN ('app', 'api', 'gateway', 'jobs')
                AND (role = 'PUBLIC' OR NOT has_schema_privilege(role, oid, privilege))
        UNION ALL
        SELECT format('ALTER ROLE %s %s', r.rolname, attribute)
            FROM pg_roles AS r, unnest(ARRAY['SUPERUSER', 'BYPASSRLS', 'CREATEROLE']) AS attribute
            WHERE r.rolname IN ('hearth_owner', 'hearth_authz', 'hearth_api', 'hearth_server', 'anon',
                'authenticated', 'authenticator')
        UNION ALL
        SELECT format('GRANT %s TO %s', owner, role)
            FROM client, unnest(ARRAY['hearth_owner', 'hearth_authz', 'hearth_worker',
                'hearth_admin', 'hearth_migrator']) AS owner
        ORDER BY 1
        """
}
