import Domain
import JSON
import Postgres
import TestSupport
import Testing

// Random writes by all kinds of writers. SQL outside Hearth's functions changes one row per
// statement: statements that lock several rows of a family in the order in which they find them can
// deadlock with each other, whatever Hearth does.

extension SyncModel {
    /// Makes a random write. A refused write counts as a successful one.
    func write(_ random: inout Choices, _ connections: WriterConnections) throws {
        let number = random.below(homes.count)
        let home = homes[number]
        let person = people[random.below(people.count)]
        switch random.below(32) {
        case 24...: try invite(guests[number], home, connections, &random)
        case 20: try erase(home, &random)
        case 21: try growUp(home, &random)
        case 22, 23: try care(by: person, home, &random)
        case 0..<11: try request(by: person, home, &random)
        case 11..<15: try statement(about: person, home, connections.owner, &random)
        case 15..<17: try direct(person, home, connections.client, &random)
        case 17..<19: try operate(on: person, home, connections.admin, &random)
        default: try work(home, connections, &random)
        }
    }

    /// Sends a request to the API.
    private func request(
        by person: APIClient, _ home: FamilyFixture<Site>, _ random: inout Choices
    ) throws {
        let family = home.id
        let members = try memberIDs(home)
        let member = members.isEmpty ? "" : members[random.below(members.count)]
        let role = ["adult", "kid", "visitor", "adult", "adult"][random.below(5)]
        let answer: Answer
        switch random.below(16) {
        case 0: answer = try person.patch("/api/me", #"{"fullName": "N\#(random.below(99))"}"#)
        case 1, 2:
            let time = 1_700_000_000 + random.below(1_000_000_000)
            let chooser = random.below(3) == 0 ? person : home.admin
            answer = try chooser.send(
                "PATCH", "/api/family/members/\(member)", #"{"householdRole": "\#(role)"}"#,
                headers: random.below(2) == 0
                    ? [:]
                    : [
                        "X-Changed-At": Timestamp(microseconds: Int64(time) * 1_000_000)
                            .description,
                        "X-Base-Version": "\(random.below(200))",
                    ])
        case 3:
            answer = try home.admin.delete("/api/family/members/\(member)?rotateCode=false")
        case 4:
            let code = try home.admin.get("/api/family/\(family)").text("familyCode") ?? ""
            answer = try person.post("/api/family/code/join", #"{"familyCode": "\#(code)"}"#)
        case 5: answer = try person.delete("/api/family/members/me?familyId=\(family)")
        case 6, 7:
            let invited = people[random.below(people.count)].email
            answer = try person.post(
                "/api/family/invite",
                #"{"role": "parent", "email": "\#(invited)", "familyUnitId": "\#(family)"}"#)
        case 8:
            let mine = try person.get("/api/me/invitations").json["invitations"].elements()
            guard let id = try mine.first?["id"].string() else { return }
            let verb = random.below(4) == 0 ? "decline" : "accept"
            answer = try person.post("/api/me/invitations/\(id)/\(verb)")
        case 9: answer = try home.admin.post("/api/family/members/\(member)/approve")
        case 10:
            answer = try home.admin.patch(
                "/api/family/\(family)",
                #"{"familyName": "F\#(random.below(99))", "homeLatitude": 1, "homeLongitude": 1}"#
            )
        case 11:
            answer = try person.post(
                "/api/family/player-details",
                #"{"familyId": "\#(family)", "sport": "S\#(random.below(99))"}"#)
        case 12:
            answer = try person.put(
                "/groups/\(family)/preferences", #"{"n": \#(random.below(99))}"#)
        case 13:
            answer = try person.post(
                "/api/family/managed", #"{"displayName": "Kid", "familyId": "\#(family)"}"#)
        case 14:
            answer = try person.patch(
                "/api/family/\(family)/attributes",
                #"{"a\#(random.below(3))": \#(random.below(99))}"#)
        default:
            answer = try home.admin.post(
                "/api/family/admin/transfer",
                #"{"familyId": "\#(family)", "memberId": "\#(member)"}"#)
        }
        try #require(answer.status < 500, "\(answer)")
    }

    /// Changes the data that an invited person sees.
    private func invite(
        _ guest: APIClient, _ home: FamilyFixture<Site>, _ connections: WriterConnections,
        _ random: inout Choices
    ) throws {
        let name = "G\(random.below(99))"
        switch random.below(8) {
        case 0..<4:
            let inviter = random.below(4) == 0 ? home.adult : home.admin
            _ = try inviter.post(
                "/api/family/invite",
                #"{"role": "parent", "email": "\#(guest.email)", "familyUnitId": "\#(home.id)"}"#)
        case 4:
            let family = FamilyID(home.id)?.rawValue ?? 0
            try connections.owner.query(
                "UPDATE app.family_units SET family_name = \(name) WHERE id = \(family)")
        case 5: _ = try home.admin.patch("/api/me", #"{"fullName": "\#(name)"}"#)
        case 6:
            try connections.owner.query(
                """
                DELETE FROM app.family_invitations WHERE id IN (
                    SELECT id FROM app.family_invitations WHERE invited_email = \(guest.email)
                    ORDER BY random() LIMIT 1)
                """)
        default:
            try connections.owner.query(
                """
                UPDATE app.users SET email_verified = NOT email_verified
                WHERE id = \(guest.id.rawValue)
                """)
        }
    }

    /// Makes a change for a child.
    private func care(
        by person: APIClient, _ home: FamilyFixture<Site>, _ random: inout Choices
    ) throws {
        let members = try memberIDs(home)
        let children = members.filter { $0.hasPrefix("managed_") }
        if children.isEmpty { return }
        let child = children[random.below(children.count)]
        let heir = members[random.below(members.count)]
        let path = "/api/family/managed/\(child)"
        let answer: Answer
        switch random.below(7) {
        case 0:
            answer = try person.acting(for: child).patch(
                "/api/me", #"{"fullName": "K\#(random.below(99))"}"#)
        case 1:
            answer = try person.put(
                "/groups/\(home.id)/preferences?member_id=\(child)",
                #"{"n": \#(random.below(99))}"#)
        case 2: answer = try person.post("\(path)/guardian", #"{"memberId": "\#(heir)"}"#)
        case 3, 4: answer = try person.post("\(path)/guardians", #"{"memberId": "\#(heir)"}"#)
        case 5: answer = try person.patch("\(path)/guardians/\(heir)", #"{"isPrimary": true}"#)
        default: answer = try person.delete("\(path)/guardians/\(heir)")
        }
        try #require(answer.status < 500, "\(answer)")
    }

    /// Gives a child its own account.
    private func growUp(_ home: FamilyFixture<Site>, _ random: inout Choices) throws {
        let children = try memberIDs(home).filter { $0.hasPrefix("managed_") }
        if children.isEmpty { return }
        let child = children[random.below(children.count)]
        let body = #"{"delivery": "link", "role": "player", "householdRole": "kid"}"#
        for person in people {
            let started = try person.post("/api/family/managed/\(child)/graduation", body)
            guard let url = started.text("inviteUrl"), let token = url.split(separator: "=").last
            else { continue }
            let accepted = try site.person(.player).post("/api/family/invite/\(token)/accept")
            try #require(accepted.status < 500, "\(accepted)")
            return
        }
    }

    private func memberIDs(_ home: FamilyFixture<Site>) throws -> [String] {
        let listed = try home.admin.get("/api/family/members?familyId=\(home.id)")
        guard listed.status == 200 else { return [] }
        return try listed.json["members"].elements().map { try $0["id"].string() }
    }

    /// Runs plain SQL as the owner of the tables.
    private func statement(
        about person: APIClient, _ home: FamilyFixture<Site>, _ connection: Connection,
        _ random: inout Choices
    ) throws {
        let name = "Q\(random.below(99))"
        let family = FamilyID(home.id)?.rawValue ?? 0
        switch random.below(7) {
        case 4:
            try connection.query(
                """
                UPDATE app.family_invitations SET delivery_status = 'failed',
                    delivery_generation = generation
                WHERE status = 'pending' AND id IN (
                    SELECT id FROM app.family_invitations
                    WHERE family_unit_id = \(family) AND delivery = 'email' AND status = 'pending'
                    ORDER BY random() LIMIT 1)
                """)
        case 5:
            try connection.query(
                """
                UPDATE app.family_members SET updated_at = now() WHERE id IN (
                    SELECT id FROM app.family_members
                    WHERE family_unit_id = \(family) AND user_kind = 'managed'
                    ORDER BY random() LIMIT 1)
                """)
        case 0:
            try connection.query(
                "UPDATE app.users SET full_name = \(name) WHERE id = \(person.id.rawValue)")
        case 1:
            try connection.query(
                """
                UPDATE app.family_units SET family_name = \(name),
                    approval_required = NOT approval_required WHERE id = \(family)
                """)
        case 2:
            try connection.query(
                """
                UPDATE app.users SET avatar_key = \(name) WHERE id IN (
                    SELECT user_id FROM app.family_members
                    WHERE family_unit_id = \(family) AND user_kind = 'managed'
                    ORDER BY random() LIMIT 1)
                """)
        case 3:
            try connection.query(
                """
                DELETE FROM app.family_invitations WHERE id IN (
                    SELECT id FROM app.family_invitations WHERE family_unit_id = \(family)
                    ORDER BY random() LIMIT 1)
                """)
        default:
            try connection.query(
                """
                UPDATE app.users SET email_verified = NOT email_verified
                WHERE id = \(person.id.rawValue)
                """)
        }
    }

    /// Writes as a client that queries the views.
    private func direct(
        _ person: APIClient, _ home: FamilyFixture<Site>, _ connection: Connection,
        _ random: inout Choices
    ) throws {
        let name = "D\(random.below(99))"
        let family = FamilyID(home.id)?.rawValue ?? 0
        try connection.transaction { transaction in
            try transaction.query(
                """
                SELECT set_config('role', 'authenticated', true),
                    set_config('hearth.user_id', \("\(person.id)"), true)
                """)
            if random.below(2) == 0 {
                try transaction.query(
                    "UPDATE api.users SET full_name = \(name) WHERE id = \(person.id.rawValue)")
            } else {
                try transaction.query(
                    "UPDATE api.family_units SET family_name = \(name) WHERE id = \(family)")
            }
        }
    }

    private func operate(
        on person: APIClient, _ home: FamilyFixture<Site>, _ connection: Connection,
        _ random: inout Choices
    ) throws {
        let family = FamilyID(home.id)?.rawValue ?? 0
        let choice = random.below(5)
        do {
            try connection.transaction { transaction in
                try transaction.query("SELECT app.begin_operation('jo')")
                if choice == 4 {
                    // The seat returns to the person whom the model regards as Parent Admin.
                    try transaction.query(
                        """
                        SELECT app.operator_transfer_admin(id) FROM app.family_members
                        WHERE family_unit_id = \(family) AND user_id = \(home.admin.id.rawValue)
                            AND status = 'active'
                        """)
                } else if choice % 2 == 0 {
                    try transaction.query(
                        """
                        SELECT app.operator_add_member(
                            \(family), \(person.id.rawValue), 'parent', 'adult')
                        """)
                } else {
                    try transaction.query(
                        """
                        SELECT app.operator_remove_member(id, NULL, false, NULL) FROM app.family_members
                        WHERE family_unit_id = \(family) AND user_id = \(person.id.rawValue)
                            AND status = 'active'
                        """)
                }
            }
        } catch let error as PostgresError where error.sqlState?.description.hasPrefix("HF") == true
        {
            // The operation may be refused.
        }
    }

    /// Lets a new person join and then erase the account.
    private func erase(_ home: FamilyFixture<Site>, _ random: inout Choices) throws {
        let guest = try site.person(.parent, name: random.below(2) == 0 ? nil : "Guest")
        let code = try home.admin.get("/api/family/\(home.id)").text("familyCode") ?? ""
        _ = try guest.post("/api/family/code/join", #"{"familyCode": "\#(code)"}"#)
        _ = try guest.patch("/api/family/\(home.id)/attributes", #"{"guest": true}"#)
        let erased = try guest.delete("/api/me?eraseManaged=true")
        try #require(erased.status == 200 || erased.status == 409, "\(erased)")
    }

    /// Makes some invitations expire, and runs the worker's jobs for them.
    private func work(
        _ home: FamilyFixture<Site>, _ connections: WriterConnections, _ random: inout Choices
    ) throws {
        let family = FamilyID(home.id)?.rawValue ?? 0
        try connections.owner.query(
            """
            UPDATE app.family_invitations SET expires_at = now() - interval '1 s'
            WHERE status = 'pending' AND id IN (
                SELECT id FROM app.family_invitations
                WHERE family_unit_id = \(family) AND status = 'pending'
                ORDER BY random() LIMIT 1)
            """)
        try connections.worker
            .query("SELECT changed FROM app.expire_invitations(100, NULL)")
        // Rarely, because followers start over after a purge.
        guard random.below(20) == 0 else { return }
        for purge in ["purge_family_changes", "purge_user_changes"] {
            try connections.owner.execute(script: "SELECT app.\(purge)(interval '0', 1000, NULL)")
        }
    }
}
