import Postgres
import TestSupport
import Testing

@Suite("The catalogue of the schema")
struct ShapeTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    /// Rows that the query lists; each is a violation.
    private func listed(_ sql: SQL) throws -> [String] {
        try house.superuser().query(sql).map { (row) throws(PostgresError) in try row.read() }
    }

    @Test("every table has row-level security enabled and forced")
    func forced() throws {
        #expect(
            try listed(
                """
                SELECT relname::text FROM pg_class
                WHERE relnamespace = 'app'::regnamespace AND relkind IN ('r', 'p')
                    AND NOT (relrowsecurity AND relforcerowsecurity)
                """) == [])
        #expect(
            try listed(
                """
                SELECT relname::text FROM pg_class
                WHERE relnamespace IN ('api'::regnamespace, 'gateway'::regnamespace)
                    AND relkind IN ('r', 'p', 'm', 'f')
                """) == [])
    }

    @Test("no policy applies to PUBLIC, and none to anon")
    func policies() throws {
        #expect(
            try listed(
                """
                SELECT polname::text FROM pg_policy
                WHERE 0 = ANY (polroles) OR 'anon'::regrole = ANY (polroles)
                """) == [])
    }

    @Test("PUBLIC has no privilege on any object of Hearth")
    func nothingForPublic() throws {
        #expect(
            try listed(
                """
                SELECT kind || ' ' || name FROM (
                    SELECT 'schema', nspname::text, nspacl, 'n'::"char", nspowner
                    FROM pg_namespace WHERE nspname IN ('app', 'api', 'gateway')
                    UNION ALL
                    SELECT 'relation', oid::regclass::text, relacl, 'r', relowner FROM pg_class
                    WHERE relnamespace::regnamespace::text IN ('app', 'api', 'gateway')
                    UNION ALL
                    SELECT 'column', attrelid::regclass || '.' || attname, attacl, NULL, NULL
                    FROM pg_attribute WHERE attacl IS NOT NULL
                        AND attrelid IN (
                            SELECT oid FROM pg_class
                            WHERE relnamespace::regnamespace::text IN ('app', 'api', 'gateway'))
                    UNION ALL
                    SELECT 'function', oid::regprocedure::text, proacl, 'f', proowner FROM pg_proc
                    WHERE pronamespace::regnamespace::text IN ('app', 'api', 'gateway')
                ) AS thing (kind, name, acl, type, owner)
                WHERE EXISTS (
                    SELECT FROM aclexplode(coalesce(
                        acl, CASE WHEN type IS NOT NULL THEN acldefault(type, owner) END)) AS a
                    WHERE a.grantee = 0)
                """) == [])
    }

    @Test("anon has no privileges at all")
    func anon() throws {
        #expect(
            try listed(
                """
                SELECT nspname::text FROM pg_namespace
                WHERE (nspname IN ('app', 'api', 'gateway', 'migrations')
                       AND has_schema_privilege('anon', oid, 'USAGE'))
                    OR (nspname !~ '^pg_' AND has_schema_privilege('anon', oid, 'CREATE'))
                UNION ALL
                SELECT c.oid::regclass::text FROM pg_class AS c
                WHERE c.relnamespace::regnamespace::text IN ('app', 'api', 'gateway')
                    AND c.relkind IN ('r', 'p', 'v')
                    AND has_any_column_privilege('anon', c.oid, 'SELECT, INSERT, UPDATE')
                """) == [])
    }

    @Test("no service or client role can bypass row-level security, truncate, or own anything")
    func roles() throws {
        #expect(
            try listed(
                """
                SELECT rolname::text FROM pg_roles
                WHERE rolname IN ('hearth_owner', 'hearth_authz', 'hearth_api', 'hearth_worker',
                        'hearth_admin', 'hearth_migrator', 'anon', 'authenticated',
                        'authenticator')
                    AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)
                """) == [])
        #expect(
            try listed(
                """
                SELECT r.rolname || ' ' || c.oid::regclass
                FROM pg_class AS c, pg_roles AS r
                WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p')
                    AND r.rolname IN ('hearth_api', 'hearth_worker', 'authenticated', 'anon',
                                      'hearth_authz', 'hearth_admin')
                    AND (has_table_privilege(r.oid, c.oid, 'TRUNCATE, REFERENCES, TRIGGER')
                         OR c.relowner = r.oid)
                """) == [])
    }

    @Test("clients have no access to secrets, audit rows, limits and issuers")
    func closedTables() throws {
        #expect(
            try listed(
                """
                SELECT r.rolname || ' ' || c.oid::regclass
                FROM pg_class AS c, pg_roles AS r
                WHERE c.oid IN ('app.invitation_secrets'::regclass, 'app.audit_log'::regclass,
                        'app.trusted_issuers'::regclass, 'app.rate_limits'::regclass,
                        'app.code_lookups'::regclass, 'app.idempotency_keys'::regclass,
                        'app.family_codes'::regclass, 'app.family_code_usage_log'::regclass,
                        'app.code_settings'::regclass, 'app.wrong_codes'::regclass,
                        'app.wrong_code_hours'::regclass, 'app.automatic_approval'::regclass,
                        'app.user_identities'::regclass, 'app.webhook_endpoints'::regclass,
                        'app.webhook_events'::regclass, 'app.webhook_deliveries'::regclass,
                        'app.sessions'::regclass, 'app.refresh_tokens'::regclass,
                        'app.email_tokens'::regclass, 'app.email_sign_ins'::regclass,
                        'app.passwords'::regclass, 'app.provider_tokens'::regclass,
                        'app.passkeys'::regclass, 'app.answered_challenges'::regclass,
                        'app.page_tickets'::regclass, 'app.pending_changes'::regclass)
                    AND r.rolname IN ('hearth_api', 'hearth_worker', 'authenticated', 'anon')
                    AND (has_any_column_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE')
                         OR has_table_privilege(r.oid, c.oid, 'DELETE'))
                """) == [])
    }

    @Test("every sequence writes WAL at each step, so that a promoted standby continues it")
    func loggedSequences() throws {
        #expect(
            try listed(
                """
                SELECT oid::regclass::text FROM pg_class
                WHERE relkind = 'S' AND relpersistence <> 'p'
                    AND relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_')
                """) == [])
    }

    @Test("every foreign key has an index on its referencing columns, for deletions of the target")
    func foreignKeys() throws {
        #expect(
            try listed(
                """
                SELECT c.conrelid::regclass || ' ' || c.conname
                FROM pg_constraint AS c
                WHERE c.contype = 'f' AND NOT EXISTS (
                    SELECT FROM pg_index AS i
                    WHERE i.indrelid = c.conrelid AND i.indisvalid AND i.indkey[0] = ANY (c.conkey))
                """) == [])
    }

    @Test("privileged columns can't be set by a plain UPDATE")
    func columns() throws {
        #expect(
            try listed(
                """
                SELECT r.rolname || ' ' || a.attrelid::regclass || '.' || a.attname
                FROM pg_attribute AS a, pg_roles AS r
                WHERE a.attrelid IN ('app.family_units'::regclass, 'app.family_members'::regclass,
                        'app.users'::regclass, 'app.family_invitations'::regclass,
                        'app.member_preferences'::regclass)
                    AND a.attnum > 0
                    AND r.rolname IN ('hearth_api', 'authenticated', 'hearth_worker')
                    AND has_column_privilege(r.oid, a.attrelid, a.attnum, 'UPDATE')
                ORDER BY 1
                """) == [
                    "authenticated app.family_units.family_name",
                    "authenticated app.users.avatar_key",
                    "authenticated app.users.avatar_url",
                    "authenticated app.users.full_name",
                    "hearth_api app.family_units.approval_required",
                    "hearth_api app.family_units.family_name",
                    "hearth_api app.family_units.home_latitude",
                    "hearth_api app.family_units.home_longitude",
                    "hearth_api app.member_preferences.preferences",
                    "hearth_api app.users.avatar_key",
                    "hearth_api app.users.avatar_url",
                    "hearth_api app.users.full_name",
                ])
    }

    @Test("every function pins its search path, unless its body is bound at creation")
    func searchPath() throws {
        #expect(
            try listed(
                """
                SELECT oid::regprocedure::text FROM pg_proc
                WHERE pronamespace::regnamespace::text IN ('app', 'api', 'gateway')
                    AND prosqlbody IS NULL
                    AND NOT coalesce(proconfig @> ARRAY['search_path=""'], false)
                """) == [])
        #expect(
            try listed(
                """
                SELECT oid::regprocedure::text FROM pg_proc
                WHERE pronamespace::regnamespace::text IN ('app', 'api', 'gateway')
                    AND prosecdef AND prosqlbody IS NOT NULL
                """) == [])
    }

    /// PostgreSQL looks up the names in a body of PL/pgSQL when they are first used.
    @Test("every name in a function that only reads exists")
    func namesExist() throws {
        let connection = try house.superuser()
        try connection.execute(
            script: """
                CREATE FUNCTION pg_temp.missing_names() RETURNS SETOF text LANGUAGE plpgsql AS $$
                DECLARE
                    v_function record;
                BEGIN
                    FOR v_function IN
                        SELECT p.oid::regprocedure::text AS name, format('SELECT %s(%s)',
                                p.oid::regproc, (SELECT string_agg(
                                    'NULL::' || format_type(a.type, NULL), ', ' ORDER BY a.number)
                                FROM unnest(p.proargtypes) WITH ORDINALITY AS a (type, number))
                            ) AS call
                        FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
                        WHERE p.pronamespace::regnamespace::text IN ('app', 'api', 'jobs')
                            AND l.lanname = 'plpgsql' AND p.provolatile <> 'v'
                            AND NOT p.proisstrict
                    LOOP
                        BEGIN
                            EXECUTE v_function.call;
                        EXCEPTION WHEN syntax_error_or_access_rule_violation THEN
                            RETURN NEXT v_function.name || ': ' || SQLERRM;
                        WHEN OTHERS THEN
                            -- Refusals, such as those without a caller.
                            CONTINUE;
                        END;
                    END LOOP;
                END $$;
                """)
        let missing = try connection.query("SELECT n FROM pg_temp.missing_names() AS n").map {
            (row) throws(PostgresError) in try row.read(String.self)
        }
        #expect(missing == [])
    }

    @Test("the views used by policies are owned by hearth_authz, which can only read")
    func helperViews() throws {
        #expect(
            try listed(
                """
                SELECT relname::text FROM pg_class
                WHERE relnamespace = 'app'::regnamespace AND relkind = 'v'
                    -- The views of the console mask columns, and no policy uses them.
                    AND relname !~ '^console_'
                    AND (relowner <> 'hearth_authz'::regrole
                         OR NOT coalesce(reloptions @> ARRAY['security_barrier=true'], false)
                            AND NOT coalesce(reloptions @> ARRAY['security_barrier'], false)
                            -- What only other views read needs none.
                            AND EXISTS (
                                SELECT FROM pg_roles AS r
                                WHERE r.rolname NOT IN ('hearth_owner', 'hearth_authz',
                                        'hearth_migrator')
                                    AND NOT r.rolsuper AND r.rolname !~ '^pg_'
                                    AND has_table_privilege(r.oid, pg_class.oid, 'SELECT')))
                """) == [])
        #expect(
            try listed(
                """
                SELECT c.oid::regclass::text FROM pg_class AS c
                WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p')
                    AND (has_any_column_privilege('hearth_authz', c.oid, 'INSERT, UPDATE')
                         OR has_table_privilege('hearth_authz', c.oid, 'DELETE'))
                """) == [])
    }

    @Test("the views of direct clients run as their caller")
    func invokerViews() throws {
        #expect(
            try listed(
                """
                SELECT relname::text FROM pg_class
                WHERE relnamespace = 'api'::regnamespace AND relkind = 'v'
                    AND NOT coalesce(reloptions && ARRAY['security_invoker=true',
                                                         'security_invoker=on'], false)
                """) == [])
    }

    @Test("no column that a policy may compare has a type with leaky operators")
    func leakProofTypes() throws {
        #expect(
            try listed(
                """
                SELECT a.attrelid::regclass || '.' || a.attname
                FROM pg_attribute AS a
                JOIN pg_class AS c ON c.oid = a.attrelid
                JOIN pg_type AS t ON t.oid = a.atttypid
                WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
                    AND NOT a.attisdropped
                    AND (t.typtype = 'e' OR t.typname IN ('citext', 'json', 'varchar', 'bpchar'))
                """) == [])
    }

    @Test("every foreign key has an index that its deletions can use")
    func foreignKeysAreIndexed() throws {
        #expect(
            try listed(
                """
                SELECT c.conrelid::regclass || ' ' || c.conname FROM pg_constraint AS c
                WHERE c.contype = 'f' AND c.connamespace = 'app'::regnamespace
                    AND NOT EXISTS (
                        SELECT FROM pg_index AS i
                        WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1])
                    AND c.conname NOT IN ('family_invitations_accepted_by_fkey')
                """) == [])
    }
}
