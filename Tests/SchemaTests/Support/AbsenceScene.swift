import Postgres
import TestSupport
import Testing

/// A family, and everything that its members and others may try in it, while one member is blocked
/// or its membership has ended.
struct AbsenceScene {
    /// The ways in which a family can be governed.
    enum Shape: String, CaseIterable, Sendable {
        /// The founder is the Parent Admin.
        case founded
        /// The founder has given the seat to another adult.
        case handedOver
        /// The founder has stepped down from the seat.
        case vacant
        /// The founder is a player, and has given the seat to an adult.
        case foundedByPlayer
        /// Others have demoted the founder to a kid, and nobody has the seat.
        case leaderless
    }

    /// The members who can be absent. `second` entered by an invitation and is vouched for; `third`
    /// and `fourth` entered by the code.
    enum Cast: String, CaseIterable, Sendable { case founder, second, third, fourth, teen, outside }

    enum Absence: CaseIterable { case removed, blocked }

    let house: House
    let family: Family
    private let people: [Cast: Person]
    private let members: [(name: String, id: UInt128)]
    private let invitations: [(inviter: Cast, id: UInt128, token: PostgresBytes)]
    /// Children with their guardians, the primary one first.
    private let children: [(name: String, id: UInt128, guardians: [Cast])]

    init(_ shape: Shape) throws {
        let house = try House()
        var people: [Cast: Person] = [:]
        for name in Cast.allCases {
            let isPlayer = name == .teen || (name == .founder && shape == .foundedByPlayer)
            people[name] = try house.person(isPlayer ? "player" : "parent")
        }
        func person(_ name: Cast) throws -> Person { try #require(people[name]) }
        let founder = try person(.founder)
        let second = try person(.second)
        let family = try house.family(of: founder)
        let invitation = try house.invitation(of: founder, to: family)
        try house.asAPI(second) {
            try $0.query("SELECT FROM app.join_by_invitation(\(invitation.token), NULL)")
        }
        for name in [Cast.third, .fourth, .teen] { try house.join(person(name), family) }
        var children: [(name: String, id: UInt128, guardians: [Cast])] = []
        for guardians in [[Cast.second, .third], [.third, .fourth, .second], [.fourth]] {
            let primary = try person(guardians[0])
            let child = try house.child(of: primary, in: family)
            for further in guardians.dropFirst() {
                let member = try house.membership(person(further), family)
                try house.asAPI(primary) {
                    try $0.query("SELECT app.add_guardian(\(child), \(member))")
                }
            }
            children.append(("child \(children.count + 1)", child, guardians))
        }
        try Self.arrange(shape, house, family, founder, second)
        try house.superuser().query(
            // A blocked member keeps the place in the family, so the family must not be full.
            """
            UPDATE app.family_units SET approval_required = true, member_limit = 32
            WHERE id = \(family.id)
            """)
        let waiting = try house.join(house.person(), family)
        var invitations: [(inviter: Cast, id: UInt128, token: PostgresBytes)] = []
        for name in [Cast.founder, .second, .third, .fourth] {
            if shape == .leaderless, name == .founder { continue }
            for email: String? in [nil, "\(name)@example.net"] {
                let made = try house.invitation(of: person(name), to: family, email: email)
                invitations.append((name, made.id, made.token))
            }
        }
        // The pause between two e-mails has passed.
        try house.superuser().query(
            "UPDATE app.family_invitations SET last_sent_at = now() - interval '1 hour'")
        try house.superuser().execute(script: Self.script)
        var members = [(name: "waiting", id: waiting)]
        for name in Cast.allCases where name != .outside {
            members.append((name.rawValue, try house.membership(person(name), family)))
        }
        (self.house, self.family, self.people) = (house, family, people)
        (self.members, self.invitations, self.children) = (members, invitations, children)
    }

    private static func arrange(
        _ shape: Shape, _ house: House, _ family: Family, _ founder: Person, _ second: Person
    ) throws {
        let first = try house.membership(founder, family)
        let next = try house.membership(second, family)
        func transfer() throws {
            try house.asAPI(founder) {
                try $0.query("SELECT app.transfer_admin(\(family.id), \(next))")
            }
        }
        switch shape {
        case .founded: break
        case .handedOver: try transfer()
        case .vacant: try house.setHouseholdRole("adult", of: first, by: founder)
        case .foundedByPlayer: try house.setHouseholdRole("parent_admin", of: next, by: founder)
        case .leaderless:
            try transfer()
            try house.setHouseholdRole("kid", of: first, by: second)
            try house.setHouseholdRole("adult", of: next, by: second)
        }
    }

    /// Begins a request and tries a statement in it, without effect. Returns `allowed` and the
    /// first column, if that is a word; otherwise the refusal.
    private static let script = """
        CREATE SCHEMA trial;
        CREATE FUNCTION trial.attempt(p_sign_in text, p_email text, p_statement text) RETURNS text
        LANGUAGE plpgsql AS $$
        DECLARE
            v_outcome text;
            v_state text;
            v_name text;
        BEGIN
            SET LOCAL ROLE hearth_api;
            SELECT b.outcome INTO v_outcome FROM app.begin_request('\(Person.issuer)',
                sha256(convert_to(p_sign_in, 'UTF8')), p_email, true, NULL) AS b;
            IF v_outcome <> 'known' THEN
                RAISE EXCEPTION USING ERRCODE = 'HF401', CONSTRAINT = v_outcome;
            END IF;
            EXECUTE p_statement INTO v_outcome;
            SET CONSTRAINTS ALL IMMEDIATE;
            RAISE EXCEPTION USING ERRCODE = 'UNDO0', CONSTRAINT = coalesce(v_outcome, '');
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS v_state = RETURNED_SQLSTATE, v_name = CONSTRAINT_NAME;
            RETURN CASE WHEN v_state <> 'UNDO0' THEN v_state || ' ' || v_name
                WHEN v_name ~ '^[a-z_]+$' THEN 'allowed ' || v_name ELSE 'allowed' END;
        END $$;
        """

    func person(_ name: Cast) throws -> Person { try #require(people[name]) }

    /// The rows about the family and its people, as one text.
    func state() throws -> String {
        try house.superuser().query(
            """
            SELECT concat_ws(E'\\n',
                (SELECT jsonb_agg(m ORDER BY m.id) FROM app.family_members AS m),
                (SELECT jsonb_agg(f ORDER BY f.id) FROM app.family_units AS f),
                (SELECT jsonb_agg(u ORDER BY u.id) FROM app.users AS u),
                (SELECT jsonb_agg(w ORDER BY w.member_id, w.slot) FROM app.guardianships AS w),
                (SELECT jsonb_agg(i ORDER BY i.id) FROM app.family_invitations AS i),
                (SELECT jsonb_agg(c ORDER BY c.member_id) FROM app.role_changes AS c))
            """
        ).scalar(String.self)
    }

    /// The outcomes of everything that the others may try, by its name, while a member is absent.
    func outcomes(without absent: Cast, _ absence: Absence) throws -> [String: String] {
        let user = try person(absent).id
        let connection = try house.superuser()
        try connection.execute(script: "BEGIN")
        switch absence {
        case .removed:
            // A child that nobody else guards would keep the guardian from leaving.
            try connection.query(
                """
                UPDATE app.family_members AS m SET status = 'removed', removed_at = now()
                WHERE m.user_kind = 'managed' AND NOT EXISTS (
                    SELECT FROM app.guardianships AS w
                    WHERE w.member_id = m.id AND w.guardian_user_id <> \(user))
                """)
            try connection.query(
                """
                SELECT app.end_membership(m) FROM app.family_members AS m WHERE m.user_id = \(user)
                """)
        case .blocked:
            try connection.execute(script: "SET LOCAL ROLE hearth_admin")
            try connection.query("SELECT app.begin_operation('jo')")
            try connection.query("SELECT app.operator_block_user(\(user), 'spam')")
            try connection.execute(script: "RESET ROLE")
        }
        try connection.execute(
            script: "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        let statements = self.statements(without: absent)
        let texts = statements.map { $0.sql }.joined(separator: "\u{1e}")
        var found: [String: String] = [:]
        for name in Cast.allCases where name != absent {
            let actor = try person(name)
            let outcomes = try connection.query(
                """
                SELECT trial.attempt(\(actor.signIn), \(actor.email), t.statement)
                FROM unnest(string_to_array(\(texts), chr(30))) WITH ORDINALITY
                    AS t (statement, position) ORDER BY t.position
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
            for (statement, outcome) in zip(statements, outcomes) {
                found["\(name): \(statement.name)"] = outcome
            }
        }
        try connection.execute(script: "ROLLBACK")
        return found
    }

    /// All statements that are not about the absent member, its invitations, or children whose only
    /// guardian it is.
    private func statements(without absent: Cast) -> [(name: String, sql: String)] {
        func quoted(_ id: UInt128) -> String { "'\(Self.uuid(id))'" }
        let members = self.members.filter { $0.name != absent.rawValue }
            .map { (name: $0.name, id: quoted($0.id)) }
        let adults = members.filter { ["founder", "second", "third", "fourth"].contains($0.name) }
        let children = self.children.filter { $0.guardians != [absent] }
            .map { (name: $0.name, id: quoted($0.id)) }
        let home = quoted(family.id)
        let now = "extract(epoch FROM now())::bigint"
        var all: [(name: String, sql: String)] = []
        func add(_ name: String, _ sql: String) { all.append((name, sql)) }
        add(
            "read the state of the seat",
            """
            SELECT concat('seat_', CASE WHEN seat_taken THEN 'taken' END,
                CASE WHEN seat_reserved THEN '_reserved' END) FROM app.my_family_list
            """)
        add("leave", "SELECT app.leave_family(\(home), NULL)")
        add(
            "erase the account",
            "SELECT outcome FROM app.erase_my_account(\(now), false, '{}', '{}', false)")
        add("invite", Self.invitation(of: "new@example.org", to: home))
        add("renew the code", "SELECT app.regenerate_code(\(home), NULL)")
        add("rename", "SELECT app.update_family(\(home), 'New', NULL, NULL, false, NULL)")
        add("join", "SELECT outcome FROM app.join_family_by_code('\(family.code)', NULL, NULL)")
        add("add a child", "SELECT app.add_managed_member(\(home), 'New', NULL)")
        for (name, id) in members {
            add("see \(name)", "SELECT status FROM app.member_list WHERE id = \(id)")
            add("transfer to \(name)", "SELECT app.transfer_admin(\(home), \(id))")
            add("remove \(name)", "SELECT app.remove_member(\(id), NULL, true, false)")
            add("approve \(name)", "SELECT app.approve_member(\(id))")
            add("reject \(name)", "SELECT app.remove_member(\(id), NULL, false, true)")
            for role in ["parent_admin", "kid"] {
                add(
                    "make \(name) \(role)",
                    "SELECT kept FROM app.change_household_role("
                        + "\(id), '\(role)', NULL, NULL, NULL, false)")
            }
        }
        for (heir, id) in adults {
            add("leave to \(heir)", "SELECT app.leave_family(\(home), \(id))")
            let heirs = "ARRAY[\(id)]::uuid[]"
            add(
                "erase the account, with \(heir) as successor",
                "SELECT outcome FROM app.erase_my_account("
                    + "\(now), false, \(heirs), \(heirs), false)")
            for (name, member) in adults {
                add(
                    "remove \(name), with \(heir) as successor",
                    "SELECT app.remove_member(\(member), \(id), false, false)")
            }
        }
        for (name, child) in children {
            add("rename \(name)", "SELECT app.update_managed_member(\(child), 'New', NULL)")
            add("remove \(name)", "SELECT app.remove_member(\(child), NULL, false, false)")
            add(
                "invite \(name)",
                "SELECT generation FROM app.start_graduation("
                    + "\(child), NULL, 'player', 'kid', 'link')")
            for (adult, id) in adults {
                func call(_ verb: String, _ function: String) {
                    add(
                        "\(verb) \(name): \(adult)", "SELECT app.\(function)(\(child), \(id))")
                }
                call("give away", "reassign_managed_member")
                call("add a guardian of", "add_guardian")
                call("dismiss a guardian of", "remove_guardian")
                call("choose the primary guardian of", "make_primary_guardian")
            }
        }
        for invitation in invitations where invitation.inviter != absent {
            let name = "an invitation of \(invitation.inviter)"
            let id = quoted(invitation.id)
            add(
                "resend \(name), \(invitation.id)",
                "SELECT generation FROM app.resend_invitation(\(id))")
            add("revoke \(name), \(invitation.id)", "SELECT app.revoke_invitation(\(id))")
            let token = invitation.token.bytes.map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }.joined()
            add(
                "accept \(name), \(invitation.id)",
                "SELECT outcome FROM app.join_by_invitation('\\x\(token)', NULL)")
        }
        for name in [Cast.founder, .second, .third, .fourth] {
            add(
                "invite whom \(name) has invited",
                Self.invitation(of: "\(name)@example.net", to: home))
        }
        return all
    }

    private static func invitation(of email: String, to family: String) -> String {
        "SELECT generation FROM app.create_invitation("
            + "\(family), '\(email)', 'parent', NULL, 'email')"
    }

    private static func uuid(_ id: UInt128) -> String {
        let digits = String(id, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
