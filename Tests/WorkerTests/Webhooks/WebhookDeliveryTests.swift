import Domain
import Foundation
import MailSupport
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Webhooks")
struct WebhookDeliveryTests {
    private let office: PostOffice
    init() throws { office = try PostOffice() }

    /// Makes every kind of family event; returns the family.
    private func live() throws -> FamilyID {
        let family = try FamilyFixture(by: office, named: "Secret Name")
        let child = try family.child(of: family.admin)
        try family.set(family.adult, to: "kid")
        _ = try family.invite("first@example.org")
        _ = try family.invite("second@example.org")
        for (address, isAccepting) in [("first@example.org", true), ("second@example.org", false)] {
            let invited = RequestContext(Person(name: "Invited", email: address))
            let invitation = try #require(
                try ReceivedInvitationService(office.database).list(by: invited).first)
            if isAccepting {
                _ = try ReceivedInvitationService(office.database).accept(
                    by: invited, .id(invitation.id), from: .somewhere())
            } else {
                try ReceivedInvitationService(office.database).decline(
                    by: invited, .id(invitation.id), from: .somewhere())
            }
        }
        _ = try FamilyService(office.database).update(
            by: family.admin, family: family.id,
            .init(name: FamilyName("Other Name")))
        try MemberService(office.database).leave(by: family.player, family: family.id)
        try ChildService(office.database).remove(by: family.admin, member: child)
        let adult = try family.member(family.adult)
        try MemberService(office.database).remove(by: family.admin, member: adult)
        return family.id
    }

    private static let life = [
        "family.created", "member.joined", "member.joined", "member.joined", "managed.created",
        "member.role_changed", "invitation.created", "invitation.created", "invitation.accepted",
        "member.joined", "invitation.declined", "family.updated", "member.left",
        "member.removed", "member.removed",
    ]

    @Test("a family's events arrive in order, contain only ids, and have signatures that verify")
    func life() throws {
        let certificate = try Certificate(in: office.folder)
        let receiver = try WebhookReceiver(tls: [certificate.path, certificate.keyPath])
        let webhook = try office.addWebhook(receiver.url)
        let worker = try office.webhookWorker(["HEARTH_WEBHOOK_CA_FILE": certificate.path])
        defer { worker.kill() }
        let family = try live()
        try office.awaitDeliveries()
        let arrivals = try receiver.arrivals()
        let events = try arrivals.map { try $0.event() }
        #expect(events.map(\.type) == Self.life)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
        #expect(events.allSatisfy { $0.text("familyId") == family.description })
        for secret in ["Secret Name", "Other Name", "Robin", "Invited", "example.org"] {
            #expect(arrivals.allSatisfy { !$0.body.contains(secret) }, "\(secret)")
        }
        let child = try #require(events.first { $0.type == "managed.created" })
        #expect(child.text("memberId")?.hasPrefix("managed_") == true)
        #expect(child.text("memberId") == child.text("userId"))
        let changed = try #require(events.first { $0.type == "member.role_changed" })
        #expect(changed.text("previousHouseholdRole") == "adult")
        #expect(changed.text("householdRole") == "kid")
        let updated = try #require(events.first { $0.type == "family.updated" })
        #expect(updated.data["changed"] == .list(["familyName"]))
        let verified = try StandardWebhooks.verify(
            receiver, webhook.secret, "whsec_" + String(repeating: "A", count: 44))
        #expect(verified[0] == (good: arrivals.count, forged: 0))
        #expect(verified[1] == (good: 0, forged: 0))
        // Neither the database nor the log contains the secret.
        let dump = try ChildProgram(
            "/usr/bin/env", ["pg_dump", "--data-only", "-d", office.test.url()],
            errors: .nullDevice)
        let text = String(decoding: try dump.wholeOutput(), as: UTF8.self)
        #expect(text.contains(webhook.id) && !text.contains(webhook.secret.dropFirst(6)))
        #expect(try !office.log().contains(webhook.secret.dropFirst(6)))
    }

    @Test("an endpoint gets the event types that it requested, and no others")
    func types() throws {
        let receiver = try WebhookReceiver()
        _ = try office.addWebhook(receiver.url, "account.erased", "family.created")
        let worker = try office.webhookWorker()
        defer { worker.kill() }
        let someone = RequestContext.person()
        try office.createFamily(by: someone)
        let user = UserID(rawValue: try #require(someone.userID))
        let erased = try office.admin("erase", user.description, "--yes")
        #expect(erased.code == 0)
        try office.awaitDeliveries()
        let events = try receiver.arrivals().map { try $0.event() }
        #expect(Set(events.map(\.type)) == ["account.erased", "family.created"])
        #expect(events.count == 2)
        #expect(events.first { $0.type == "account.erased" }?.text("userId") == user.description)
    }

    @Test(
        "a webhook can be tested, paused, resumed, replayed and removed; a rotated one signs twice"
    )
    func commands() throws {
        let receiver = try WebhookReceiver()
        let (id, secret) = try office.addWebhook(receiver.url, "family.created")
        let worker = try office.webhookWorker()
        defer { worker.kill() }
        let test = try office.admin("webhook", "test", id)
        #expect(test.code == 0 && test.fields["delivered"] as? Bool == true)
        try receiver.answer("500")
        let failed = try office.admin("webhook", "test", id)
        #expect(failed.code == 1 && failed.fields["error"] as? String == "answered 500")
        // A failed test is not a discarded event, and the next test clears it.
        let sound = try office.admin("doctor")
        #expect(sound.fields["findings"] as? [[String: String]] == [])
        let listed = try office.admin("webhook", "list").fields["webhooks"] as? [[String: Any]]
        #expect(listed?.first?["givenUp"] as? Int == 0)
        #expect(listed?.first?["lastError"] is NSNull)
        #expect(try !office.log().contains("discarded"))
        #expect(try office.count("SELECT count(*) FROM app.webhook_events") == 1)
        try receiver.answer("200")
        let rotated = try office.admin("webhook", "rotate", id, "--yes")
        let newSecret = try #require(rotated.fields["secret"] as? String)
        #expect(newSecret != secret)
        #expect(try office.admin("webhook", "pause", id).code == 0)
        try office.createFamily(by: .person())
        try office.createFamily(by: .person())
        #expect(try office.deliveries("pending") == 2)
        let doctor = try office.admin("doctor")
        let findings = doctor.fields["findings"] as? [[String: Any]] ?? []
        #expect(findings.contains { $0["kind"] as? String == "webhook_paused" })
        #expect(try office.admin("webhook", "resume", id).code == 0)
        try office.awaitDeliveries()
        let arrivals = try receiver.arrivals()
        #expect(arrivals.count == 4)
        let verified = try StandardWebhooks.verify(receiver, secret, newSecret)
        // The tests were sent before the rotation.
        #expect(verified[0] == (good: 4, forged: 0) && verified[1] == (good: 2, forged: 0))
        let again = try office.admin("webhook", "replay", id, "--event", arrivals[2].id)
        #expect(again.fields["events"] as? Int == 1)
        try office.awaitDeliveries()
        let last = try #require(try receiver.arrivals().last)
        #expect(last.id == arrivals[2].id && last.body == arrivals[2].body)
        let all = try office.admin("webhook", "replay", id, "--last-hours", "1")
        #expect(all.fields["events"] as? Int == 2)
        try office.awaitDeliveries()
        #expect(try office.admin("webhook", "remove", id, "--yes").code == 0)
        try office.createFamily(by: .person())
        #expect(try office.count("SELECT count(*) FROM app.webhook_deliveries") == 0)
        let actions = try office.count(
            """
            SELECT count(DISTINCT action) FROM app.audit_log
            WHERE action LIKE 'webhook.%' AND actor_label = 'operator:jo'
                AND target_id = \(try #require(WebhookID(id)).rawValue)
            """)
        #expect(actions == 7)
    }
}
