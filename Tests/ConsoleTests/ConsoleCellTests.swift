import DomainCore
import Foundation
import Policy
import Postgres
import TestSupport
import Testing

@testable import Console

@Suite("Each operation of the console by each role on each kind of account")
struct ConsoleCellTests {
    /// An object of operations.
    private struct Object {
        let operations: [ConsoleOperation]
        let path: String
        var fields: [String: String] = [:]
        /// The account that the operations concern; nil for none.
        var account: String?
    }

    private static let operators: [(role: OperatorRole, name: String, id: String)] = [
        (.admin, "root", ConsoleSite.root), (.support, "sue", ConsoleSite.sue),
        (.viewer, "vic", ConsoleSite.vic),
    ]
    private static let endpoint = "33333333-3333-4333-8333-333333333333"

    /// Operations whose least role is support.
    private static let ofSupport: Set = [
        "approve", "block", "clear-limits", "end-session", "end-sessions", "resend", "retry",
        "revoke", "send-reset", "unblock",
    ]
    /// Operations whose least role is admin.
    private static let ofAdmins: Set = [
        "create-family", "erase", "export", "remove-passkey", "set-address",
        "add-child", "add-member", "invite", "new-code", "rename", "transfer-admin",
        "add-guardian", "bring-back", "graduate", "primary-guardian", "reassign", "remove",
        "remove-guardian", "set-role",
        "cancel", "pause", "resume", "retry-all", "run",
        "pause-webhook", "remove-webhook", "replay", "replay-event", "replay-failed",
        "resume-webhook", "rotate", "test",
        "allow", "suppress", "unsuppress", "apply", "examine", "fix",
    ]

    /// Whether a role may perform an operation on a kind of account.
    private static func isAllowed(
        _ operation: String, _ role: OperatorRole, _ target: OperatorTarget
    ) -> Bool {
        switch (target, role) {
        case (.oneself, _), (_, .viewer), (.otherOperator, .support): false
        case (.person, .support): ofSupport.contains(operation)
        case (_, .admin): ofSupport.contains(operation) || ofAdmins.contains(operation)
        }
    }

    let site: ConsoleSite
    private let objects: [Object]

    init() throws {
        let site = try ConsoleSite()
        let family = try site.makeFamily()
        let accounts = [ConsoleSite.ann] + Self.operators.map(\.id)
        self.site = site
        objects =
            try Self.accountObjects(accounts, family, site) + Self.otherObjects(family, site)
    }

    /// Objects that concern accounts: a person, and each operator.
    private static func accountObjects(
        _ accounts: [String], _ family: String, _ site: ConsoleSite
    ) throws -> [Object] {
        try site.asOperator { session in
            let id = try session.family(family).id
            for one in operators {
                _ = try session.addMember(
                    session.user(one.id).id, to: id, role: nil, householdRole: nil)
            }
        }
        let list = accounts.map { "'\($0)'" }.joined(separator: ", ")
        // The ids of passkeys and sessions are those of their accounts.
        try site.asOwner(
            """
            INSERT INTO app.passkeys (id, user_id, credential_id, public_key, counter, model,
                    transports, is_backup_eligible, is_backed_up)
                SELECT u.id, u.id, sha256(u.id::text::bytea), 'key', 0, u.id, '{}', true, true
                FROM app.users AS u WHERE u.id IN (\(list));
            INSERT INTO app.sessions (id, user_id, method, ends_at)
                SELECT u.id, u.id, 'email', now() + interval '1 day'
                FROM app.users AS u WHERE u.id IN (\(list))
            """)
        return try accounts.flatMap { account -> [Object] in
            let member: String = try site.scalar(
                "SELECT id::text FROM app.family_members WHERE user_id = \(account)::uuid")
            let page = "/people/\(account)"
            return [
                Object(operations: ConsoleOperation.ofPeople, path: page, account: account),
                Object(
                    operations: ConsoleOperation.ofPasskeys, path: page,
                    fields: ["passkey": account], account: account),
                Object(
                    operations: ConsoleOperation.ofSessions, path: page,
                    fields: ["session": account], account: account),
                Object(
                    operations: ConsoleOperation.ofMembers, path: "/members/\(member)",
                    account: account),
            ]
        }
    }

    /// Objects without an account.
    private static func otherObjects(_ family: String, _ site: ConsoleSite) throws -> [Object] {
        let root = try site.browser(of: "root@example.com")
        let invited = try root.perform(
            "/families/\(family)/invite", ["email": "cy@example.com", "role": "player"])
        try #require(invited.status == 303)
        try site.asOwner(
            """
            INSERT INTO app.webhook_endpoints (id, url, secret_hash) VALUES
                ('\(endpoint)', 'https://hooks.example/', sha256('x'));
            INSERT INTO app.webhook_events (event_type, data) VALUES ('family.created', '{}');
            INSERT INTO app.webhook_deliveries
                    (endpoint_id, event_number, state, attempts, settled_at, last_status,
                    last_error)
                SELECT '\(endpoint)', number, 'failed', 9, now(), 500, 'status 500'
                FROM app.webhook_events;
            INSERT INTO jobs.schedules (name, queue, kind, every, next_at) VALUES
                ('tick', 'upkeep', 'upkeep.tick', '1 hour', now() + interval '1 hour')
            """)
        let invitation: String = try site.scalar("SELECT id::text FROM app.family_invitations")
        let job: Int64 = try site.scalar("SELECT min(id) FROM jobs.live WHERE queue = 'mail'")
        let event: String = try site.scalar("SELECT id::text FROM app.webhook_events LIMIT 1")
        return [
            Object(operations: ConsoleOperation.ofFamilies, path: "/families/\(family)"),
            Object(operations: ConsoleOperation.ofInvitations, path: "/invitations/\(invitation)"),
            Object(operations: ConsoleOperation.ofJobs, path: "/jobs/\(job)"),
            Object(operations: ConsoleOperation.ofQueues, path: "/queues/mail"),
            Object(operations: ConsoleOperation.ofSchedules, path: "/schedules/tick"),
            Object(
                operations: ConsoleOperation.ofDeadJobs, path: "/dead-jobs",
                fields: ["queue": "mail", "kind": "mail.invitation", "error": "no"]),
            Object(operations: ConsoleOperation.ofWebhooks, path: "/webhooks/\(endpoint)"),
            Object(
                operations: ConsoleOperation.ofWebhookEvents, path: "/webhooks/\(endpoint)",
                fields: ["event": event]),
            Object(operations: ConsoleOperation.ofMail, path: "/mail"),
            Object(
                operations: ConsoleOperation.ofAddresses, path: "/addresses",
                fields: ["email": "cy@example.com"]),
            Object(operations: ConsoleOperation.ofDoctor, path: "/doctor"),
            Object(operations: ConsoleOperation.ofIssuers, path: "/issuers"),
        ]
    }

    @Test("each operation is tested here, and each action of the table is one of an operation")
    func complete() {
        let names = objects.flatMap { $0.operations.map(\.name) }
        #expect(Set(names) == Set(ConsoleOperation.all.map(\.name)))
        #expect(Set(ConsoleOperation.all.map(\.name)).count == ConsoleOperation.all.count)
        // Tests of e-mail and of tokens have pages of their own.
        let others: Set<OperatorAction> = [.read, .testMail, .checkToken]
        let actions = Set(ConsoleOperation.all.map(\.action)).union(others)
        #expect(actions == Set(OperatorAction.allCases))
    }

    @Test("each operation has the least role that docs/console.md gives to its action")
    func leastRoles() throws {
        #expect(Self.ofSupport.isDisjoint(with: Self.ofAdmins))
        #expect(
            Self.ofSupport.union(Self.ofAdmins) == Set(ConsoleOperation.all.map(\.name)))
        let rows = try OperatorActionTests.documentedRoles()
        for operation in ConsoleOperation.all {
            let documented = rows.first { $0.action == operation.action.rawValue }?.role
            let expected = Self.ofSupport.contains(operation.name) ? "support" : "admin"
            #expect(documented == expected, "\(operation.name)")
        }
    }

    @Test(
        "an operation is refused unless the role allows it, and a refusal changes nothing",
        arguments: 0..<3)
    func cells(_ index: Int) throws {
        let one = Self.operators[index]
        let browser = try site.browser(of: "\(one.name)@example.com")
        let token = try browser.formToken()
        let before = try changes()
        for object in objects {
            let isOperator = Self.operators.contains { $0.id == object.account }
            let target: OperatorTarget =
                object.account == one.id ? .oneself : isOperator ? .otherOperator : .person
            let query = object.fields.map { "\($0)=\($1)" }.sorted().joined(separator: "&")
            for operation in object.operations {
                let isAllowed = Self.isAllowed(operation.name, one.role, target)
                let path = "\(object.path)/\(operation.name)"
                // An operation without a confirmation page is performed by a form only.
                if !operation.isDirect {
                    let asked = try browser.open(query.isEmpty ? path : "\(path)?\(query)")
                    #expect([200, 303, 403, 409].contains(asked.status), "\(path): \(asked)")
                    #expect(
                        (asked.status != 403) == isAllowed, "\(path) by \(one.name) on \(target)")
                }
                if !isAllowed {
                    let fields = object.fields.merging(["form_token": token]) { $1 }
                    let done = try browser.post(path, fields)
                    #expect(done.status == 403, "\(path) by \(one.name) on \(target)")
                }
            }
        }
        #expect(try changes() == before)
    }

    /// Returns the entries of the audit log, except views of people.
    private func changes() throws -> [String] {
        try site.audit().filter { !$0.hasPrefix("user.view") }
    }

    @Test("an operator's invitation can be changed by another operator only if that is an admin")
    func invitations() throws {
        let family: String = try site.scalar("SELECT id::text FROM app.family_units")
        try site.asOwner(
            """
            INSERT INTO app.email_sign_ins (user_id, email)
                VALUES ('\(ConsoleSite.sue)', 'sue.at.home@example.org');
            INSERT INTO app.family_invitations (family_unit_id, invited_by, invited_email, role,
                    household_role, delivery, sent_count, last_sent_at)
                SELECT '\(family)', '\(ConsoleSite.ann)', e, 'parent', 'adult', 'email', 1, now()
                FROM unnest(ARRAY['root@example.com', 'sue.at.home@example.org']) AS e
            """)
        func invitation(_ address: String) throws -> String {
            let id: String = try site.scalar(
                "SELECT id::text FROM app.family_invitations WHERE mailbox = \(address)")
            return "/invitations/\(id)"
        }
        let ofRoot = try invitation("root@example.com")
        let ofSue = try invitation("sue.at.home@example.org")
        for (name, own, other) in [("root", ofRoot, ofSue), ("sue", ofSue, ofRoot)] {
            let browser = try site.browser(of: "\(name)@example.com")
            let page = try browser.open("/families/\(family)")
            #expect(!page.targets.contains("\(own)/revoke"), "\(name)")
            #expect(page.targets.contains("\(other)/revoke") == (name == "root"), "\(name)")
            #expect(try browser.open("\(own)/revoke").status == 403)
            #expect(try browser.open("\(other)/revoke").status == (name == "root" ? 200 : 403))
        }
    }

    @Test("operators can't choose themselves in a field of an operation, and are not offered")
    func fields() throws {
        func member(_ name: String) throws -> String {
            try site.scalar(
                """
                SELECT m.id::text FROM app.family_members AS m
                JOIN app.users AS u ON u.id = m.user_id WHERE u.full_name = \(name)
                """)
        }
        let (own, ann) = (try member("Root Admin"), try member("Ann Fisher"))
        let child = "/members/\(try member("Nemo Little Fisher"))"
        let id: String = try site.scalar("SELECT id::text FROM app.family_units")
        let (family, address) = ("/families/\(id)", "Root@Example.com")
        let named: [(path: String, fields: [String: String])] = [
            ("\(family)/transfer-admin", ["member": own]),
            ("\(family)/add-member", ["email": address]),
            ("\(family)/add-child", ["name": "Kit", "guardian": own]),
            ("\(family)/invite", ["email": address, "role": "parent"]),
            ("/members/\(ann)/remove", ["successor": own]),
            ("/members/\(ann)/set-role", ["household": "visitor", "successor": own]),
            ("\(child)/add-guardian", ["guardian": own]),
            ("\(child)/remove-guardian", ["guardian": own]),
            ("\(child)/primary-guardian", ["guardian": own]),
            ("\(child)/reassign", ["guardian": own]),
            ("\(child)/graduate", ["email": address, "role": "player"]),
            ("/people/\(ConsoleSite.ann)/set-address", ["email": address]),
            ("/mail/suppress", ["email": address]), ("/mail/unsuppress", ["email": address]),
        ]
        // A second guardian, so that each operation has somebody to choose.
        try site.asOperator { session in
            let unit = try session.family(id).id
            let kid = try session.member("Nemo Little Fisher", of: unit)
            try session.addGuardian(session.member(ConsoleSite.sue, of: unit), of: kid)
        }
        let root = try site.provenBrowser(of: "root@example.com")
        let before = try changes()
        for one in named {
            let page = try root.open(one.path)
            #expect(page.status == 200 && !page.says(own), "\(one.path): \(page)")
            let done = try root.send(one.path, from: page, one.fields)
            #expect(
                done.status == 403 && done.alert?.contains("your own account") == true,
                "\(one.path): \(done)")
        }
        #expect(try changes() == before)
        // Another operator is a person like others to an admin.
        let other = try root.perform(
            "\(child)/add-guardian", ["guardian": try member("Vic Viewer")])
        #expect(other.status == 303, "\(other)")
    }
}
