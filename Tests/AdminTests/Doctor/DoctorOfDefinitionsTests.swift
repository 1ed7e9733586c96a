import JSON
import Postgres
import TestSupport
import Testing

@Suite("hearth-admin doctor: definitions of objects")
struct DoctorOfDefinitionsTests {
    let office: Office

    init() throws { office = try Office() }

    @Test(
        "each damage is found once, and its remedy repairs it",
        arguments: [
            // Indexes.
            (
                """
                DROP INDEX app.family_members_one_parent_admin;
                CREATE INDEX family_members_one_parent_admin ON app.family_members (family_unit_id)
                    WHERE status = 'active' AND household_role = 'parent_admin'
                """,
                "definition_changed index family_members_one_parent_admin on app.family_members"
            ),
            (
                """
                DROP INDEX app.family_invitations_one_pending;
                CREATE UNIQUE INDEX family_invitations_one_pending
                    ON app.family_invitations (family_unit_id, invited_email)
                    WHERE status = 'pending' AND false
                """,
                "definition_changed index family_invitations_one_pending on app.family_invitations"
            ),
            (
                """
                DROP INDEX jobs.live_next;
                CREATE INDEX live_next ON jobs.live (queue, run_at, priority, id)
                """, "definition_changed index live_next on jobs.live"
            ),
            ("DROP INDEX app.users_mailbox", "definition_missing index users_mailbox on app.users"),
            (
                """
                UPDATE pg_index SET indisvalid = false
                WHERE indexrelid = 'app.users_mailbox'::regclass
                """,
                "definition_changed index users_mailbox on app.users"
            ),
            (
                """
                UPDATE pg_index SET indisvalid = false
                WHERE indexrelid = 'app.family_members_slot_key'::regclass
                """,
                "definition_changed constraint family_members_slot_key on app.family_members"
            ),
            (
                "CREATE UNIQUE INDEX extra ON app.users (full_name)",
                "definition_surplus index extra on app.users"
            ),
            // CHECKs and keys.
            (
                """
                ALTER TABLE app.users DROP CONSTRAINT users_managed_has_only_name_and_avatar,
                    ADD CONSTRAINT users_managed_has_only_name_and_avatar CHECK (true)
                """,
                "definition_changed constraint users_managed_has_only_name_and_avatar on app.users"
            ),
            (
                "ALTER TABLE app.users DROP CONSTRAINT users_role_known",
                "definition_missing constraint users_role_known on app.users"
            ),
            (
                "ALTER TABLE app.users ADD CONSTRAINT extra CHECK (full_name <> 'Zoe')",
                "definition_surplus constraint extra on app.users"
            ),
            (
                """
                ALTER TABLE app.family_codes DROP CONSTRAINT family_codes_reason_known,
                    ADD CONSTRAINT family_codes_reason_known CHECK (true) NOT VALID
                """,
                "definition_changed constraint family_codes_reason_known on app.family_codes"
            ),
            // Columns.
            (
                "ALTER TABLE app.users ALTER COLUMN created_at DROP NOT NULL",
                "definition_missing not null created_at on app.users"
            ),
            (
                "ALTER TABLE app.users ALTER COLUMN full_name SET NOT NULL",
                "definition_surplus not null full_name on app.users"
            ),
            (
                "ALTER TABLE app.users ALTER COLUMN email_verified SET DEFAULT true",
                "definition_changed default email_verified on app.users"
            ),
            (
                "ALTER TABLE app.users ALTER COLUMN email_verified DROP DEFAULT",
                "definition_missing default email_verified on app.users"
            ),
            (
                "ALTER TABLE app.users ALTER COLUMN full_name SET DEFAULT 'X'",
                "definition_surplus default full_name on app.users"
            ),
            // Foreign keys.
            (
                """
                ALTER TABLE app.family_members DROP CONSTRAINT family_members_user_fkey,
                    ADD CONSTRAINT family_members_user_fkey FOREIGN KEY (user_id)
                        REFERENCES app.users (id) NOT VALID
                """,
                "definition_changed constraint family_members_user_fkey on app.family_members"
            ),
            (
                """
                ALTER TABLE app.family_members
                    ALTER CONSTRAINT family_members_user_fkey DEFERRABLE INITIALLY DEFERRED
                """,
                "definition_changed constraint family_members_user_fkey on app.family_members"
            ),
            (
                """
                ALTER TABLE app.family_members DROP CONSTRAINT family_members_user_fkey,
                    ADD CONSTRAINT family_members_user_fkey FOREIGN KEY (user_id)
                        REFERENCES app.users (id) ON DELETE CASCADE
                """,
                "definition_changed constraint family_members_user_fkey on app.family_members"
            ),
            (
                "ALTER TABLE app.family_members DISABLE TRIGGER ALL",
                "definition_surplus triggers of foreign keys on app.family_members"
            ),
            // Triggers and rules.
            (
                "ALTER TABLE app.family_members DISABLE TRIGGER audit_statement",
                "definition_surplus firing of trigger audit_statement on app.family_members"
            ),
            (
                "ALTER TABLE app.family_members ENABLE ALWAYS TRIGGER set_updated_at",
                "definition_surplus firing of trigger set_updated_at on app.family_members"
            ),
            (
                "DROP TRIGGER enforce_identity ON app.family_members",
                "definition_missing trigger enforce_identity on app.family_members"
            ),
            (
                """
                CREATE OR REPLACE TRIGGER set_updated_at BEFORE INSERT ON app.users
                    FOR EACH ROW EXECUTE FUNCTION app.set_updated_at()
                """, "definition_changed trigger set_updated_at on app.users"
            ),
            (
                """
                CREATE TRIGGER extra BEFORE UPDATE ON app.users
                    FOR EACH ROW EXECUTE FUNCTION app.set_updated_at()
                """, "definition_surplus trigger extra on app.users"
            ),
            (
                "CREATE RULE extra AS ON DELETE TO app.users DO INSTEAD NOTHING",
                "definition_surplus rule extra on app.users"
            ),
            // Policies.
            (
                "ALTER POLICY users_relative_reads ON app.users USING (true)",
                "definition_changed policy users_relative_reads on app.users"
            ),
            (
                "ALTER POLICY users_relative_reads ON app.users TO PUBLIC",
                "definition_changed policy users_relative_reads on app.users"
            ),
            (
                "DROP POLICY users_relative_reads ON app.users",
                "definition_missing policy users_relative_reads on app.users"
            ),
            (
                "CREATE POLICY hole ON app.users USING (true)",
                "definition_surplus policy hole on app.users"
            ),
            // Functions.
            (
                """
                CREATE OR REPLACE FUNCTION app.require_allowed(p_allowed boolean) RETURNS void
                LANGUAGE plpgsql SET search_path = '' AS 'BEGIN END'
                """, "definition_changed function app.require_allowed(boolean)"
            ),
            (
                "ALTER FUNCTION app.leave_family(uuid, uuid) SECURITY INVOKER",
                "definition_changed function app.leave_family(uuid, uuid)"
            ),
            (
                "ALTER FUNCTION app.leave_family(uuid, uuid) RESET search_path",
                "definition_changed function app.leave_family(uuid, uuid)"
            ),
            (
                "DROP FUNCTION app.leave_family(uuid, uuid)",
                "definition_missing function app.leave_family(uuid, uuid)"
            ),
            (
                """
                DROP FUNCTION app.leave_family(uuid, uuid);
                CREATE FUNCTION app.leave_family(uuid, uuid) RETURNS text LANGUAGE sql
                    RETURN 'left';
                ALTER FUNCTION app.leave_family(uuid, uuid) OWNER TO hearth_owner
                """, "definition_changed function app.leave_family(uuid, uuid)"
            ),
            (
                "CREATE FUNCTION app.extra() RETURNS integer LANGUAGE sql RETURN 1",
                "definition_surplus function app.extra()"
            ),
            // Views.
            (
                """
                CREATE OR REPLACE VIEW app.my_families WITH (security_barrier) AS
                    SELECT family_unit_id FROM app.family_members
                """, "definition_changed view app.my_families"
            ),
            (
                "ALTER VIEW api.users SET (security_invoker = false)",
                "definition_changed view api.users"
            ),
            (
                """
                DO $$ BEGIN EXECUTE 'CREATE OR REPLACE VIEW app.member_list '
                    'WITH (security_barrier = true) AS '
                    || replace(rtrim(pg_get_viewdef('app.member_list'::regclass), ';'),
                               E'\\n   FROM', E', 1 AS extra\\n   FROM');
                END $$
                """, "definition_changed view app.member_list"
            ),
            ("DROP VIEW app.my_sessions", "definition_missing view app.my_sessions"),
            (
                "CREATE VIEW app.extra AS SELECT 1 AS one; GRANT SELECT ON app.extra TO PUBLIC",
                "definition_surplus view app.extra"
            ),
            // Tables and sequences.
            (
                "ALTER TABLE app.suppressed_addresses SET UNLOGGED",
                "definition_changed table app.suppressed_addresses"
            ),
            (
                """
                CREATE TABLE app.extra (id integer PRIMARY KEY, name text NOT NULL DEFAULT '');
                CREATE POLICY p ON app.extra USING (true);
                GRANT SELECT ON app.extra TO hearth_api
                """, "definition_surplus table app.extra"
            ),
            ("ALTER SEQUENCE jobs.tokens CYCLE", "definition_changed sequence jobs.tokens"),
            ("DROP SEQUENCE jobs.tokens", "definition_missing sequence jobs.tokens"),
            // Owners.
            (
                "ALTER FUNCTION app.user_id() OWNER TO postgres",
                "right_changed function app.user_id() owner hearth_owner"
            ),
            (
                "ALTER VIEW app.my_families OWNER TO hearth_owner",
                "right_changed view app.my_families owner hearth_authz"
            ),
            (
                "ALTER TABLE app.users OWNER TO hearth_migrator",
                "right_changed table app.users owner hearth_owner"
            ),
            ("ALTER SCHEMA jobs OWNER TO postgres", "right_changed schema jobs owner hearth_owner"),
            (
                "ALTER SEQUENCE jobs.tokens OWNER TO postgres",
                "right_changed sequence jobs.tokens owner hearth_owner"
            ),
        ])
    func damage(_ damage: String, _ told: String) throws {
        let family = try office.makeFamily()
        let findings = try office.findings(after: damage)
        let kinds = try findings.map { finding in
            "\(try finding["kind"].string()) \(try finding["message"].string())"
        }
        // The doctor also reports what the API's statements need if it is gone, and the areas that
        // can't be checked because of it.
        let rest = try findings.filter {
            try !["schema_unfit", "area_unchecked"].contains($0["kind"].string())
        }
        #expect(rest.count == 1, "\(kinds)")
        #expect(kinds.contains { $0.hasPrefix(told) }, "\(kinds)")
        try office.follow(rest)
        #expect(try office.json("family show \(family)")["members"].elements().count == 3)
    }

    @Test("damaged objects that depend on each other are repaired in the order of their remedies")
    func several() throws {
        try office.follow(
            try office.findings(
                after: """
                    DROP VIEW app.my_families CASCADE;
                    DROP INDEX app.users_mailbox;
                    ALTER TABLE app.users ALTER COLUMN created_at DROP NOT NULL,
                        ALTER COLUMN created_at DROP DEFAULT;
                    ALTER TABLE app.family_members DISABLE TRIGGER ALL
                    """
            ).filter { try $0["kind"].string() != "schema_unfit" })
    }

    @Test("the remedy for a surplus table sets it aside with its rows")
    func setAside() throws {
        let findings = try office.findings(
            after: "CREATE TABLE app.extra (a int); INSERT INTO app.extra VALUES (1), (2)")
        try office.follow(findings)
        #expect(try office.scalar("SELECT count(*) FROM set_aside.extra") as Int64 == 2)
    }

    @Test("the remedy for lost data is a backup, with the statement that creates the column")
    func data() throws {
        let findings = try office.findings(
            after: "ALTER TABLE jobs.dead DROP COLUMN unique_key; CREATE TABLE app.x (a int)")
        let remedies = try findings.map { try $0["remedy"].string() }
        #expect(
            remedies.contains {
                $0.hasPrefix("restore it from a backup")
                    && $0.hasSuffix("ALTER TABLE jobs.dead ADD COLUMN unique_key text")
            }, "\(remedies)")
        #expect(!remedies.contains { $0.contains("DROP TABLE") || $0.contains("DROP COLUMN") })
    }

    @Test(
        "definitions recorded by another server version are reported once, with a remedy")
    func otherVersion() throws {
        try Connection(office.database.settings()).execute(
            script: """
                UPDATE migrations.definitions SET server_version = 140001,
                    statement = replace(statement, '(', '( ') WHERE kind = 'constraint'
                """)
        let ending = try office.doctor()
        let findings = try ending.json()["findings"].elements()
        #expect(findings.count == 1)
        #expect(try findings.first?["kind"].string() == "definitions_reworded")
        #expect(try findings.first?["remedy"].string().contains("hearth-migrate record") == true)
    }

    @Test(
        "without a record of the migrations' objects, doctor reports definitions_unrecorded",
        arguments: [
            ("DELETE FROM migrations.definitions", "hearth-migrate record"),
            ("DROP TABLE migrations.definitions, migrations.recording", "hearth-migrate record"),
            (
                "INSERT INTO migrations.recording (objects, statements) VALUES ('{}', '{}')",
                "hearth-migrate up"
            ),
        ])
    func unrecorded(_ damage: String, _ remedy: String) throws {
        let findings = try office.findings(after: damage)
        #expect(findings.count == 1)
        #expect(try findings.first?["kind"].string() == "definitions_unrecorded")
        #expect(try findings.first?["remedy"].string().hasPrefix(remedy) == true)
    }
}
