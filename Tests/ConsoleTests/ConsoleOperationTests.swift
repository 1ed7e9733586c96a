import Doctor
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Console

@Suite("Entries of the console's operations in the audit log")
final class ConsoleOperationTests {
    /// Actions that each operation records, by the operation's name.
    private static let recorded: [String: [String]] = [
        "block": ["user.block"],
        "unblock": ["user.unblock"],
        "end-sessions": ["user.sign_out"],
        "clear-limits": ["limit.clear"],
        "send-reset": ["user.send_reset"],
        "create-family": ["family.create"],
        "set-address": ["user.request_address"],
        "export": ["user.export"],
        "erase": ["user.erase"],
        "remove-passkey": ["identity.remove"],
        "end-session": ["user.sign_out"],
        "rename": ["family.update"],
        "new-code": ["code.regenerate"],
        "transfer-admin": ["admin.transfer"],
        "add-member": ["member.add"],
        "add-child": ["managed.create"],
        "invite": ["invitation.create"],
        "approve": ["member.approve"],
        "bring-back": ["member.add"],
        "remove": ["member.remove"],
        "set-role": ["member.set_role"],
        "add-guardian": ["guardian.add"],
        "remove-guardian": ["guardian.remove"],
        "primary-guardian": ["guardian.promote"],
        "reassign": ["managed.reassign"],
        "graduate": ["managed.graduate"],
        "resend": ["invitation.resend"],
        "revoke": ["invitation.revoke"],
        "retry": ["job.retry"],
        "cancel": ["job.cancel"],
        "pause": ["queue.pause"],
        "resume": ["queue.resume"],
        "run": ["schedule.run"],
        "retry-all": ["job.retry"],
        "test": ["webhook.test"],
        "replay-failed": ["webhook.replay"],
        "replay": ["webhook.replay"],
        "replay-event": ["webhook.replay"],
        "pause-webhook": ["webhook.pause"],
        "resume-webhook": ["webhook.resume"],
        "rotate": ["webhook.rotate"],
        "remove-webhook": ["webhook.remove"],
        "suppress": ["mail.suppress"],
        "unsuppress": ["mail.unsuppress"],
        "allow": ["mail.unsuppress"],
        "fix": ["doctor.fix"],
        // An examination without repairs changes nothing.
        "examine": [],
        "apply": ["issuer.add"],
    ]

    private static let cy = "44444444-4444-4444-8444-444444444444"
    private static let dee = "55555555-5555-4555-8555-555555555555"
    private static let eve = "66666666-6666-4666-8666-666666666666"

    private let site: ConsoleSite
    /// A browser of an admin.
    private let browser: ConsoleBrowser
    private let token: String
    /// Names of the operations performed so far.
    private var performed: Set<String> = []

    init() throws {
        site = try ConsoleSite(
            system: ConsoleSystem(
                settings: [], settingsWithoutPaths: [], secretKeyCount: 1,
                configuredIssuers: { _ in
                    try ConfiguredIssuers(
                        issuersFile: nil, signsTokens: true, publicURL: "https://family.test")
                }, issuers: [], publicURL: "https://family.test"))
        browser = try site.provenBrowser(of: "root@example.com")
        token = try browser.formToken()
    }

    /// Returns the entries of the audit log, except views of people.
    private func entries() throws -> [String] {
        try Connection(site.test.settings()).query(
            """
            SELECT action || ' ' || coalesce(actor_label, '-') FROM app.audit_log
            WHERE action <> 'user.view' ORDER BY at, id
            """
        ).decode(as: Scalar<String>.self).map(\.value)
    }

    /// Performs an operation, and compares its entries in the audit log with the table.
    private func perform(
        _ name: String, at page: String, _ fields: [String: String] = [:], query: String = ""
    ) throws {
        let operation = try #require(ConsoleOperation.all.first { $0.name == name })
        let before = try entries()
        let path = "\(page)/\(name)"
        let done =
            try operation.isDirect
            ? browser.post(path, fields.merging(["form_token": token]) { $1 })
            : browser.perform(path + query, fields)
        if operation.reveal != nil || operation.download != nil {
            #expect(done.status == 200, "\(path): \(done)")
        } else {
            let isDone = done.location?.contains("?done=\(name)") == true
            #expect(done.status == 303 && isDone, "\(path): \(done)")
        }
        // An examination goes on after the response.
        try eventually(within: 120) { !site.services.doctor.isRunning }
        let added = Array(try entries().dropFirst(before.count))
        let expected = try #require(Self.recorded[name], "\(name)")
        #expect(added == expected.map { "\($0) operator:root@example.com" }, "\(path)")
        performed.insert(name)
    }

    @Test("each operation by an admin has exactly its entries, and each of them names the admin")
    func operations() throws {
        // Before the others, so that the examinations find nothing to repair.
        for name in ["fix", "examine"] {
            try perform(name, at: "/doctor")
            let run = try #require(site.services.doctor.latest).run
            #expect(run.failure == nil && run.repairs == (name == "fix"))
        }
        try site.asOwner(
            """
            INSERT INTO app.users (id, email, email_verified, full_name, role) VALUES
                ('\(Self.cy)', 'cy@example.com', true, 'Cy', 'parent'),
                ('\(Self.dee)', 'dee@example.com', true, 'Dee', 'parent'),
                ('\(Self.eve)', 'eve@example.com', true, 'Eve', 'parent')
            """)
        try operationsOnPeople()
        let family = try site.makeFamily()
        try operationsOnFamily(family)
        try operationsOnMembers(of: family)
        try operationsOnGuardians(of: family)
        try operationsOnJobs()
        try operationsOnWebhook()
        try operationsOnMail()
        try perform("apply", at: "/issuers")
        #expect(performed == Set(ConsoleOperation.all.map(\.name)))
        #expect(performed == Set(Self.recorded.keys))
    }

    private func operationsOnPeople() throws {
        let (page, ann) = ("/people/\(ConsoleSite.ann)", ConsoleSite.ann)
        try perform("block", at: page, ["reason": "spam"])
        try perform("unblock", at: page)
        let (session, passkey) = (Self.cy, Self.dee)
        try site.asOwner(
            """
            INSERT INTO app.sessions (id, user_id, method, ends_at) VALUES
                ('\(session)', '\(ann)', 'email', now() + interval '1 day'),
                (gen_random_uuid(), '\(ann)', 'email', now() + interval '1 day');
            INSERT INTO app.passkeys (id, user_id, credential_id, public_key, counter, model,
                    transports, is_backup_eligible, is_backed_up)
                VALUES ('\(passkey)', '\(ann)', 'id', 'key', 0, gen_random_uuid(), '{}', true,
                    true);
            INSERT INTO app.rate_limits (bucket, window_start, hits)
                VALUES ('invite:account:\(ann)', now(), 1)
            """)
        try perform("end-session", at: page, ["session": session])
        try perform("end-sessions", at: page)
        try perform("clear-limits", at: page)
        try perform("send-reset", at: page)
        try perform("remove-passkey", at: page, query: "?passkey=\(passkey)")
        try perform("create-family", at: page, ["name": "Nest"])
        try perform("set-address", at: page, ["email": "ann.at.home@example.com"])
        try perform("export", at: page)
        try perform("erase", at: "/people/\(Self.dee)", ["id": Self.dee])
    }

    /// Returns the id of a member of a family.
    private func member(_ name: String, of family: String) throws -> String {
        try site.scalar(
            """
            SELECT m.id::text FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
            WHERE u.full_name = \(name) AND m.family_unit_id = \(family)::uuid
            """)
    }

    private func operationsOnFamily(_ family: String) throws {
        let page = "/families/\(family)"
        let bo = try member("Bo Tern", of: family)
        try perform("rename", at: page, ["name": "The Gulls"])
        try perform("new-code", at: page, ["days": "30"])
        try perform("transfer-admin", at: page, ["member": bo])
        try perform("add-member", at: page, ["email": "cy@example.com"])
        try perform("add-child", at: page, ["name": "Kit", "guardian": bo])
        try perform("invite", at: page, ["email": "fay@example.com", "role": "player"])
        let id: String = try site.scalar("SELECT id::text FROM app.family_invitations")
        try perform("resend", at: "/invitations/\(id)")
        try perform("revoke", at: "/invitations/\(id)")
    }

    private func operationsOnMembers(of family: String) throws {
        try site.asOwner(
            """
            INSERT INTO app.family_members (family_unit_id, user_id, user_kind, role,
                    household_role, status, joined_via)
                VALUES ('\(family)', '\(Self.eve)', 'account', 'parent', 'adult', 'invited',
                    'code')
            """)
        try perform("approve", at: "/members/\(try member("Eve", of: family))")
        let page = "/members/\(try member("Cy", of: family))"
        try perform("set-role", at: page, ["household": "visitor"])
        try perform("remove", at: page)
        try perform("bring-back", at: page, ["household": "adult"])
    }

    private func operationsOnGuardians(of family: String) throws {
        let page = "/members/\(try member("Nemo Little Fisher", of: family))"
        let (ann, bo) = (
            try member("Ann Fisher", of: family), try member("Bo Tern", of: family)
        )
        try perform("add-guardian", at: page, ["guardian": bo])
        try perform("primary-guardian", at: page, ["guardian": bo])
        try perform("remove-guardian", at: page, ["guardian": ann])
        try perform("reassign", at: page, ["guardian": ann])
        try perform("graduate", at: page, ["email": "nemo@example.com", "role": "player"])
    }

    private func operationsOnJobs() throws {
        let job: Int64 = try site.scalar(
            """
            INSERT INTO jobs.live (queue, kind, payload) VALUES ('mail', 'test.wait', '{}')
                RETURNING id
            """)
        try perform("retry", at: "/jobs/\(job)")
        try perform("cancel", at: "/jobs/\(job)")
        try perform("pause", at: "/queues/mail", ["reason": "the server is moved"])
        try perform("resume", at: "/queues/mail")
        try site.asOwner(
            """
            INSERT INTO jobs.schedules (name, queue, kind, every, next_at) VALUES
                ('tick', 'upkeep', 'upkeep.tick', '1 hour', now() + interval '1 hour');
            INSERT INTO jobs.dead (id, queue, kind, payload, max_attempts, attempt, crashes,
                    priority, run_at, enqueued_at, last_error)
                VALUES (900, 'mail', 'mail.invitation', '{}', 25, 25, 0, 0, now(), now(), 'no')
            """)
        try perform("run", at: "/schedules/tick")
        try perform(
            "retry-all", at: "/dead-jobs", query: "?queue=mail&kind=mail.invitation&error=no")
    }

    private func operationsOnWebhook() throws {
        let endpoint = "33333333-3333-4333-8333-333333333333"
        let page = "/webhooks/\(endpoint)"
        try site.asOwner(
            """
            INSERT INTO app.webhook_endpoints (id, url, secret_hash)
                VALUES ('\(endpoint)', 'https://hooks.example/', sha256('x'));
            INSERT INTO app.webhook_events (event_type, data) VALUES ('family.created', '{}');
            INSERT INTO app.webhook_deliveries (endpoint_id, event_number)
                SELECT '\(endpoint)', number FROM app.webhook_events
            """)
        let event: String = try site.scalar("SELECT id::text FROM app.webhook_events")
        let replays: [(name: String, fields: [String: String])] = [
            ("replay-failed", [:]), ("replay", ["hours": "24"]), ("replay-event", ["event": event]),
        ]
        for (name, fields) in replays {
            // A pending event is not sent again.
            try site.asOwner(
                """
                DELETE FROM jobs.live WHERE kind = 'webhook.deliver';
                UPDATE app.webhook_deliveries SET state = 'failed', settled_at = now()
                """)
            try perform(name, at: page, fields)
        }
        try perform("test", at: page)
        try perform("pause-webhook", at: page)
        try perform("resume-webhook", at: page)
        try perform("rotate", at: page, ["hours": "24"])
        try perform("remove-webhook", at: page)
    }

    private func operationsOnMail() throws {
        let address = ["email": "gus@example.com"]
        try perform("suppress", at: "/mail", address)
        try perform("unsuppress", at: "/mail", address)
        try site.asOwner(
            """
            INSERT INTO app.suppressed_addresses (email, reason)
                VALUES ('gus@example.com', 'no such user')
            """)
        try perform("allow", at: "/addresses", address)
    }
}
