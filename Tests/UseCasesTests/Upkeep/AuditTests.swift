import Domain
import Policy
import Postgres
import Testing
import UseCases

@Suite("The audit log")
struct AuditTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    @Test("pages of the audit log list every entry once, newest first, with actor and subject")
    func pages() throws {
        let family = try entry.family()
        let families = FamilyService(try entry.database)
        let all = try families.readAudit(by: family.admin, family: nil, limit: 100)
        #expect(all.nextCursor == nil && all.family == family.id)
        // Creation of the family, three joins, one child, one change of role.
        #expect(all.items.count == 6)
        #expect(all.items.first?.action == "member.set_role")
        #expect(all.items.first?.actor == family.admin.adoptedID)
        #expect(all.items.first?.subject == family.visitor.adoptedID)
        #expect(all.items.last?.action == "family.create")
        var paged: [String] = []
        var cursor: String?
        repeat {
            let page = try families.readAudit(
                by: family.admin, family: family.id, cursor: cursor, limit: 4)
            #expect(page.items.count <= 4)
            paged += page.items.map(\.id.description)
            cursor = page.nextCursor
        } while cursor != nil
        #expect(paged == all.items.map(\.id.description))
    }

    @Test("an audit entry from a server whose clock is ahead is listed first")
    func clocks() throws {
        let family = try entry.family()
        try Connection(entry.test.settings()).query(
            """
            INSERT INTO app.audit_log (at, family_unit_id, actor_label, action)
            VALUES (now() + interval '23 hours', \(family.id.rawValue), 'job:clock', 'family.clock')
            """)
        let families = FamilyService(try entry.database)
        let first = try families.readAudit(by: family.admin, family: family.id, limit: 1)
        #expect(first.items.map(\.action) == ["family.clock"])
        let second = try families.readAudit(
            by: family.admin, family: family.id, cursor: first.nextCursor, limit: 100)
        #expect(second.items.count == 6)
    }

    @Test("an unknown cursor is refused, and a limit is clamped to its bounds")
    func cursors() throws {
        let family = try entry.family()
        let families = FamilyService(try entry.database)
        let first = try families.readAudit(by: family.admin, family: nil, limit: 0)
        #expect(first.items.count == 1)
        let cursor = try #require(first.nextCursor)
        for wrong in [
            "", "x", cursor + "A", String(cursor.dropLast()), String(repeating: "_", count: 32),
            "=" + cursor.dropFirst(),
        ] {
            let told = try refused {
                try families.readAudit(by: family.admin, family: nil, cursor: wrong)
            }
            #expect(told?.parameter == .field("cursor"), "\(wrong)")
        }
        #expect(try families.readAudit(by: family.admin, family: nil, limit: .max).items.count == 6)
    }

    @Test("a cursor of one family shows no other family's entries")
    func otherFamily() throws {
        let (mine, other) = (try entry.family(), try entry.family())
        let families = FamilyService(try entry.database)
        let cursor = try families.readAudit(by: other.admin, family: nil, limit: 1).nextCursor
        let page = try families.readAudit(by: mine.admin, family: nil, cursor: cursor, limit: 100)
        #expect(page.items.count == 6)
        let ids = try Set(families.readAudit(by: other.admin, family: nil).items.map(\.id))
        #expect(ids.isDisjoint(with: page.items.map(\.id)))
    }

    @Test("only the creator and the Parent Admin can read the audit log")
    func rights() throws {
        let family = try entry.family()
        for caller in [family.adult, family.player] {
            let told = try refusal {
                try FamilyService(try entry.database).readAudit(by: caller, family: nil)
            }
            #expect(told == .standingTooLow)
        }
    }

    @Test("an audit entry by a guardian acting for its child names both")
    func actorAndSubject() throws {
        let family = try entry.family()
        _ = try MemberService(try entry.database).writePreferences(
            by: family.actingForChild, family: family.id, member: nil, document: Array("{}".utf8))
        let written = try #require(
            try FamilyService(try entry.database).readAudit(by: family.admin, family: nil).items
                .first)
        #expect(written.action == "preferences.write")
        #expect(written.actor == family.adult.adoptedID)
        #expect(written.subject?.rawValue == family.child.rawValue)
    }
}
