import Postgres
import TestSupport
import Testing

/// Calls every function that a role may execute with the ids of another family.
@Suite("Isolation of families by function")
struct FunctionIsolationTests {
    static let victims = Result { try Victims(in: try House()) }
    private var victims: Victims { get throws { try Self.victims.get() } }

    /// Functions that by design trust the caller named in their arguments. gateway.begin_request
    /// trusts the claims that PostgREST has verified.
    private static let believing: Set = [
        "app.begin_request", "app.begin_requests", "app.versions_of_callers", "app.begin_session",
        "app.upsert_user",
        "gateway.begin_request",
        // Functions without a caller, or for the owner of a mailed secret or a password.
        "app.create_email_token", "app.password_of_address", "app.sign_in_by_mail",
        "app.sign_in_by_password", "app.passkey_of_credential", "app.sign_in_by_passkey",
        // A process's own row, which contains nothing of a family.
        "app.renew_standby_reader",
        // A process checks its secret key with this function: it returns an id, for a caller who
        // could compute the link.
        "app.newest_link",
    ]

    /// A function with the names and types of its parameters.
    struct Function {
        let name: String
        let parameters: [(name: String, type: String)]
    }

    static func functions(of role: Intruder.Role, in house: House) throws -> [Function] {
        let rows = try house.superuser().query(
            """
            SELECT p.pronamespace::regnamespace || '.' || p.proname, (
                SELECT coalesce(string_agg(p.proargnames[i] || ' ' || t::regtype, ','), '')
                FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, i))
            FROM pg_proc AS p
            WHERE p.pronamespace::regnamespace::text IN ('app', 'api', 'gateway')
                AND has_function_privilege(\(role.rawValue), p.oid, 'EXECUTE')
                AND has_schema_privilege(\(role.rawValue), p.pronamespace, 'USAGE')
            ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in
            (try row.read(String.self), try row.read(String.self))
        }
        return rows.map { name, parameters in
            Function(
                name: name,
                parameters: parameters.split(separator: ",").map {
                    let words = $0.split(separator: " ", maxSplits: 1).map(String.init)
                    return (words[0], words[1])
                })
        }
    }

    /// Arguments by parameter name; null for all others.
    private func values(_ victims: Victims, member: UInt128, role: String) -> [String: String] {
        [
            "p_family": "'\(victims.family.id.uuid)'", "p_member": "'\(member.uuid)'",
            "p_guardian_member": "'\(victims.parentMember.uuid)'",
            "p_invitation": "'\(victims.invitation.uuid)'", "p_household_role": "'\(role)'",
            "p_role": "'parent'", "p_display_name": "'Mine'", "p_family_name": "'Mine'",
            "p_details": "'{}'", "p_email": "'x@example.com'", "p_delivery": "'email'",
            "p_token_hash": "sha256('a guess')", "p_generation": "2", "p_code": "'FAM-222222'",
            "p_always_new": "false", "p_rotate_code": "true", "p_only_waiting": "false",
            "p_clear_home": "true",
            "p_approval_required": "true", "p_buckets": "ARRAY['test']", "p_limits": "ARRAY[5]",
            "p_window": "'1 hour'", "p_id": "'\(victims.family.id.uuid)'",
            "p_user": "'\(victims.creator.id.uuid)'", "p_creator": "'\(victims.creator.id.uuid)'",
            "p_name": "'Mine'", "p_route": "'r'", "p_key": "'k'",
            "p_request_digest": "sha256('r')", "p_claim": "'\(victims.family.id.uuid)'",
            "p_status": "200", "p_answer": "'a'", "p_full_name": "'Mine'",
        ]
    }

    private func call(_ function: Function, _ values: [String: String]) -> String {
        let arguments = function.parameters.map {
            "(\(values[$0.name] ?? "NULL"))::\($0.type)"
        }
        return "SELECT r::text FROM \(function.name)(\(arguments.joined(separator: ", "))) AS r"
    }

    @Test("a function can't read or change anything of another family")
    func outsiders() throws {
        let victims = try victims
        let before = try victims.fingerprint()
        for intruder in try RelationIsolationTests.intruders(victims) {
            let connection = try intruder.connect(to: victims.house)
            let members = [victims.parentMember, victims.child, victims.removedMember]
            for function in try Self.functions(of: intruder.role, in: victims.house)
            where !Self.believing.contains(function.name) {
                for member in members {
                    let statement = call(
                        function, values(victims, member: member, role: "parent_admin"))
                    let told =
                        switch try intruder.run(statement, reads: true, on: connection) {
                        case .answered(let rows): rows.joined(separator: " ")
                        case .refused(_, let told): told
                        case .touched, .copied: "nothing"
                        }
                    for mark in victims.marks where !statement.contains(mark) {
                        #expect(!told.contains(mark), "\(intruder): \(statement): \(told)")
                    }
                }
            }
            #expect(try victims.fingerprint() == before, "\(intruder)")
        }
    }

    @Test("functions do nothing before a request has begun, except those that need no caller")
    func unbegun() throws {
        let victims = try victims
        let expected: [(Intruder.Role, [String])] = [
            (
                .api,
                [
                    "app.account_id",
                    // Requires a mailed link, which nobody can guess.
                    "app.account_of_link",
                    // Require a page ticket, which nobody can guess.
                    "app.account_of_page_ticket", "app.use_page_ticket",
                    // It returns its arguments, for a request that has not begun.
                    "app.set_subject",
                    "app.actor_id",
                    // Names and checksums of files.
                    "app.applied_repeatable_files",
                    // Contents of settings, before any request.
                    "app.apply_code_settings", "app.apply_consent_purposes",
                    // Concerns a family that the caller governs, so none.
                    "app.audit_page",
                    // Needs the sign-in of a request, of which there is none.
                    "app.sign_in_created_account",
                    // False without an account.
                    "app.belongs_to_family_of",
                    // Hashes and versions.
                    "app.changed_since",
                    // For the account whose request has begun, so none.
                    "app.claim_provider_check",
                    "app.claims_mark",
                    // Requires a refresh token, which nobody can guess.
                    "app.end_session_of_token",
                    // Concerns the named process.
                    "app.end_standby_reader",
                    // Concerns a family of the caller's, so none.
                    "app.family_version_raised_at",
                    // Depend only on their arguments.
                    "app.other_player_details", "app.display_name",
                    // Numbers for monitoring.
                    "app.code_guess_status",
                    // Limits.
                    "app.invitation_looks_window",
                    // Concerns the given hashes.
                    "app.is_link_known",
                    // Concerns the given id.
                    "app.kind_of_invitation",
                    // A-labels of domains, which are computed before any request begins.
                    "app.store_domain_label",
                    "app.max_invitation_looks",
                    // Return data of the caller; without one there are none.
                    "app.my_identities", "app.my_passkey_account", "app.my_passkeys",
                    "app.my_password", "app.my_version_raised_at", "app.my_sign_ins",
                    // Counts the given events that belong to an account.
                    "app.record_sign_ins",
                    // Numbers for monitoring.
                    "app.latest_findings",
                    "app.oldest_transaction_seconds",
                    // Returns those of the given versions that are wrong.
                    "app.outdated_versions",
                    // Concerns the caller's membership, so none.
                    "app.own_status_at_code",
                    "app.preview_invitation", "app.prospect_of_invitation",
                    // The session of a request, of which there is none.
                    "app.extend_session", "app.choose_shown_family", "app.shown_family",
                    "app.unseen_role_conflicts", "app.hide_role_conflicts",
                    // Requires a refresh token, which nobody can guess.
                    "app.refresh_session",
                    // Concerns the named process.
                    "app.report_process", "app.report_signing_keys",
                    // Requires an invitation's token, which nobody can guess either.
                    "app.refusable_invitation", "app.refuse_invitations",
                    // Counters.
                    "app.release_hits", "app.release_password_attempt", "app.reserve_hits",
                    "app.reserve_passkey_attempt", "app.reserve_password_attempt",
                    // Requires a mailed secret, which nobody can guess either.
                    "app.password_reset_user", "app.reset_password",
                    // Return false without a caller.
                    "app.role_was_changed_later", "app.caller_is_operator",
                    // Concerns the given session.
                    "app.session_was_erased",
                    // For the account of a request, of which there is none.
                    "app.set_locale_if_unknown",
                    // Numbers of processes and servers.
                    "app.standbys_in_use",
                    // Compares its arguments.
                    "app.claims_unchanged",
                    "app.try_mailed_code",
                    "app.user_id",
                    // The caller's former families, so none.
                    "app.versions_on_leaving",
                    // Concerns the given sign-in.
                    "app.was_erased",
                    // Concerns the given ids.
                    "app.was_id_of",
                    // Numbers for monitoring.
                    "app.webhook_stats",
                ]
            ),
            (.direct, []), (.anonymous, []),
        ]
        for (role, names) in expected {
            let intruder = Intruder(role: role, person: nil)
            let connection = try intruder.connect(to: victims.house)
            var answered: [String] = []
            for function in try Self.functions(of: role, in: victims.house)
            where !Self.believing.contains(function.name) {
                let statement = call(
                    function, values(victims, member: victims.parentMember, role: "adult"))
                switch try intruder.run(statement, reads: true, on: connection) {
                case .answered: answered.append(function.name)
                case .refused(let state, let told):
                    let isNobody = state == "HF403" && told.hasPrefix("Nobody is signed in.")
                    #expect(isNobody || state == .insufficientPrivilege, "\(statement)")
                case .touched, .copied: Issue.record("\(statement)")
                }
            }
            #expect(answered == names.sorted(), "\(role)")
        }
    }

    @Test("a function can't raise the caller's role in its own family")
    func raising() throws {
        let house = try House()
        let victims = try Victims(in: house)
        let player = try house.person("player")
        try house.join(player, victims.family)
        let lower = try ["kid", "visitor"].map { role in
            let person = try house.person()
            let member = try house.join(person, victims.family)
            try house.asAPI(victims.creator) {
                try $0.query(.changeHouseholdRole(of: member, to: role))
            }
            return person
        }
        let standing: SQL = """
            SELECT array_position(ARRAY['visitor', 'kid', 'adult', 'parent_admin'], household_role)
                || ' ' || role || ' ' || status || ' ' || joined_via
            FROM app.family_members WHERE user_id = app.user_id()
            """
        for person in [victims.parent, player] + lower {
            let intruder = Intruder(role: .api, person: person)
            let connection = try intruder.connect(to: house)
            let member = try house.membership(person, victims.family)
            var statements: [String] = []
            for function in try Self.functions(of: .api, in: house)
            where !Self.believing.contains(function.name) {
                for role in ["parent_admin", "adult", "kid", "visitor"] {
                    statements.append(
                        call(function, values(victims, member: member, role: role)))
                }
            }
            for relation in try RelationIsolationTests.relations(of: house) {
                statements += relation.columns.map { "UPDATE \(relation.name) SET \($0) = $$x$$" }
            }
            for statement in statements {
                struct Undone: Error {}
                do {
                    try connection.transaction { transaction in
                        try intruder.begin(transaction)
                        let before = try transaction.query(standing).scalar(String.self)
                        try transaction.query(SQL(unsafe: statement))
                        let after = try transaction.query(standing).scalar(String.self)
                        #expect(
                            before.prefix(1) >= after.prefix(1)
                                && (before.dropFirst() == after.dropFirst()
                                    || after.contains(" removed ")),
                            "\(statement)")
                        throw Undone()
                    }
                } catch is Undone {
                } catch let error as PostgresError {
                    #expect(error.server != nil, "\(statement): \(error)")
                }
            }
        }
    }

    @Test("a caller can't act through a removed, reassigned or foreign child")
    func acting() throws {
        let house = try House()
        let victims = try Victims(in: house)
        let other = try house.person()
        let family = try house.family(of: other)
        let foreign = try house.child(of: other, in: family)
        let (handedOn, gone) = (
            try house.child(of: victims.parent, in: victims.family),
            try house.child(of: victims.parent, in: victims.family)
        )
        let creatorMember = try house.membership(victims.creator, victims.family)
        try house.asAPI(victims.parent) {
            try $0.query("SELECT app.reassign_managed_member(\(handedOn), \(creatorMember))")
            try $0.query("SELECT app.remove_member(\(gone), NULL, false, false)")
        }
        for child in [foreign, handedOn, gone, victims.parentMember, 1] {
            #expect(
                try refusal { try house.asAPI(victims.parent, actingAs: child) { _ in } }
                    == "acting_refused")
            let header = #"{"x-acting-as-member": "managed_\#(child.uuid)"}"#
            #expect(
                try refusal { try house.asDirect(victims.parent, headers: header) { _ in } }
                    == "PT403")
        }
        #expect(
            try refusal { try house.asAPI(victims.parent, actingAs: victims.child) { _ in } } == nil
        )
        // As a guardian who is no longer a member.
        try house.asAPI(victims.creator) {
            try $0.query(
                "SELECT app.remove_member(\(victims.parentMember), \(creatorMember), false, false)")
        }
        #expect(
            try refusal { try house.asAPI(victims.parent, actingAs: victims.child) { _ in } }
                == "acting_refused")
    }

    @Test("a caller can list only its own sign-ins and delegations, once its request has begun")
    func listing() throws {
        let victims = try victims
        let connection = try Connection(victims.house.test.settings(as: "hearth_api"))
        let counts: SQL = """
            SELECT (SELECT count(*) FROM app.sign_ins) || ' ' || (SELECT count(*) FROM app.delegations)
                || ' ' || (SELECT count(DISTINCT user_id) FROM app.sign_in_versions)
                || ' ' || (SELECT count(*) FROM app.session_versions)
            """
        #expect(try connection.query(counts).scalar(String.self) == "0 0 0 0")
        for (person, expected) in [(victims.creator, "1 0 1 0"), (victims.parent, "1 1 1 0")] {
            let counted = try victims.house.asAPI(person) {
                try $0.query(counts).scalar(String.self)
            }
            #expect(counted == expected)
        }
        #expect(try connection.query(counts).scalar(String.self) == "0 0 0 0")
    }
}
