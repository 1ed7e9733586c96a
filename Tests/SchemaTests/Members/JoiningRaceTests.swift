import Postgres
import TestSupport
import Testing

@Suite("Codes and invitations that end during a join, and callers who must not wait")
struct JoiningRaceTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    init() throws { scene = try TwoFamilies() }

    /// The refusal of `person` while the row of `family` is locked; nil if there is none.
    private func refusalWhileLocked(
        _ family: Family, _ person: Person, _ statement: SQL
    ) throws -> String? {
        try house.superuser().transaction { transaction in
            try transaction.query(
                "SELECT FROM app.family_units WHERE id = \(family.id) FOR UPDATE")
            return try refusal {
                try house.asAPI(person) {
                    try $0.query("SET LOCAL lock_timeout = '100ms'")
                    try $0.query(statement)
                }
            }
        }
    }

    @Test("a person outside a family is refused without waiting for the family's lock")
    func strangers() throws {
        let former = try house.person()
        try house.join(former, scene.home)
        try scene.call(former, "SELECT app.leave_family(\(scene.home.id), NULL)")
        for person in [scene.neighbour, former, scene.player] {
            for statement: SQL in [
                "SELECT app.leave_family(\(scene.home.id), NULL)",
                "SELECT app.withdraw_request(\(scene.home.id))",
                "SELECT app.update_family(\(scene.home.id), 'Mine', NULL, NULL, false, NULL)",
            ] {
                let told = try refusalWhileLocked(scene.home, person, statement)
                #expect(told == "HF404 family_not_found")
            }
            let told = try refusalWhileLocked(
                scene.home, person,
                "SELECT app.remove_member(\(scene.homeAdult), NULL, false, false)")
            #expect(told == "HF404 member_not_found")
        }
        let visitor = try house.person()
        let member = try house.join(visitor, scene.home)
        try house.owner().query(
            """
            UPDATE app.family_members SET household_role = 'visitor', household_ceiling = 'visitor'
            WHERE id = \(member)
            """)
        let sent = try house.invitation(of: scene.admin, to: scene.home)
        for person in [scene.neighbour, former, visitor] {
            for statement: SQL in [
                "SELECT app.revoke_invitation(\(sent.id))",
                "SELECT app.resend_invitation(\(sent.id))",
            ] {
                let told = try refusalWhileLocked(scene.home, person, statement)
                #expect(told == "HF404 invitation_not_found")
            }
        }
    }

    @Test("a request that is approved during its withdrawal can't be withdrawn")
    func approvedMeanwhile() throws {
        let asking = try house.person()
        let request = try scene.waits(asking, at: scene.home)
        let met = try house.race(
            { body in try house.asAPI(scene.admin) { try body($0) } },
            early: { try $0.query("SELECT app.approve_member(\(request))") },
            late: { [scene] in
                try scene.call(asking, "SELECT app.withdraw_request(\(scene.home.id))")
            })
        #expect(met == "HF409 member_is_not_waiting")
        #expect(try status(request) == "active")
    }

    private func status(_ member: UInt128) throws -> String {
        try house.superuser().query(
            "SELECT status FROM app.family_members WHERE id = \(member)"
        ).scalar(String.self)
    }

    @Test("a request approved during a rejection can't be rejected; a removal is reported as such")
    func approvedBeforeRejection() throws {
        try scene.call(
            scene.admin, "SELECT app.transfer_admin(\(scene.home.id), \(scene.homeAdult))")
        for onlyWaiting in [true, false] {
            let asking = try house.person()
            let request = try scene.waits(asking, at: scene.home)
            let met = try house.race(
                { body in try house.asAPI(scene.admin) { try body($0) } },
                early: { try $0.query("SELECT app.approve_member(\(request))") },
                late: { [scene] in
                    try scene.call(
                        scene.adult,
                        "SELECT app.remove_member(\(request), NULL, false, \(onlyWaiting))")
                })
            #expect(met == (onlyWaiting ? "HF409 member_is_not_waiting" : nil))
            #expect(try status(request) == (onlyWaiting ? "active" : "removed"))
            let mails = try house.superuser().query(
                """
                SELECT coalesce(string_agg(kind, ' ' ORDER BY id), '') FROM jobs.live
                WHERE payload ->> 'recipient' = (\(asking.id))::text
                """
            ).scalar(String.self)
            #expect(
                mails == "mail.request_approved" + (onlyWaiting ? "" : " mail.member_removed"))
        }
    }

    @Test("a look-up of a retired code does not wait for its family's lock")
    func pastCode() throws {
        let old = scene.home.code
        try scene.call(scene.admin, "SELECT app.regenerate_code(\(scene.home.id), NULL)")
        for function in ["preview_code", "join_family_by_code"] {
            let told = try refusalWhileLocked(
                scene.home, scene.player,
                "SELECT FROM app.\(identifier: function)(\(old), NULL, NULL)")
            #expect(told == nil)
        }
    }

    @Test(
        "joining by a code that is just replaced finds no code; an expired code is reported",
        arguments: [(false, "code_unknown"), (true, "code_expired")])
    func replaced(_ hadRunOut: Bool, _ outcome: String) throws {
        let (code, player) = (scene.home.code, scene.player)
        if hadRunOut {
            try house.superuser().query(
                """
                UPDATE app.family_units SET code_expires_at = now() - interval '1 second'
                WHERE id = \(scene.home.id)
                """)
        }
        let met = try house.race(
            { body in try house.asAPI(scene.admin) { try body($0) } },
            early: { try $0.query("SELECT app.regenerate_code(\(scene.home.id), NULL)") },
            late: { [house] in
                try house.asAPI(player) {
                    let found = try $0.query(
                        "SELECT outcome FROM app.join_family_by_code(\(code), NULL, NULL)"
                    ).scalar(String.self)
                    throw Refused(outcome: found)
                }
            })
        #expect(met == outcome)
    }

    @Test(
        "an invitation that ends while it is being answered can't be answered",
        arguments: ["join_by_invitation", "decline_invitation"])
    func ended(_ function: String) throws {
        let person = try house.person()
        let invitation = try house.invitation(
            of: scene.admin, to: scene.home, email: person.email
        ).id
        let met = try house.race(
            { body in try house.owner().transaction { try body($0) } },
            early: {
                try $0.query(
                    """
                    UPDATE app.family_invitations SET status = 'expired', closed_at = now()
                    WHERE id = \(invitation)
                    """)
            },
            late: { [scene] in
                try scene.call(
                    person, "SELECT FROM app.\(identifier: function)(NULL, \(invitation))")
            })
        #expect(met == "HF409 invitation_answered")
    }

    @Test("an invitation that a member accepts is used up, and nothing else changes")
    func alreadyMember() throws {
        let person = try house.person()
        let invitation = try house.invitation(
            of: scene.admin, to: scene.home, email: person.email, as: "player"
        ).id
        let membership = try house.join(person, scene.home)
        try scene.effects(and: [
            "person": person.id, "at home": membership, "invitation": invitation,
        ]).expect(
            """
            + audit_log: action=invitation.accept, actor_user_id=person, details={outcome:
                already_member}, family_unit_id=home, subject_user_id=person, target_id=invitation
            ~ family_invitations invitation: accepted_at=now, accepted_by=person, closed_at=now,
                status=accepted
            """
        ) { try scene.call(person, "SELECT FROM app.join_by_invitation(NULL, \(invitation))") }
    }

    @Test("an invited person who was removed can't return by the same invitation")
    func removed() throws {
        let person = try house.person()
        let invitation = try house.invitation(
            of: scene.admin, to: scene.home, email: person.email)
        let accept: SQL = "SELECT FROM app.join_by_invitation(\(invitation.token), NULL)"
        try scene.call(person, accept)
        let membership = try house.membership(person, scene.home)
        try scene.call(scene.admin, "SELECT app.remove_member(\(membership), NULL, false, false)")
        try scene.effects().expect("") {
            let told = try refusal { try scene.call(person, accept) }
            #expect(told == "HF409 invitation_answered")
        }
    }

    @Test("joining a further family changes no account's role, and a parent gets no recorded name")
    func furtherFamily() throws {
        try house.superuser().query(
            """
            UPDATE app.family_units SET player_details = '{"playerName": "Kim"}'
            WHERE id = \(scene.home.id)
            """)
        let person = try house.actor(Person(name: nil))
        try house.join(person, scene.away)
        let asPlayer = try house.invitation(of: scene.admin, to: scene.home, as: "player")
        try scene.call(person, "SELECT FROM app.join_by_invitation(\(asPlayer.token), NULL)")
        let side = try house.superuser().query(
            "SELECT role FROM app.users WHERE id = \(person.id)"
        ).scalar(String.self)
        #expect(side == "parent")
        let (invited, coming) = (
            try house.actor(Person(name: nil)), try house.actor(Person(name: nil))
        )
        let asParent = try house.invitation(of: scene.admin, to: scene.home)
        try scene.call(invited, "SELECT FROM app.join_by_invitation(\(asParent.token), NULL)")
        try house.join(coming, scene.home)
        let names = try house.count(
            """
            SELECT count(full_name) FROM app.users
            WHERE id IN (\(invited.id), \(coming.id))
            """)
        #expect(names == 0)
    }

    @Test("a sender who governs another family can't readmit people to this one")
    func bringsNobodyBack() throws {
        let inviter = try house.person()
        try house.join(inviter, scene.home)
        let own = try house.family(of: inviter)
        let removed = try house.person()
        let membership = try house.join(removed, scene.home)
        try scene.call(scene.admin, "SELECT app.remove_member(\(membership), NULL, false, false)")
        let link = try house.invitation(of: inviter, to: scene.home)
        let told = try refusal {
            try scene.call(removed, "SELECT FROM app.join_by_invitation(\(link.token), NULL)")
        }
        #expect(told == "HF403 removed_from_family")
        let further = try house.invitation(of: inviter, to: own)
        try scene.call(removed, "SELECT FROM app.join_by_invitation(\(further.token), NULL)")
    }

    @Test("a refusal names the player's family only if that family is the reason")
    func namesFamily() throws {
        let player = try house.person("player")
        let own = try house.family(of: player)
        try house.join(house.person(), own)
        for (role, outcome) in [("player", "player_has_family House"), ("parent", "role_mismatch")]
        {
            let link = try house.invitation(of: scene.admin, to: scene.home, as: role)
            let told = try scene.call(
                player,
                """
                SELECT concat_ws(' ', outcome, own_family_name)
                FROM app.join_by_invitation(\(link.token), NULL)
                """
            ).scalar(String.self)
            #expect(told == outcome)
        }
    }

    @Test("a link ends with the invitation's next generation, even without a new link")
    func generations() throws {
        try house.superuser().query(
            "UPDATE app.family_invitations SET last_sent_at = now() - interval '1 day'")
        try scene.call(scene.admin, "SELECT app.resend_invitation(\(scene.byAdmin.id))")
        let told = try refusal {
            try scene.call(
                scene.player,
                "SELECT FROM app.join_by_invitation(\(scene.byAdmin.token), NULL)")
        }
        #expect(told == "HF404 invitation_not_found")
    }

    @Test("an address whose invitation was declined can be invited again at once")
    func invitedAgain() throws {
        let person = try house.person()
        let first = try house.invitation(of: scene.admin, to: scene.home, email: person.email)
        try scene.call(person, "SELECT app.decline_invitation(NULL, \(first.id))")
        try house.superuser().query(
            """
            UPDATE app.family_invitations SET expires_at = created_at
            WHERE id = \(first.id)
            """)
        let second = try house.invitation(of: scene.admin, to: scene.home, email: person.email)
        #expect(second.id != first.id)
        let state = try house.superuser().query(
            "SELECT status FROM app.family_invitations WHERE id = \(first.id)"
        ).scalar(String.self)
        #expect(state == "declined")
    }

    @Test("a child's membership can get only the account that the child has become")
    func identity() throws {
        let (child, other) = (
            try house.child(of: scene.adult, in: scene.home),
            try house.child(of: scene.admin, in: scene.home)
        )
        try house.owner().query(
            """
            INSERT INTO app.user_aliases (alias_id, account_id)
            VALUES (\(child), \(scene.player.id))
            """)
        let fixed = "23514 family_members_identity_fixed"
        for (member, user) in [(other, scene.player.id), (child, scene.neighbour.id)] {
            let told = try refusal {
                try house.owner().query(
                    "UPDATE app.family_members SET user_id = \(user) WHERE id = \(member)")
            }
            #expect(told == fixed)
        }
    }

    @Test("leaving one of two families does not affect the other, whichever is older")
    func leavesOne() throws {
        try scene.call(scene.adult, "SELECT app.leave_family(\(scene.away.id), NULL)")
        let left = try house.count(
            """
            SELECT count(*) FROM app.family_members
            WHERE user_id = \(scene.adult.id) AND family_unit_id = \(scene.home.id)
                AND status = 'active'
            """)
        #expect(left == 1)
    }
}
