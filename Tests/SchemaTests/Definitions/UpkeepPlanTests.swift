import Postgres
import TestSupport
import Testing

/// Plans of expiry and purging in a database with many families.
@Suite("Plans of expiry and purging")
struct UpkeepPlanTests {
    static let house = Result {
        let house = try House()
        try house.superuser().execute(script: ManyFamilies.script(1000))
        try house.superuser().execute(script: due)
        try house.superuser().execute(script: "ANALYZE")
        return house
    }

    /// Twenty rows of each kind that are due, and many that are not.
    private static let due = """
        SET session_replication_role = replica;
        CREATE FUNCTION pg_temp.family(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
        RETURN ('00000000-0000-4000-9000-' || lpad(to_hex(n), 12, '0'))::uuid;
        CREATE FUNCTION pg_temp.account(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
        RETURN ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid;
        CREATE FUNCTION pg_temp.moment(n bigint) RETURNS timestamptz LANGUAGE sql STABLE
        RETURN now() + CASE WHEN n <= 20 THEN -interval '100 days' ELSE interval '1 day' END;
        UPDATE app.family_units SET code_expires_at = pg_temp.moment(n)
            FROM generate_series(1, 500) AS n WHERE id = pg_temp.family(n);
        UPDATE app.family_units SET emptied_at = pg_temp.moment(n - 500)
            FROM generate_series(501, 600) AS n WHERE id = pg_temp.family(n);
        UPDATE app.family_members SET status = 'removed', slot = NULL,
                removed_at = pg_temp.moment(n - 600)
            FROM generate_series(601, 800) AS n
            WHERE family_unit_id = pg_temp.family(n) AND user_kind = 'managed';
        INSERT INTO app.family_invitations (family_unit_id, invited_by, role, household_role,
                delivery, expires_at, status, closed_at)
            SELECT pg_temp.family(n), pg_temp.account(3 * n), 'parent', 'adult', 'link',
                pg_temp.moment(n), CASE s WHEN 1 THEN 'pending' ELSE 'revoked' END,
                CASE s WHEN 2 THEN pg_temp.moment(n) END
            FROM generate_series(1, 500) AS n, generate_series(1, 2) AS s;
        INSERT INTO app.invitation_secrets (invitation_id, generation, token_hash)
            SELECT id, 1, sha256(id::text::bytea) FROM app.family_invitations;
        INSERT INTO app.family_codes (code, family_unit_id, state, retired_at, reason)
            SELECT 'FAM-Z' || translate(upper(lpad(to_hex(n), 5, '0')), '01', 'XY'),
                pg_temp.family(n), 'retired', pg_temp.moment(n), 'expired'
            FROM generate_series(1, 500) AS n;
        INSERT INTO app.family_code_usage_log (family_unit_id, action, at)
            SELECT pg_temp.family(n), 'joined', pg_temp.moment(n) FROM generate_series(1, 500) AS n;
        INSERT INTO app.rate_limits
            SELECT 'test:' || n, pg_temp.moment(n), 1 FROM generate_series(1, 500) AS n;
        INSERT INTO app.code_lookups (user_id, code_digest, looked_up_at)
            SELECT pg_temp.account(n), sha256(n::text::bytea), pg_temp.moment(n)
            FROM generate_series(1, 500) AS n;
        INSERT INTO app.idempotency_keys
                (actor_id, subject_id, route, key, request_digest, created_at, status, answer)
            SELECT pg_temp.account(n), pg_temp.account(n), 'r', 'k', sha256('x'),
                pg_temp.moment(n), 200, '{}'
            FROM generate_series(1, 500) AS n;
        INSERT INTO app.sessions (id, user_id, method, ends_at)
            SELECT md5(n::text)::uuid, pg_temp.account(n), 'email', pg_temp.moment(n)
            FROM generate_series(1, 500) AS n;
        -- The months are there, so that a purge reads no rows to create them.
        SELECT app.maintain_sign_in_months('90 days');
        INSERT INTO app.sign_ins_log (user_id, kind, at)
            SELECT pg_temp.account(n), 'sign_in', pg_temp.moment(n)
            FROM generate_series(1, 500) AS n;
        INSERT INTO app.refresh_tokens (session_id, token_hash)
            SELECT id, sha256(id::text::bytea) FROM app.sessions;
        INSERT INTO app.email_tokens (id, purpose, email, link_hash, expires_at)
            SELECT md5(n::text)::uuid, 'reset', 'a@example.com', sha256(n::text::bytea),
                pg_temp.moment(n)
            FROM generate_series(1, 500) AS n;
        INSERT INTO app.answered_challenges
            SELECT sha256(n::text::bytea), pg_temp.moment(n) FROM generate_series(1, 500) AS n;
        UPDATE app.family_versions SET version = 5
            FROM generate_series(1, 500) AS n WHERE family_unit_id = pg_temp.family(n);
        UPDATE app.user_versions SET version = 5
            FROM generate_series(1, 500) AS n WHERE user_id = pg_temp.account(n);
        INSERT INTO app.family_changes (family_unit_id, version, kind, id, audience, changed_at)
            SELECT pg_temp.family(n), 1, 'family', pg_temp.family(n), 'members', pg_temp.moment(n)
            FROM generate_series(1, 500) AS n;
        INSERT INTO app.user_changes (user_id, version, kind, id, changed_at)
            SELECT pg_temp.account(n), 1, 'profile', pg_temp.account(n), pg_temp.moment(n)
            FROM generate_series(1, 500) AS n;
        INSERT INTO app.audit_log (action, at)
            SELECT 'test.entry', pg_temp.moment(n) - interval '100 days'
            FROM generate_series(1, 500) AS n;
        INSERT INTO app.webhook_events (event_type, occurred_at, data)
            SELECT 'family.created', pg_temp.moment(n), '{}' FROM generate_series(1, 500) AS n;
        RESET session_replication_role;
        """

    /// The tables that a call reads without an index, and the number of rows that it reads by an
    /// index. Rows of versions are not counted, because PostgreSQL uses a merge join for tables as
    /// small as these.
    private func reads(_ call: String) throws -> (changed: Int32, scanned: String?, rows: Int) {
        let connection = try Connection(Self.house.get().test.settings())
        // The tables are small here. A table that is still read whole has no usable index.
        try connection.execute(
            script: """
                SET enable_seqscan = off;
                SET enable_mergejoin = off;
                SET enable_hashjoin = off
                """)
        return try connection.transaction { transaction in
            let changed = try transaction.query(SQL(unsafe: "SELECT \(call)")).scalar(Int32.self)
            // Includes the look-ups of foreign keys.
            try transaction.query("SET CONSTRAINTS ALL IMMEDIATE")
            let (scanned, rows) = try #require(
                try transaction.query(
                    """
                    SELECT string_agg(relname, ' ') FILTER (WHERE seq_scan > 0),
                        coalesce(sum(idx_tup_fetch) FILTER (
                            WHERE relname NOT LIKE '%_versions'), 0)::bigint
                    FROM pg_stat_xact_all_tables WHERE schemaname = 'app'
                    """
                ).map { (row) throws(PostgresError) in
                    (try row.read(String?.self), try row.read(Int.self))
                }.first)
            return (changed, scanned, rows)
        }
    }

    @Test(
        "each purge reads only the due rows, by an index",
        arguments: [
            "expired_invitations", "expired_codes", "closed_invitations", "retired_codes",
            "code_usage_log", "rate_limits", "code_lookups", "idempotency_keys",
            "removed_members", "empty_families", "ended_sessions", "sign_ins_log", "mailed_tickets",
            "family_changes", "user_changes", "answered_challenges", "unexported_audit_entries",
        ])
    func batches(object: String) throws {
        let call = "(app.upkeep_batch('\(object)', '90 days', 10, NULL)).changed"
        let (changed, scanned, rows) = try reads(call)
        #expect(changed == 10)
        // There are few webhook endpoints and API keys.
        let found = Set((scanned ?? "").split(separator: " "))
        #expect(found.isSubset(of: ["webhook_endpoints", "api_keys"]), "\(found)")
        // A family has four members, a child, a code and their dependent rows.
        #expect(rows <= 10 * 40, "\(rows) rows")
    }

    @Test("webhook events are read in order of age, oldest first")
    func webhooks() throws {
        let (changed, scanned, rows) = try reads("(app.maintain_webhooks('90 days', 10)).purged")
        #expect(changed == 10)
        #expect(scanned == nil || scanned == "webhook_endpoints")
        #expect(rows <= 10 * 10, "\(rows) rows")
    }
}
