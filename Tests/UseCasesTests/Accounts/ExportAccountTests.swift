import Domain
import JSON
import Policy
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Exporting one's own data")
struct ExportAccountTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    private var accounts: AccountService {
        get throws {
            try AccountService(entry.database, entry.invitationKeys.deletionCodes)
        }
    }

    private func export(_ caller: RequestContext) throws -> JSONField {
        JSONField(
            try JSONValue(parsing: accounts.export(by: caller), maxDepth: 64))
    }

    @Test(
        "an export contains what is stored about the person and the children in the person's care")
    func whole() throws {
        let family = try entry.family()
        let adult = family.adult
        _ = try MemberService(entry.database).writePreferences(
            by: adult, family: family.id, member: family.child,
            document: Array(#"{"colour": "blue"}"#.utf8))
        _ = try entry.invite("aunt@example.com", to: family.id, by: adult)
        _ = try ProfileService(entry.database).update(
            by: adult, .init(fullName: PersonName("Pat Gull")))
        let document = try export(adult)
        #expect(try document["format"].string() == "hearth-account-export")
        let account = try document["account"]
        #expect(try account["fullName"].string() == "Pat Gull")
        #expect(try account["email"].string() == adult.email?.text)
        let membership = try account["memberships"].elements()[0]
        #expect(try membership["familyId"].string() == family.id.description)
        let actions = try account["audit"].elements().map { try $0["action"].string() }
        #expect(actions.contains("profile.update") && actions.contains("managed.create"))
        let child = try document["children"].elements()[0]
        #expect(try child["id"].string() == family.child.description)
        let preferences = try child["preferences"].elements()[0]["preferences"]
        #expect(try preferences["colour"].string() == "blue")
        let invitation = try document["invitations"].elements()[0]
        #expect(try invitation["invitedEmail"].string() == "aunt@example.com")
        #expect(try document["signIns"].elements().count == 1)
    }

    @Test("the export of an operator contains the console's passkeys and sessions, and no hash")
    func operators() throws {
        let person = RequestContext.person()
        let before = try export(person)["operator"].ifPresent
        #expect(before == nil)
        let id = try #require(person.adoptedID).description
        let owner = try Connection(entry.test.settings())
        let hash = String(repeating: "ab", count: 32)
        try owner.execute(
            script: """
                SET ROLE hearth_owner;
                INSERT INTO app.operators (user_id, role, added_by)
                    VALUES ('\(id)', 'viewer', 'test');
                INSERT INTO app.console_links (token_hash, user_id, expires_at)
                    VALUES ('\\x\(hash)', '\(id)', now() + interval '1 hour');
                INSERT INTO app.console_sessions (token_hash, user_id, method, ends_at)
                    VALUES ('\\x\(hash)', '\(id)', 'link', now() + interval '1 hour');
                INSERT INTO app.console_passkeys (user_id, credential_id, public_key, counter,
                        is_backup_eligible, is_backed_up)
                    VALUES ('\(id)', '\\x01', '\\x02', 0, false, false);
                """)
        let text = String(decoding: try accounts.export(by: person), as: UTF8.self)
        #expect(!text.contains(hash))
        let row = try export(person)["operator"]
        #expect(try row["role"].string() == "viewer")
        #expect(try row["passkeys"].elements()[0]["credentialId"].string() == "01")
        #expect(try row["sessions"].elements()[0]["method"].string() == "link")
        #expect(try row["linkExpiresAt"].string().isEmpty == false)
    }

    @Test("an export contains the recent e-mails to the account, and how they ended")
    func mails() throws {
        let person = RequestContext.person()
        _ = try export(person)
        let id = try #require(person.adoptedID).description
        try Connection(entry.test.settings()).execute(
            script: """
                INSERT INTO jobs.history (id, attempt, queue, kind, outcome, recipient) VALUES
                    (900, 0, 'mail', 'mail.password_set', 'done', '\(id)'),
                    (901, 0, 'mail', 'mail.ticket', 'expired', '\(id)'),
                    (902, 0, 'mail', 'mail.ticket', 'done', gen_random_uuid());
                """)
        let mails = try export(person)["mails"].elements()
        #expect(try mails.map { try $0["kind"].string() } == ["mail.password_set", "mail.ticket"])
        #expect(try mails.map { try $0["outcome"].string() } == ["done", "expired"])
    }

    @Test("an export contains no data of other people and no secrets")
    func others() throws {
        let family = try entry.family()
        let text = String(
            decoding: try accounts.export(by: family.adult), as: UTF8.self)
        #expect(!text.contains(try #require(family.admin.email).text))
        #expect(!text.contains(family.code) && !text.contains(family.adult.caller.subjectHash.hex))
        let acting = try refusal { try accounts.export(by: family.actingForChild) }
        #expect(acting == .notWhileActing)
    }

    @Test("an export shows of a requested family only the profile")
    func waiting() throws {
        let family = try entry.family()
        _ = try FamilyService(entry.database).update(
            by: family.admin, family: family.id, .init(isApprovalRequired: true))
        let person = RequestContext.person()
        try entry.join(person, family.code)
        let request = try export(person)["account"]["memberships"].elements()[0]
        #expect(try request["status"].string() == "invited")
        #expect(try request["familyId"].string() == family.id.description)
        let names = try request.object().members.map(\.name)
        #expect(names.contains("familyName"))
        #expect(Set(names).isDisjoint(with: ["guardians", "home", "playerDetails"]))
    }

    @Test("an export shows of a former family only the person's own data")
    func former() throws {
        let family = try entry.family()
        try MemberService(entry.database).remove(
            by: family.admin, member: family.member(family.visitor))
        let text = String(
            decoding: try accounts.export(by: family.visitor), as: UTF8.self)
        #expect(text.contains("member.remove"))
        let admin = try #require(family.admin.adoptedID).description
        #expect(!text.contains(family.id.description) && !text.contains(admin))
    }

    @Test("a person gets three exports a day, and each is recorded in the audit log")
    func limit() throws {
        let person = RequestContext.person()
        let outcomes = try onThreads(8) { _ in
            try ending { try export(person) }?.code
        }.map { try $0.get() }
        #expect(outcomes.count { $0 == nil } == 3)
        #expect(outcomes.count { $0 == .tooManyAttempts } == 5)
        let id = try #require(person.adoptedID).rawValue
        let rows = try entry.count(
            """
            SELECT count(*) FROM app.audit_log
            WHERE action = 'user.export' AND actor_user_id = \(id)
            """)
        #expect(rows == 3)
    }

    @Test("every table that stores ids of people beyond a transaction is part of the export")
    func complete() throws {
        let connection = try Connection(entry.test.settings())
        let tables = try connection.query(
            """
            SELECT DISTINCT c.conrelid::regclass::text FROM pg_constraint AS c
            WHERE c.contype = 'f' AND c.confrelid = 'app.users'::regclass
            UNION SELECT DISTINCT a.attrelid::regclass::text
            FROM pg_attribute AS a JOIN pg_class AS t ON t.oid = a.attrelid
            WHERE t.relnamespace = 'app'::regnamespace AND t.relkind IN ('r', 'p')
                AND t.relpersistence = 'p' AND NOT t.relispartition AND a.atttypid = 'uuid'::regtype AND NOT a.attisdropped
                AND a.attname ~ '(^|_)(user|actor|account)_id$'
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        let text = try connection.query(
            """
            SELECT string_agg(p.prosrc, ' ') FROM pg_proc AS p
            WHERE p.pronamespace = 'app'::regnamespace
                AND p.proname ~ '^export_(my|of)_'
            """
        ).scalar(String.self)
        #expect(tables.count > 5)
        for table in tables {
            #expect(text.contains(table), "export_my_data leaves \(table) out")
        }
    }
}
