import Domain
import Policy

/// Statements of a direct client: on the views of schema `api`, on the tables behind them, and
/// calls of the functions that it may name.
enum DirectOperations {
    static let all: [Operation] =
        families + entering + Samples.members.flatMap(members)
        + SamplePerson.allCases.flatMap(users) + AddressedMessage.allCases.flatMap(invitations)
        + tables

    private static func change(
        _ name: String, _ sql: String, _ questions: Question...
    ) -> Operation {
        Operation(name: name, sql: sql, questions: questions)
    }

    private static func computed(_ name: String, _ sql: String) -> Operation {
        var operation = change(name, sql)
        operation.isComputed = true
        return operation
    }

    private static let families: [Operation] = SampleFamily.allCases.flatMap { family in
        let at = "WHERE id = '\(family.id)'"
        func insert(_ columns: String, _ values: String, by creator: SamplePerson = .me) -> String {
            "INSERT INTO api.family_units (id, created_by_user_id, family_name\(columns)) VALUES "
                + "('\(family.id)', '\(creator.userID)', 'New'\(values))"
        }
        func creating(_ name: String, _ sql: String) -> Operation {
            Operation(
                name: "\(name) \(family)", sql: sql, questions: [Question(.familyCreate)],
                obstacle: { _ in family != .absent })
        }
        return [
            change(
                "rename \(family)", "UPDATE api.family_units SET family_name = 'New' \(at)",
                Question(.familyUpdate, family)),
            change(
                "rename \(family) behind the view",
                "UPDATE app.family_units SET family_name = 'New' \(at)"),
            computed(
                "choose the code of \(family)",
                "UPDATE api.family_units SET family_code = 'FAM-ZZZZZZ' \(at)"),
            change(
                "take \(family)",
                "UPDATE api.family_units SET created_by_user_id = '\(SamplePerson.me.userID)' \(at)"
            ),
            computed(
                "move home of \(family)",
                "UPDATE api.family_units SET home_latitude = 1 \(at)"),
            change("delete \(family)", "DELETE FROM api.family_units \(at)"),
            creating("insert", insert("", "")),
            creating("insert, with a code,", insert(", family_code", ", 'FAM-ZZZZZZ'")),
            creating(
                "insert, with a code, past the view,",
                "SELECT gateway.insert_family('\(family.id)', '\(SamplePerson.me.userID)', 'New', "
                    + "'FAM-ZZZZZZ')"
            ).calling,
            change(
                "insert \(family) as somebody else's", insert("", "", by: .stranger)),
            change(
                "insert \(family) with details", insert(", player_details", ", '{}'")),
        ]
    }

    /// Inserts of a membership: people may only add themselves, as the first member of their own
    /// new family.
    private static let entering: [Operation] = SampleFamily.allCases.flatMap { family in
        [SamplePerson.me, .stranger, .child].flatMap { person in
            [MemberRole.parent, .player].flatMap { role in
                let mayEnter = family == .hollow && person == .me
                let values = "'\(family.id)', '\(person.userID)', '\(role.rawValue)'"
                var operation = Operation(
                    name: "enter \(person) into \(family) as \(role)",
                    sql: "INSERT INTO api.family_members (family_unit_id, user_id, role) "
                        + "VALUES (\(values))",
                    questions: mayEnter ? [Question(.familyCreate)] : [])
                operation.obstacle = {
                    $0.world.hasOtherRole(than: role)
                        || (role == .player && $0.world.isActivePlayer(.me, besides: nil))
                }
                var function = operation
                function.name += ", past the view"
                function.sql =
                    "SELECT gateway.insert_member('\(uuid(999))', \(values))"
                function.kind = .call
                guard role == .parent else { return [operation, function] }
                var raised = operation
                raised.name += " with a household role"
                raised.sql =
                    "INSERT INTO api.family_members (family_unit_id, user_id, role, "
                    + "household_role) VALUES (\(values), 'adult')"
                raised.questions = []
                return [operation, function, raised]
            }
        }
    }

    private static func members(_ family: SampleFamily, _ person: SamplePerson) -> [Operation] {
        let at = "WHERE id = '\(person.memberID(in: family))'"
        let name = "\(person) in \(family)"
        return [
            change(
                "raise \(name)",
                "UPDATE api.family_members SET household_role = 'parent_admin' \(at)"),
            change("end \(name)", "UPDATE api.family_members SET status = 'removed' \(at)"),
            change("delete \(name)", "DELETE FROM api.family_members \(at)"),
        ]
    }

    private static func users(_ person: SamplePerson) -> [Operation] {
        let at = "WHERE id = '\(person.userID)'"
        let rename = person.ownOrGuarded(
            "rename user \(person)", "UPDATE api.users SET full_name = 'New' \(at)")
        guard Samples.people.contains(person) else { return [rename] }
        return [
            rename,
            computed("address user \(person)", "UPDATE api.users SET email = 'x@x.xx' \(at)"),
            change("side user \(person)", "UPDATE api.users SET role = 'player' \(at)"),
            change("delete user \(person)", "DELETE FROM api.users \(at)"),
            change(
                "insert user \(person)",
                "INSERT INTO api.users (id, full_name) VALUES ('\(person.userID)', 'New')"),
        ]
    }

    private static func invitations(_ letter: AddressedMessage) -> [Operation] {
        let at = "WHERE id = '\(letter.id)'"
        var question = Question(.invitationRevoke, letter.family)
        question.letter = letter
        let delete = Operation(
            name: "delete \(letter)", sql: "DELETE FROM api.family_invitations \(at)",
            questions: letter.status == .pending ? [question] : [])
        guard Samples.letters.contains(letter) else { return [delete] }
        return [
            delete,
            computed(
                "reopen \(letter)",
                "UPDATE api.family_invitations SET status = 'pending' \(at)"),
            change(
                "insert \(letter)",
                "INSERT INTO api.family_invitations (id, family_unit_id, invited_by, role) VALUES "
                    + "('\(letter.id)', '\(letter.family.id)', '\(SamplePerson.me.userID)', "
                    + "'parent')"),
        ]
    }

    private static let tables: [Operation] =
        ([
            "family_units", "family_members", "users", "family_invitations", "member_preferences",
            "family_attributes",
            "my_family_list", "member_list", "former_member_list", "my_profile", "my_profiles",
            "my_requests", "invitation_list",
            "invitations_to_me", "sign_ins", "delegations", "family_versions",
            "sign_in_versions", "session_versions",
            "family_changes", "user_versions", "user_changes", "role_conflicts",
        ] + StatementOperations.closed.map(\.table)).flatMap { table in
            [
                Operation(
                    name: "read \(table)", sql: "SELECT count(*) FROM app.\(table)", kind: .call,
                    questions: []),
                change("empty \(table)", "DELETE FROM app.\(table)"),
            ]
        }
        + ["leave_family('\(SampleFamily.a.id)', NULL)", "create_family(NULL, NULL, true)"].map {
            Operation(
                name: "call \($0)", sql: "SELECT app.\($0)", kind: .call, questions: [])
        }
}

extension Operation {
    /// A copy of the operation that is classified as a call.
    fileprivate var calling: Operation {
        var operation = self
        operation.kind = .call
        return operation
    }
}
