import Postgres
import TestSupport
import Testing

/// An account's id is the subject of its first sign-in by a primary issuer. It changes when the
/// account gets that sign-in. The rows that remain of an erased person get another id too.
@Suite("Changes of account ids")
struct AccountIDTests {
    private let scene: GuardianScene
    private var house: House { scene.house }
    private var person: Person { scene.mother }
    private let connection: Connection

    init() throws {
        scene = try GuardianScene()
        connection = try scene.house.superuser()
    }

    /// Columns with a person's id, which a change of an account's id updates.
    private static let people: Set<String> = [
        "app.account_consents.user_id",
        "app.audit_log.actor_user_id", "app.audit_log.subject_user_id", "app.audit_log.target_id",
        "app.code_lookups.user_id", "app.console_links.user_id",
        "app.console_passkeys.user_id", "app.console_sessions.user_id", "app.consents.ended_by",
        "app.consents.given_by",
        "app.email_sign_ins.user_id", "app.family_attributes.updated_by",
        "app.family_code_usage_log.user_id", "app.family_invitations.accepted_by",
        "app.family_invitations.invited_by", "app.family_members.active_adult_user_id",
        "app.family_members.active_guardian_id", "app.family_members.parent_user_id",
        "app.family_members.removed_by", "app.family_members.user_id",
        "app.family_units.created_by_user_id", "app.guardianships.added_by",
        "app.email_tokens.user_id", "app.guardianships.guardian_user_id",
        "app.idempotency_keys.actor_id",
        "app.idempotency_keys.subject_id", "app.member_preferences.updated_by",
        "app.member_preferences.user_id", "app.operators.user_id", "app.passkeys.user_id",
        "app.passwords.user_id", "app.provider_tokens.user_id", "app.role_changes.changed_by",
        "app.role_changes.confirmed_by", "app.role_conflicts.user_id", "app.sessions.user_id",
        "app.sign_ins_log.user_id", "app.user_aliases.account_id", "app.user_changes.user_id",
        "app.unlinked_sign_ins.user_id", "app.user_identities.user_id",
        "app.user_versions.user_id", "app.users.id", "jobs.history.recipient",
    ]

    /// Columns of type uuid that identify something other than a person.
    private static let others: Set<String> = [
        "app.account_consents.id",
        "app.audit_exports.id", "app.audit_log.family_unit_id", "app.audit_log.id",
        "app.console_passkeys.id", "app.consents.family_unit_id", "app.consents.id",
        "app.consents.member_id",
        "app.erasures.id", "app.family_attributes.family_unit_id",
        "app.family_changes.family_unit_id", "app.family_changes.id",
        "app.family_code_usage_log.family_unit_id", "app.family_code_usage_log.id",
        "app.family_codes.family_unit_id", "app.family_invitations.family_unit_id",
        "app.family_invitations.graduate_id", "app.family_invitations.id",
        "app.family_members.family_unit_id", "app.family_members.id", "app.family_units.id",
        "app.family_versions.family_unit_id", "app.guardianships.family_unit_id",
        "app.guardianships.member_id", "app.invitation_secrets.invitation_id",
        "app.email_tokens.id",
        "app.member_preferences.family_unit_id", "app.passkeys.id", "app.passkeys.model",
        // Rows of an open transaction; change_account_id changes those of its own transaction.
        "app.pending_changes.family_unit_id", "app.pending_changes.id",
        "app.pending_changes.user_id",
        "app.provider_tokens.id", "app.refresh_tokens.session_id",
        "app.refused_invitations.family_unit_id", "app.role_changes.family_unit_id",
        "app.role_changes.member_id", "app.role_conflicts.by_member_id",
        "app.role_conflicts.family_unit_id", "app.role_conflicts.member_id", "app.sessions.id",
        "app.sessions.shown_family_id", "app.sign_ins_log.id",
        "app.sessions.parent_id", "app.page_tickets.session_id",
        "app.user_changes.family_unit_id",
        // The id of a child before it grew up: never an account.
        "app.user_aliases.alias_id",
        "app.process_samples.process_id", "app.processes.id",
        "app.webhook_attempts.endpoint_id", "app.webhook_deliveries.endpoint_id",
        "app.webhook_deliveries.family_unit_id",
        "app.webhook_endpoints.id", "app.webhook_events.family_unit_id", "app.webhook_events.id",
        "app.standby_readers.id", "app.api_keys.id", "app.api_key_uses.key_id",
        "jobs.dead.family_unit_id", "jobs.history.family_unit_id",
        "jobs.live.family_unit_id",
    ]

    /// Columns that keep former ids on purpose.
    private static let former: Set<String> = [
        "app.former_ids.former_id", "app.passkeys.handle",
        "app.former_ids.user_id", "app.sessions.former_user_ids",
        "app.user_changes.id",
    ]

    private func idColumns() throws -> Set<String> {
        Set(
            try connection.query(
                """
                SELECT format('%s.%s.%s', n.nspname, c.relname, a.attname)
                FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
                JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname IN ('app', 'jobs') AND c.relkind IN ('r', 'p')
                    AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
                    AND a.atttypid IN ('uuid'::regtype, 'uuid[]'::regtype)
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) })
    }

    @Test("every uuid column is listed, either as an account's id or as another id")
    func columns() throws {
        let known = Self.people.union(Self.others).union(Self.former)
        let found = try idColumns()
        let (forgotten, gone) = (found.subtracting(known), known.subtracting(found))
        #expect(forgotten == [])
        #expect(gone == [])
    }

    /// Adds a row of the person for every column in ``people``, by plain statements.
    private func fill() throws {
        _ = try Belongings(of: person, by: connection)
        try scene.guardians(scene.father, of: scene.child)
        let member = try scene.member(person)
        let link = try house.invitation(of: scene.neighbour, to: scene.other)
        try scene.call(person, "SELECT app.decline_invitation(\(link.token), NULL)")
        try connection.execute(script: "SET session_replication_role = replica")
        let (me, family) = (person.id, scene.family.id)
        let statements: [SQL] = [
            """
            UPDATE app.family_members SET removed_at = now(), status = 'removed', slot = NULL,
                removed_by = \(me) WHERE id = \(scene.sibling)
            """,
            "UPDATE app.guardianships SET added_by = \(me) WHERE family_unit_id = \(family)",
            """
            INSERT INTO app.audit_log (action, subject_user_id, target_id) VALUES
                ('identity.add', \(me), \(me))
            """,
            """
            INSERT INTO app.consents (family_unit_id, member_id, purpose, version, method,
                given_by, ended_by, ended_at) VALUES (\(family), \(scene.child), 'photos', '1',
                'signed_in', \(me), \(me), now())
            """,
            """
            INSERT INTO app.member_preferences (family_unit_id, user_id, preferences,
                updated_by) VALUES (\(family), \(me), '{}', \(me))
            """,
            """
            INSERT INTO app.family_attributes (family_unit_id, attributes, updated_by) VALUES
                (\(family), '{}', \(me))
            """,
            """
            INSERT INTO app.role_changes (member_id, family_unit_id, household_role, changed_at,
                changed_by, confirmed_at, confirmed_by) VALUES (\(member), \(family), 'adult',
                now(), \(me), now(), \(me))
            """,
            """
            INSERT INTO app.role_conflicts (user_id, member_id, family_unit_id, at) VALUES
                (\(me), \(member), \(family), now())
            """,
            """
            INSERT INTO app.idempotency_keys (actor_id, subject_id, route, key, request_digest,
                status, answer) VALUES (\(me), \(me), 'POST /x', 'one', sha256('1'), 200, '{}')
            """,
            "INSERT INTO app.account_consents (user_id, purpose, version) VALUES (\(me), 'a', '1')",
            """
            INSERT INTO app.email_tokens (id, purpose, email, link_hash, expires_at, user_id)
            VALUES (gen_random_uuid(), 'change', 'x@family.example', sha256('1'),
                now() + interval '1 hour', \(me))
            """,
            "INSERT INTO app.code_lookups (user_id, code_digest) VALUES (\(me), sha256('1'))",
            """
            INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action) VALUES
                (\(scene.other.id), \(me), 'rejected')
            """,
            """
            INSERT INTO app.unlinked_sign_ins (issuer, subject_hash, user_id) VALUES ('x',
                sha256('1'), \(me))
            """,
            "INSERT INTO app.user_aliases (alias_id, account_id) VALUES (\(scene.sibling), \(me))",
            """
            INSERT INTO app.operators (user_id, role, added_by) VALUES (\(me), 'viewer', 'a')
            """,
            """
            INSERT INTO app.console_links (user_id, token_hash, expires_at)
            VALUES (\(me), sha256('1'), now())
            """,
            """
            INSERT INTO app.console_passkeys (user_id, credential_id, public_key, counter,
                is_backup_eligible, is_backed_up) VALUES (\(me), '1', '1', 0, false, false)
            """,
            """
            INSERT INTO app.console_sessions (user_id, token_hash, method, ends_at)
            VALUES (\(me), sha256('1'), 'link', now())
            """,
            "INSERT INTO app.sign_ins_log (user_id, kind) VALUES (\(me), 'sign_in')",
            """
            INSERT INTO app.user_changes (user_id, version, kind, id) VALUES (\(me), 1,
                'profile', \(me))
            """,
            """
            INSERT INTO app.family_invitations (family_unit_id, invited_by, accepted_by,
                accepted_at, closed_at, status, role, household_role, delivery) VALUES (\(family),
                \(me), \(me), now(), now(), 'accepted', 'parent', 'adult', 'link')
            """,
            """
            INSERT INTO app.rate_limits (bucket, window_start, hits) VALUES ('code:account:' ||
                \(me)::uuid, now(), 1)
            """,
            "SELECT app.enqueue_family_mail('mail.admin_changed', \(family), \(me), \(me))",
            """
            INSERT INTO jobs.history (id, attempt, queue, kind, outcome, recipient)
            VALUES (1, 0, 'mail', 'mail.account_blocked', 'done', \(me))
            """,
        ]
        for statement in statements { try connection.query(statement) }
        try connection.execute(script: "SET session_replication_role = origin")
    }

    /// The columns of ``people`` that contain the id, and the tables with any row that contains it.
    private func occurrences(of id: UInt128) throws -> (columns: Set<String>, tables: Set<String>) {
        var columns: Set<String> = []
        for name in Self.people {
            let parts = name.split(separator: ".").map(String.init)
            let count = try connection.query(
                """
                SELECT count(*) FROM \(unsafe: "\(parts[0]).\(parts[1])")
                WHERE \(unsafe: parts[2]) = \(id)
                """
            ).scalar(Int.self)
            if count > 0 { columns.insert(name) }
        }
        var tables: Set<String> = []
        let names = try connection.query(
            """
            SELECT format('%s.%s', n.nspname, c.relname)
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('app', 'jobs') AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        for name in names {
            let count = try connection.query(
                """
                SELECT count(*) FROM \(unsafe: name) AS t
                WHERE t::text ~ (\(Person(id: id).subject) || '([^@]|$)')
                """
            ).scalar(Int.self)
            if count > 0 { tables.insert(name) }
        }
        return (columns, tables)
    }

    @Test("a changed id is replaced in every table, including the audit log")
    func everywhere() throws {
        try fill()
        let empty = Self.people.subtracting(try occurrences(of: person.id).columns)
        #expect(empty == [])
        let new = UInt128.random(in: 1 ... .max)
        try house.owner().query("SELECT app.change_account_id(\(person.id), \(new))")
        let tables = try occurrences(of: person.id).tables
        #expect(tables == ["app.former_ids", "app.sessions", "app.user_changes"])
        let left = Self.people.subtracting(try occurrences(of: new).columns)
        #expect(left == [])
        // The former id is recorded as gone, under the new one.
        #expect(
            try house.count("SELECT count(*) FROM app.user_changes WHERE user_id = \(person.id)")
                == 0)
    }

    @Test("the audit log can be updated only by a change of an account's id")
    func trail() throws {
        let changed = try house.owner().query(
            "UPDATE app.audit_log SET actor_user_id = NULL RETURNING 1")
        #expect(changed.count == 0)
    }

    private func erase() throws {
        let heir = try scene.member(scene.father)
        _ = try house.asOperator {
            try $0.query("SELECT FROM app.erase_user(\(person.id), ARRAY[\(heir)]::uuid[])")
        }
    }

    @Test("an erased person's id remains in no table except in webhook events")
    func erased() throws {
        try connection.query(
            """
            INSERT INTO app.webhook_endpoints (id, url, event_types, secret_hash)
            VALUES (gen_random_uuid(), 'https://hooks.test/', '{account.erased}',
                sha256('1'))
            """)
        try fill()
        try connection.query("DELETE FROM app.user_aliases")
        // An operator's account isn't erased.
        try connection.query("DELETE FROM app.operators")
        try erase()
        let tables = try occurrences(of: person.id).tables
        #expect(tables == ["app.webhook_events"])
        let told = try connection.query(
            """
            SELECT data->>'userId' FROM app.webhook_events
            WHERE event_type = 'account.erased' AND data->>'isManaged' = 'false'
            """
        ).scalar(String.self)
        #expect(told == person.subject)
        #expect(try house.count("SELECT count(*) FROM app.former_ids") == 0)
    }

    // MARK: Adopting

    /// Creates an account by another issuer's sign-in and returns its id.
    private func earlierAccount() throws -> UInt128 {
        try Connection(house.test.settings(as: "hearth_api")).query(
            """
            SELECT user_id FROM app.upsert_user('https://other.test', sha256('other'), NULL, NULL,
                false, 'Earlier', 'parent', NULL)
            """
        ).scalar(UInt128.self)
    }

    /// Adds a person's primary sign-in to an account of ``earlierAccount()``.
    private func add(_ newcomer: Person) throws {
        try Connection(house.test.settings(as: "hearth_api")).transaction { transaction in
            try transaction.query(
                """
                SELECT outcome FROM app.begin_request('https://other.test', sha256('other'), NULL,
                    NULL, NULL)
                """)
            try transaction.query(
                """
                SELECT app.add_sign_in(\(Person.issuer),
                    sha256(convert_to(\(newcomer.signIn), 'UTF8')), \(newcomer.email), true,
                    extract(epoch FROM now())::bigint, extract(epoch FROM now())::bigint, '{}', \(newcomer.id))
                """)
        }
    }

    private func accounts() throws -> Set<UInt128> {
        Set(
            try connection.query(
                "SELECT id FROM app.users WHERE kind = 'account' AND deleted_at IS NULL"
            ).map { (row) throws(PostgresError) in try row.read(UInt128.self) })
    }

    @Test("an account's first primary sign-in makes its subject the id, and the session continues")
    func adopted() throws {
        let (account, session) = (try earlierAccount(), UInt128.random(in: 1 ... .max))
        try connection.query(
            """
            INSERT INTO app.sessions (id, user_id, method, ends_at)
            VALUES (\(session), \(account), 'email', now() + interval '1 day')
            """)
        let newcomer = Person()
        try add(newcomer)
        #expect(try accounts().contains(newcomer.id) && !accounts().contains(account))
        let api = try Connection(house.test.settings(as: "hearth_api"))
        for named in [account, newcomer.id] {
            let found = try api.query(
                "SELECT outcome || ' ' || user_id FROM app.begin_session(\(session), \(named))"
            ).scalar(String.self)
            #expect(found == "known \(newcomer.subject)")
            let together = try api.query(
                """
                SELECT outcome || ' ' || user_id FROM app.begin_requests(ARRAY[NULL::text],
                    ARRAY[NULL::bytea], ARRAY[NULL::text], ARRAY[NULL::boolean],
                    ARRAY[NULL::boolean], ARRAY[\(session)::uuid], ARRAY[\(named)::uuid])
                """
            ).scalar(String.self)
            #expect(together == "known \(newcomer.subject)")
        }
        let strange = try api.query(
            "SELECT outcome FROM app.begin_session(\(session), \(scene.father.id))"
        ).scalar(String.self)
        #expect(strange == "session_ended")
        let was = try api.query("SELECT app.was_id_of(\(newcomer.id), \(account))")
            .scalar(Bool.self)
        #expect(was)
    }

    @Test("an account that becomes an operator meanwhile keeps its id")
    func operatorMeanwhile() throws {
        let (house, newcomer) = (house, try house.person())
        let before = UInt128.random(in: 1 ... .max)
        try house.owner().query("SELECT app.change_account_id(\(newcomer.id), \(before))")
        try connection.query(
            "UPDATE app.user_identities SET claims_mark = NULL WHERE user_id = \(before)")
        let settings = house.test.settings(as: "hearth_api")
        let met = try house.race(
            { try house.asOperator($0) },
            early: { try $0.query("SELECT app.operator_set_role(\(before), 'admin', true)") },
            late: {
                _ = try Connection(settings).query(
                    """
                    SELECT outcome FROM app.upsert_user(\(Person.issuer),
                        sha256(convert_to(\(newcomer.signIn), 'UTF8')), \(newcomer.id),
                        \(newcomer.email), true, NULL, NULL, NULL, 7)
                    """)
            })
        #expect(met == nil)
        #expect(try accounts().contains(before) && !accounts().contains(newcomer.id))
    }

    @Test("a second sign-in of a primary issuer is refused, and nothing changes")
    func second() throws {
        _ = try earlierAccount()
        let newcomer = Person()
        try add(newcomer)
        let before = try accounts()
        #expect(try refusal { try add(Person()) } == "HF409 identity_of_issuer_exists")
        #expect(try accounts() == before)
    }

    @Test("an account that gets the sign-in of an unused account takes over that account's id")
    func givenUp() throws {
        let (account, newcomer) = (try earlierAccount(), try house.person())
        #expect(try accounts().isSuperset(of: [account, newcomer.id]))
        try add(newcomer)
        #expect(try accounts().contains(newcomer.id) && !accounts().contains(account))
        let name = try connection.query(
            "SELECT full_name FROM app.users WHERE id = \(newcomer.id)"
        ).scalar(String.self)
        #expect(name == "Earlier")
    }

    @Test("an id in use by one person is not assigned to another")
    func taken() throws {
        let account = try earlierAccount()
        let child = Person(id: scene.child)
        try add(child)
        #expect(try accounts().contains(account))
        #expect(
            try house.count("SELECT count(*) FROM app.users WHERE id = \(scene.child)") == 1)
    }

    @Test(
        "an account whose id differs from its primary subject gets that subject at its next sign-in"
    )
    func mended() throws {
        let before = UInt128.random(in: 1 ... .max)
        try house.owner().query("SELECT app.change_account_id(\(person.id), \(before))")
        try connection.query(
            "UPDATE app.user_identities SET claims_mark = NULL WHERE user_id = \(before)")
        let seen = try Connection(house.test.settings(as: "hearth_api")).query(
            """
            SELECT outcome || ' ' || user_id FROM app.upsert_user(\(Person.issuer),
                sha256(convert_to(\(person.signIn), 'UTF8')), \(person.id), \(person.email),
                true, NULL, NULL, NULL, 7)
            """
        ).scalar(String.self)
        #expect(seen == "known \(person.subject)")
        #expect(try accounts().contains(person.id) && !accounts().contains(before))
    }

    // MARK: Returning

    @Test("an erased person who signs in again keeps its id for direct clients, and no data")
    func returned() throws {
        try erase()
        try connection.query("DELETE FROM app.erasures")
        try house.asDirect(person) { transaction in
            let me = try transaction.query("SELECT id FROM api.users").map {
                (row) throws(PostgresError) in try row.read(UInt128.self)
            }
            #expect(me == [person.id])
            let memberships = try transaction.query(
                "SELECT FROM api.family_members WHERE user_id = \(person.id)")
            #expect(memberships.count == 0)
            try transaction.query(
                "INSERT INTO api.family_units (created_by_user_id) VALUES (\(person.id))")
        }
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.family_members
                WHERE family_unit_id = \(scene.family.id) AND user_id = \(person.id)
                """) == 0)
    }
}
