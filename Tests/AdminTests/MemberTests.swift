import JSON
import Postgres
import TestSupport
import Testing

@Suite("hearth-admin: members, children and invitations")
struct MemberTests {
    let office: Office

    init() throws { office = try Office() }

    @Test("a person is added in the account's role, or in the role that the operator names")
    func add() throws {
        let id = try office.makeFamily()
        let dee = try office.json("member add \(id) dee@example.com --household-role visitor")
        #expect(try dee["member"]["householdRole"].string() == "visitor")
        #expect(try dee["member"]["joinedVia"].string() == "operator")
        let again = try office.admin("member add \(id) dee@example.com")
        #expect(again.code == 1 && again.errors.contains("already a member"))
        let members = try office.json("family members \(id)")
        #expect(
            try members["members"].texts("householdRole")
                == ["parent_admin", "adult", "kid", "visitor"])
    }

    @Test("adding a player ends the family that the player has alone; one with others is refused")
    func playerWithFamily() throws {
        let terns = try office.makeFamily()
        try office.asOwner(
            """
            INSERT INTO app.users (id, email, email_verified, full_name, role) VALUES
                ('55555555-5555-4555-8555-555555555555', 'eli@example.com', true, 'Eli', 'player');
            """)
        let own = try office.json("family create --owner eli@example.com --name 'On my own'")
        _ = try office.json("invite send \(try own["family"]["id"].string()) --link")
        let added = try office.json("member add \(terns) eli@example.com")
        #expect(try added["member"]["role"].string() == "player")
        let left = try office.json(
            "family members \(try own["family"]["id"].string()) --removed")
        #expect(try left["members"].texts("status") == ["removed"])
        let pending: Int64 = try office.scalar(
            "SELECT count(*) FROM app.family_invitations WHERE status = 'pending'")
        #expect(pending == 0)
        let gulls = try office.json("family create --owner dee@example.com --name 'The Gulls'")
        let refused = try office.admin(
            "member add \(try gulls["family"]["id"].string()) cy@example.com")
        #expect(refused.code == 1)
        #expect(refused.errors.contains("A player belongs to one family only."))
    }

    @Test("operators can't make a second Parent Admin either")
    func oneAdmin() throws {
        let id = try office.makeFamily()
        for line in [
            "member add \(id) dee@example.com --household-role parent_admin",
            "member set-role \(id) Bo parent_admin",
        ] {
            let refused = try office.admin(line)
            #expect(refused.code == 1)
            #expect(refused.errors.contains("A Parent Admin already exists for this family."))
            #expect(refused.errors.contains("transfer-admin"))
        }
    }

    @Test("a full family can't get another member through hearth-admin")
    func full() throws {
        let id = try office.makeFamily()
        for index in 0..<5 { _ = try office.json("managed add \(id) Ann 'Kid \(index)'") }
        for line in ["member add \(id) dee@example.com", "managed add \(id) Ann 'One more'"] {
            let refused = try office.admin(line)
            #expect(refused.code == 1 && refused.errors.contains("This family is full."))
        }
    }

    @Test("removing a member requires --yes, explains refusals and keeps the row")
    func remove() throws {
        let id = try office.makeFamily()
        _ = try office.json("managed add \(id) Bo Kid")
        #expect(try office.admin("member remove \(id) Cy").code == 64)
        let guardian = try office.admin("member remove \(id) Bo --yes")
        #expect(guardian.code == 1)
        #expect(guardian.errors.contains("--reassign-managed-to"))
        let admin = try office.admin("member remove \(id) Ann --yes")
        #expect(admin.code == 1 && admin.errors.contains("transfer-admin"))
        let gone = try office.json("member remove \(id) Bo --reassign-managed-to Ann --yes")
        #expect(try gone["member"]["status"].string() == "removed")
        let kid = try office.json("family members \(id)")["members"].elements().last
        #expect(try kid?["guardianUserId"].string() == Office.ann)
        let all = try office.json("family members \(id) --removed")
        #expect(try all["members"].texts("status").last == "removed")
        let back = try office.json("member add \(id) bo@example.com")
        #expect(try back["member"]["id"].string() == gone["member"]["id"].string())
    }

    @Test("demoting a member requires --yes and a new guardian for the member's children")
    func setRole() throws {
        let id = try office.makeFamily()
        _ = try office.json("managed add \(id) Bo Kid")
        #expect(try office.admin("member set-role \(id) Bo visitor").code == 64)
        #expect(try office.admin("member set-role \(id) Bo visitor --yes").code == 1)
        let done = try office.json(
            "member set-role \(id) bo@example.com visitor --yes --reassign-managed-to Ann")
        #expect(try done["member"]["householdRole"].string() == "visitor")
        let raised = try office.json("member set-role \(id) Bo adult")
        #expect(try raised["member"]["householdRole"].string() == "adult")
        let child = try office.admin("member set-role \(id) Kid visitor --yes")
        #expect(child.code == 1 && child.errors.contains("A managed member stays a kid."))
        #expect(try office.admin("member set-role \(id) Bo captain").code == 64)
    }

    @Test("a child is added with a guardian, who can be replaced by another adult")
    func managed() throws {
        let id = try office.makeFamily()
        let kid = try office.json("managed add \(id) Bo 'Little one' --avatar-key fox")
        #expect(try kid["member"]["guardianUserId"].string() == Office.bo)
        #expect(try kid["member"]["isManaged"].bool())
        let moved = try office.json("managed reassign \(id) Little Ann --yes")
        #expect(try moved["member"]["guardianUserId"].string() == Office.ann)
        #expect(try office.admin("family show \(id)").output.contains("managed by Ann"))
        let wrong = try office.admin("managed add \(id) Cy Kid")
        #expect(wrong.code == 1 && wrong.errors.contains("A guardian is an adult"))
        #expect(try office.admin("managed reassign \(id) Bo Ann --yes").code == 1)
        #expect(
            try office.admin("managed add \(id) Bo '\(String(repeating: "x", count: 31))'").code
                == 64)
    }

    @Test("a child gets a second guardian, who becomes the primary one, and loses the first")
    func guardians() throws {
        let id = try office.makeFamily()
        _ = try office.json("managed add \(id) Bo Kid")
        let command = "managed guardians \(id) Kid"
        #expect(try office.json(command)["guardians"].texts("userId") == [Office.bo])
        let added = try office.json("\(command) --add Ann")
        #expect(try added["guardians"].texts("userId") == [Office.bo, Office.ann])
        let promoted = try office.json("\(command) --primary Ann")
        #expect(try promoted["guardians"].texts("userId") == [Office.ann, Office.bo])
        let removed = try office.json("\(command) --remove Bo")
        #expect(try removed["guardians"].texts("userId") == [Office.ann])
        let last = try office.admin("\(command) --remove Ann")
        #expect(last.code == 1 && last.errors.contains("[guardian_has_managed_members]"))
        let player = try office.admin("\(command) --add Cy")
        #expect(player.code == 1 && player.errors.contains("[guardian_not_adult]"))
        #expect(try office.admin("\(command) --add Bo --remove Ann").code == 64)
        let trail = try office.json("audit --action guardian.add")["entries"]
        #expect(try trail.texts("actorLabel") == ["operator:jo"])
    }

    @Test("a guardian whose child is handed over is mailed, and one who is added again is not")
    func guardianMails() throws {
        let id = try office.makeFamily()
        _ = try office.json("managed add \(id) Bo Kid")
        func mails(_ kind: String) throws -> Int64 {
            try office.scalar(
                """
                SELECT count(*) FROM jobs.live
                WHERE kind = \("mail." + kind) AND payload ->> 'recipient' = \(Office.bo)
                """)
        }
        _ = try office.json("member set-role \(id) Bo visitor --yes --reassign-managed-to Ann")
        #expect(try mails("guardian_replaced") == 1)
        _ = try office.json("member set-role \(id) Bo adult")
        for _ in 0..<2 {
            _ = try office.json("managed guardians \(id) Kid --add Bo")
            #expect(try mails("guardian_named") == 1)
        }
        // The child has another guardian.
        let remove = "member remove \(id) Bo --yes --reassign-managed-to Ann"
        #expect(try office.admin(remove).code == 0)
        #expect(try mails("guardian_replaced") == 1 && mails("member_removed") == 1)
    }

    @Test("a child is invited, in its primary guardian's name, to have an account")
    func graduate() throws {
        let id = try office.makeFamily()
        _ = try office.json("managed add \(id) Bo Kid")
        let guardians = try office.json("managed guardians \(id) Kid --add Ann")
        #expect(try guardians["guardians"].elements().count == 2)
        let child: String = try office.scalar(
            """
            SELECT id::text FROM app.family_members WHERE user_kind = 'managed'
                AND status = 'active' AND family_unit_id = \(id)::uuid
            """)
        let command = "managed graduate \(id) Kid"
        #expect(try office.admin(command).code == 64)
        let sent = try office.json("\(command) --email kid@example.com")
        let again = try office.json("\(command) --link --role parent")
        #expect(try sent["id"].string() == again["id"].string())
        #expect(try again["renewed"].bool())
        #expect(try state(of: try again["inviteUrl"].string()) == "pending")
        let account = try office.admin("managed graduate \(id) Cy --link")
        #expect(account.code == 1)
        let inviter: String = try office.scalar(
            """
            SELECT invited_by::text FROM app.family_invitations WHERE kind = 'graduation'
                AND family_unit_id = \(id)::uuid
            """)
        #expect(inviter == Office.bo)
        for named in ["Kid", child, "managed_\(child)"] {
            #expect(
                try office.json("consent list \(id) \(named)")["consents"].elements().isEmpty)
        }
        let nobody = "00000000-0000-4000-8000-000000000000"
        #expect(try office.admin("consent list \(id) \(nobody)").code == 1)
        let trail = try office.json("audit --action managed.graduate")["entries"]
        #expect(try trail.texts("actorLabel") == ["operator:jo", "operator:jo"])
    }

    @Test("an invitation link works until the invitation is sent again or revoked")
    func invite() throws {
        let id = try office.makeFamily()
        let sent = try office.json("invite send \(id) --link --role player")
        let link = try sent["inviteUrl"].string()
        #expect(link.hasPrefix("https://family.test/join?token="))
        #expect(try state(of: link) == "pending")
        let invitation = try sent["id"].string()
        let resent = try office.json("invite resend \(invitation)")
        #expect(try state(of: link) == "absent")
        #expect(try state(of: try resent["inviteUrl"].string()) == "pending")
        #expect(try office.admin("invite revoke \(invitation)").code == 64)
        #expect(try office.admin("invite revoke \(invitation) --yes").code == 0)
        #expect(try state(of: try resent["inviteUrl"].string()) == "absent")
        #expect(try office.admin("invite resend \(invitation)").code == 1)
        // An invitation that is not pending is refused before the command asks for confirmation.
        let again = try office.admin("invite revoke \(invitation)")
        #expect(again.code == 1 && again.errors.contains("[invitation_not_found]"))
        #expect(try office.json("invite list \(id)")["invitations"].elements().isEmpty)
        #expect(
            try office.json("invite list --all")["invitations"].texts("status") == ["revoked"])
    }

    @Test("an e-mail invitation is made in the Parent Admin's name and shows no link")
    func inviteByMail() throws {
        let id = try office.makeFamily()
        let sent = try office.json("invite send \(id) --email new@example.com")
        #expect(try sent["inviteUrl"].ifPresent == nil)
        let listed = try office.json("invite list \(id)")["invitations"].elements()[0]
        #expect(try listed["invitedByUserId"].string() == Office.ann)
        #expect(try listed["email"].string() == "new@example.com")
        let another = try office.admin("invite send \(id) --email new@example.com --from Bo")
        #expect(another.code == 1 && another.errors.contains("[already_invited]"))
        let again = try office.json("invite send \(id) --email NEW@example.com")
        #expect(try again["renewed"].bool())
        let member = try office.admin("invite send \(id) --email bo@example.com")
        #expect(member.code == 1 && member.errors.contains("already a member"))
        #expect(try office.admin("invite send \(id)").code == 64)
        #expect(try office.admin("invite send \(id) --link --email a@example.com").code == 64)
        let player = try office.admin("invite send \(id) --link --role player --from Cy")
        #expect(player.code == 1 && player.errors.contains("may not make this invitation"))
    }

    @Test("no invitation is made without a secret key")
    func noKey() throws {
        let id = try office.makeFamily()
        var environment = office.environment
        environment["HEARTH_SECRET_KEY"] = nil
        environment["HEARTH_PUBLIC_URL"] = "nonsense"
        let refused = try run(
            "hearth-admin", ["invite", "send", id, "--link"], environment: environment)
        #expect(refused.code == 78)
        #expect(refused.errors.contains("HEARTH_SECRET_KEY is missing"))
        #expect(refused.errors.contains("HEARTH_PUBLIC_URL"))
        #expect(try office.json("invite list --all")["invitations"].elements().isEmpty)
    }

    @Test("an account's consents are listed, newest first, with the time of their end")
    func ownConsents() throws {
        try office.asOwner(
            """
            INSERT INTO app.account_consents (user_id, purpose, version, given_at, ended_at) VALUES
                ('\(Office.ann)', 'terms', '1', '2026-01-02 03:04:05Z', '2026-02-03 04:05:06Z'),
                ('\(Office.ann)', 'terms', '2', '2026-02-03 04:05:06Z', NULL),
                ('\(Office.bo)', 'terms', '1', now(), NULL)
            """)
        let listed = try office.json("user consents ann@example.com")["consents"].elements()
        #expect(try listed.map { try $0["version"].string() } == ["2", "1"])
        #expect(try listed[0]["endedAt"].ifPresent == nil)
        #expect(try listed[1]["givenAt"].string() == "2026-01-02T03:04:05Z")
        #expect(try listed[1]["endedAt"].string() == "2026-02-03T04:05:06Z")
        #expect(try listed[1]["purpose"].string() == "terms")
        #expect(try office.admin("user consents nobody@example.com").code == 1)
    }

    @Test("a link is not made with a key that differs from that of existing links")
    func otherKey() throws {
        let id = try office.makeFamily()
        var environment = office.environment
        environment["HEARTH_SECRET_KEY"] = "another-key-of-at-least-thirty-two-bytes"
        func send() throws -> Ending {
            try run("hearth-admin", ["invite", "send", id, "--link"], environment: environment)
        }
        let first = try office.json("invite send \(id) --link")
        let refused = try send()
        #expect(refused.code == 1 && refused.errors.contains("[secret_key_differs]"))
        #expect(try office.json("invite list --all")["invitations"].elements().count == 1)
        // Any key is accepted if there are no links.
        _ = try office.json("invite revoke --yes \(try first["id"].string())")
        #expect(try send().code == 0)
    }

    /// State of the invitation that a link's holder sees.
    private func state(of link: String) throws -> String {
        let token = String(link.drop { $0 != "=" }.dropFirst())
        return try office.scalar(
            "SELECT state FROM app.preview_invitation(sha256(convert_to(\(token), 'UTF8')))")
    }
}
