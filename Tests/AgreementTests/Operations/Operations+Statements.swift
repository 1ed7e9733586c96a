import Domain
import Policy

/// Plain statements on tables, as the API's role.
enum StatementOperations {
    static let all: [Operation] =
        families + attributes + Samples.members.flatMap(members)
        + SamplePerson.allCases.flatMap(users)
        + Samples.letters.flatMap(invitations) + preferences + closedTables + workersFunctions

    static func change(
        _ name: String, _ sql: String, _ questions: Question...,
        unless obstacle: @escaping @Sendable (Asker) -> Bool = { _ in false },
        first: Set<String> = []
    ) -> Operation {
        Operation(
            name: name, sql: sql, questions: questions, obstacle: obstacle, toldFirst: first)
    }

    private static let families: [Operation] = SampleFamily.targets.flatMap { family in
        let at = "WHERE id = '\(family.id)'"
        let insert =
            "INSERT INTO app.family_units (id, created_by_user_id, family_name) "
            + "VALUES ('\(family.id)', '\(SamplePerson.me.userID)', 'New')"
        return [
            change(
                "rename \(family) by UPDATE",
                "UPDATE app.family_units SET family_name = 'New' \(at)",
                Question(.familyUpdate, family)),
            change(
                "let \(family) approve by UPDATE",
                "UPDATE app.family_units SET approval_required = true, home_latitude = 1 \(at)",
                Question(.familyUpdate, family)),
            change(
                "take \(family) by UPDATE",
                "UPDATE app.family_units SET created_by_user_id = '\(SamplePerson.me.userID)' \(at)"
            ),
            change(
                "choose the code of \(family)",
                "UPDATE app.family_units SET family_code = 'FAM-ZZZZZZ' \(at)"),
            change("delete \(family)", "DELETE FROM app.family_units \(at)"),
            change("insert \(family)", insert),
            change(
                "upsert \(family)",
                insert + " ON CONFLICT (id) DO UPDATE SET family_name = 'New'"),
        ]
    }

    private static func members(_ family: SampleFamily, _ person: SamplePerson) -> [Operation] {
        let at = "WHERE id = '\(person.memberID(in: family))'"
        let insert =
            "INSERT INTO app.family_members (family_unit_id, user_id, role) "
            + "VALUES ('\(family.id)', '\(person.userID)', 'parent')"
        let name = "\(person) in \(family)"
        return [
            change("touch \(name)", "UPDATE app.family_members SET updated_at = now() \(at)"),
            change(
                "raise \(name)",
                "UPDATE app.family_members SET household_role = 'parent_admin' \(at)"),
            change(
                "end \(name)",
                "UPDATE app.family_members SET status = 'removed', removed_at = now() \(at)"),
            change("delete \(name)", "DELETE FROM app.family_members \(at)"),
            change("insert \(name)", insert),
            change(
                "upsert \(name)",
                insert + " ON CONFLICT (family_unit_id, user_id) DO UPDATE SET role = 'parent'"),
        ]
    }

    private static func users(_ person: SamplePerson) -> [Operation] {
        let at = "WHERE id = '\(person.userID)'"
        let insert = "INSERT INTO app.users (id, full_name) VALUES ('\(person.userID)', 'New')"
        let rename = person.ownOrGuarded(
            "rename user \(person)", "UPDATE app.users SET full_name = 'New' \(at)")
        guard Samples.people.contains(person) else { return [rename] }
        return [
            rename,
            change("address user \(person)", "UPDATE app.users SET email = 'x@x.xx' \(at)"),
            change("delete user \(person)", "DELETE FROM app.users \(at)"),
            change("insert user \(person)", insert),
            change(
                "upsert user \(person)",
                insert + " ON CONFLICT (id) DO UPDATE SET full_name = 'New'"),
        ]
    }

    private static func invitations(_ letter: AddressedMessage) -> [Operation] {
        let at = "WHERE id = '\(letter.id)'"
        let insert =
            "INSERT INTO app.family_invitations "
            + "(id, family_unit_id, invited_by, role, household_role, delivery) VALUES "
            + "('\(letter.id)', '\(letter.family.id)', '\(SamplePerson.me.userID)', 'parent', "
            + "'adult', 'link')"
        return [
            change(
                "prolong \(letter)",
                "UPDATE app.family_invitations SET expires_at = now() + interval '1 year' \(at)"),
            change(
                "reopen \(letter)",
                "UPDATE app.family_invitations SET status = 'pending' \(at)"),
            change("delete \(letter)", "DELETE FROM app.family_invitations \(at)"),
            change("insert \(letter)", insert),
            change(
                "upsert \(letter)",
                insert + " ON CONFLICT (id) DO UPDATE SET status = 'pending'"),
        ]
    }

    private static let preferences: [Operation] = {
        let targets: [(SampleFamily, SamplePerson)] =
            [
                SamplePerson.me, .child, .toddler, .niece, .moved, .lost, .chief, .teen, .grown,
                .formerly,
            ].map { (.a, $0) }
            + [SamplePerson.me, .rival, .other, .child].map { (.b, $0) }
        return targets.flatMap { family, person in
            let name = "preferences of \(person) in \(family)"
            let at = "WHERE family_unit_id = '\(family.id)' AND user_id = '\(person.userID)'"
            let insert =
                "INSERT INTO app.member_preferences (family_unit_id, user_id, preferences) "
                + "VALUES ('\(family.id)', '\(person.userID)', '{\"a\": 1}')"
            let question = Question(.preferencesWrite, family, person)
            let isEmpty = person == .me && family == .b
            let isStored: @Sendable (Asker) -> Bool = { asker in
                asker.world.preferences.contains {
                    $0.family == family && $0.person == person
                }
            }
            let noMember: Set<String> = ["member_preferences_member_fkey"]
            return [
                Operation(
                    name: "update \(name)",
                    sql: "UPDATE app.member_preferences SET preferences = '{}' \(at)",
                    // Where none are stored there is nothing to update.
                    questions: isEmpty ? [] : [question],
                    // A guardian reads what it may not write without a consent.
                    isByCheck: person == .toddler),
                change("insert \(name)", insert, question, unless: isStored, first: noMember),
                change(
                    "upsert \(name)",
                    insert + " ON CONFLICT (family_unit_id, user_id) "
                        + "DO UPDATE SET preferences = excluded.preferences",
                    question, first: noMember),
                change(
                    "sign \(name)",
                    "UPDATE app.member_preferences SET updated_by = '\(person.userID)' \(at)"),
                change("delete \(name)", "DELETE FROM app.member_preferences \(at)"),
            ]
        }
    }()

    /// Changes of attributes, which only a function writes.
    private static let attributes: [Operation] = SampleFamily.targets.flatMap { family in
        let at = "WHERE family_unit_id = '\(family.id)'"
        let insert =
            "INSERT INTO app.family_attributes (family_unit_id, attributes) "
            + "VALUES ('\(family.id)', '{}')"
        return [
            change(
                "update attributes of \(family)",
                "UPDATE app.family_attributes SET attributes = '{}' \(at)"),
            change("delete attributes of \(family)", "DELETE FROM app.family_attributes \(at)"),
            change("insert attributes of \(family)", insert),
            change(
                "upsert attributes of \(family)",
                insert + " ON CONFLICT (family_unit_id) DO UPDATE SET attributes = '{}'"),
        ]
    }

    /// Tables on which no client role has any privilege.
    static let closed: [(table: String, column: String)] = [
        ("invitation_secrets", "generation"), ("audit_log", "action"), ("family_codes", "state"),
        ("family_code_usage_log", "action"), ("user_identities", "issuer"),
        ("trusted_issuers", "kind"), ("rate_limits", "hits"), ("code_lookups", "looked_up_at"),
        ("idempotency_keys", "answer"), ("suppressed_addresses", "reason"), ("erasures", "email"),
        ("user_aliases", "since"), ("consent_purposes", "version"),
        ("code_settings", "code_length"),
        ("wrong_codes", "codes"), ("wrong_code_hours", "codes_a_minute"),
        ("automatic_approval", "began_at"),
        ("webhook_endpoints", "url"), ("webhook_events", "data"), ("webhook_deliveries", "state"),
        ("role_changes", "changed_at"), ("sessions", "device"), ("refresh_tokens", "token_hash"),
        ("email_tokens", "email"), ("email_sign_ins", "email"), ("passwords", "hash"),
        ("passkeys", "public_key"), ("answered_challenges", "expires_at"),
        ("page_tickets", "expires_at"),
        ("provider_tokens", "sealed"), ("refused_invitations", "email"),
        ("mail_verdicts", "reason"), ("pending_changes", "kind"),
    ]

    private static let closedTables: [Operation] = closed.flatMap { table, column in
        [
            Operation(
                name: "read \(table)", sql: "SELECT count(\(column)) FROM app.\(table)",
                kind: .call, questions: []),
            change(
                "change \(table)", "UPDATE app.\(table) SET \(column) = \(column)"),
            change("empty \(table)", "DELETE FROM app.\(table)"),
            change(
                "write \(table)",
                "INSERT INTO app.\(table) (\(column)) VALUES (NULL)"),
            change("truncate \(table)", "TRUNCATE app.\(table)"),
        ]
    }

    private static let workersFunctions: [Operation] =
        ["expire_invitations(1, NULL)", "expire_codes(1, NULL)", "purge_wrong_codes(1)"].map {
            Operation(
                name: "run \($0)", sql: "SELECT app.\($0)", kind: .call, questions: [])
        }
        + [
            "purge_invitations", "purge_retired_codes", "purge_code_usage_log",
            "purge_rate_limits", "purge_code_lookups", "purge_idempotency_keys",
            "erase_removed_members",
            "purge_empty_families", "purge_sessions", "purge_email_tokens",
            "purge_family_changes", "purge_user_changes",
            "purge_answered_challenges",
        ].map {
            Operation(
                name: "run \($0)", sql: "SELECT app.\($0)(interval '0', 1, NULL)", kind: .call,
                questions: [])
        }
}

/// People and values for statements that nobody may run on any row: a privilege on a column or
/// table does not depend on rows.
enum Samples {
    static let members: [(family: SampleFamily, person: SamplePerson)] = [
        (.a, .me), (.a, .aunt), (.a, .child), (.b, .rival),
    ]
    static let people: [SamplePerson] = [.me, .chief, .stranger, .child]
    static let letters: [AddressedMessage] = [.mine, .toMe, .mineElsewhere]
}

extension SamplePerson {
    /// A change of a user's row: of the subject's own row, or of a managed user's row by its
    /// guardian.
    func ownOrGuarded(_ name: String, _ sql: String) -> Operation {
        let home: SampleFamily = self == .other || self == .boss || self == .rival ? .b : .a
        var operation = Operation(
            name: name, sql: sql, questions: [Question(.managedUpdate, home, self)])
        operation.whenOneself = (self, Question(.profileUpdate))
        return operation
    }
}
