import Foundation
import MailSupport
import Testing

@testable import HearthClient

@Suite("Family store")
final class StoreTests {
    private let folder: URL
    private let store: FamilyStore
    private static let owner = UserID("u1")
    private let family = FamilyID("f1")

    init() throws {
        folder = try TemporaryFolder.make()
        store = try FamilyStore(at: folder.appendingPathComponent("store"), of: Self.owner)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func again(_ owner: UserID = StoreTests.owner) throws -> FamilyStore {
        try FamilyStore(at: folder.appendingPathComponent("store"), of: owner)
    }

    private func change(
        _ kind: String, _ id: String, version: Int = 1, _ value: JSONValue?
    ) -> JSONValue {
        .body([
            "kind": .string(kind), "id": .string(id),
            "familyId": kind == "profile" ? .null : "f1", "version": .integer(version),
            "value": value, "deleted": value == nil ? true : nil,
        ])
    }

    private func member(_ id: String, _ name: String, role: String = "adult") -> JSONValue {
        change(
            "member", id,
            [
                "id": .string(id), "family_unit_id": "f1", "user_id": .string("u" + id),
                "display_name": .string(name), "household_role": .string(role),
                "status": "active", "added_at": "2026-01-01T00:00:00Z",
            ])
    }

    private func terns(_ name: String = "The Terns") -> JSONValue {
        change(
            "family", "f1",
            ["familyId": "f1", "familyName": .string(name), "memberId": "m1", "memberCount": 2])
    }

    private func page(
        _ changes: [JSONValue], cursor: String = "c", more: Bool = false, reset: Bool = false
    ) throws -> SyncPage {
        try SyncPage(
            Fields([
                "changes": .array(changes), "cursor": .string(cursor), "hasMore": .bool(more),
                "reset": .bool(reset),
            ]))
    }

    private func fill() throws {
        try store.apply(
            page([terns(), member("m1", "Ada"), member("m2", "Pat")], cursor: "c1", reset: true))
    }

    @Test("the store returns the data of the last sync, even after a restart")
    func reading() throws {
        #expect(try store.families() == [] && store.cursor() == nil)
        try fill()
        let other = try again()
        #expect(try other.families().map(\.name) == ["The Terns"])
        #expect(try other.members(of: family).map(\.displayName) == ["Ada", "Pat"])
        #expect(try other.cursor() == "c1" && other.family(family)?.memberCount == 2)
        #expect(try other.members(of: FamilyID("f2")) == [])
    }

    @Test("a sync applies single changes, and leaving a family removes all its entities")
    func changes() throws {
        try fill()
        try store.apply(
            page([member("m2", "Patricia"), change("member", "m1", nil)], cursor: "c2"))
        #expect(try store.members(of: family).map(\.displayName) == ["Patricia"])
        try store.apply(page([change("family", "f1", nil)], cursor: "c3"))
        #expect(try store.families() == [] && store.members(of: family) == [])
    }

    @Test("a reset over several pages keeps old entities readable until its last page")
    func reset() throws {
        try fill()
        try store.apply(page([terns("Gulls")], cursor: "c2", more: true, reset: true))
        #expect(try store.members(of: family).count == 2 && store.families()[0].name == "Gulls")
        // After a kill in between, the cursor and the stored pages are there.
        let other = try again()
        #expect(try other.cursor() == "c2")
        try other.apply(page([member("m2", "Pat")], cursor: "c3"))
        #expect(try other.members(of: family).map(\.displayName) == ["Pat"])
        // A second reset starts over.
        try other.apply(page([terns()], cursor: "c4", more: true, reset: true))
        try other.apply(page([member("m1", "Ada")], cursor: "c5", more: true, reset: true))
        try other.apply(page([], cursor: "c6"))
        #expect(try other.families() == [])
        #expect(try other.members(of: family).map(\.displayName) == ["Ada"])
    }

    @Test("a queued change shows at once, after a sync, and after a restart")
    func overlay() throws {
        try fill()
        let pat = try store.members(of: family)[1]
        try store.enqueue(.setHouseholdRole(.visitor, of: pat))
        try store.enqueue(.updateFamily(family, FamilyChange(name: "Gulls")))
        try store.apply(page([member("m2", "Patricia"), terns("Terns")], cursor: "c2"))
        let other = try again()
        #expect(try other.members(of: family)[1].displayName == "Patricia")
        #expect(try other.members(of: family)[1].householdRole == .visitor)
        #expect(try other.family(family)?.name == "Gulls")
        let queued = try other.queuedMutations()
        #expect(queued.count == 2 && queued[0].baseVersion == 1 && queued[0].id < queued[1].id)
        #expect(Set(queued.map(\.key)).count == 2)
        // Milliseconds distinguish changes within one second.
        #expect(queued[0].headers["X-Changed-At"]?.count == "2026-02-08T12:00:00.000Z".count)
        try other.cancel(queued[0])
        #expect(try other.members(of: family)[1].householdRole == .adult)
        try other.enqueue(.removeMember(pat))
        #expect(try other.members(of: family).map(\.displayName) == ["Ada"])
    }

    @Test("preferences that were never stored are shown once they are queued")
    func preferences() throws {
        #expect(try store.preferences(in: family, of: Self.owner) == nil)
        try store.enqueue(.setPreferences(["a": 1], in: family, of: Self.owner))
        try store.enqueue(.setPreferences(["b": 2], in: family, of: Self.owner))
        #expect(try store.preferences(in: family, of: Self.owner) == ["b": 2])
    }

    @Test("an accepted change stays, a refused one is reverted and reported once")
    func settling() async throws {
        try fill()
        let pat = try store.members(of: family)[1]
        let first = try store.enqueue(.setHouseholdRole(.kid, of: pat))
        let second = try store.enqueue(.setHouseholdRole(.visitor, of: pat))
        var done = try #require(try store.entity(EntityKey(.member, family: "f1", id: "m2")))
        done = done.merged(["household_role": "kid", "conflict": ["kept": "yours"]])
        try store.finish(first, APIResponse(status: 200, body: done.data))
        #expect(try store.members(of: family)[1].householdRole == .visitor)
        let refusal: JSONValue = ["code": "standing_too_low", "message": "Not allowed."]
        try store.finish(second, APIResponse(status: 403, body: refusal.data))
        #expect(try store.members(of: family)[1].householdRole == .kid)
        #expect(try store.queuedMutations() == [])

        var conflicts = try again().conflicts.makeAsyncIterator()
        let kept = try #require(await conflicts.next())
        #expect(kept.outcome == .yoursKept && kept.kind == .member && kept.entityID == "m2")
        let told = try #require(await conflicts.next())
        #expect(told.outcome == .refused(code: "standing_too_low", message: "Not allowed."))
        #expect(told.familyID == family)
        try store.dismiss(kept)
        var left = store.conflicts.makeAsyncIterator()
        #expect(await left.next() == told)
        // A conflict from two syncs is reported once, even to a stream that is already open.
        let undone = member("m2", "Pat").merged([
            "value": ["conflict": ["by": "m1", "at": "2026-01-01T00:00:00Z"]]
        ])
        try store.apply(page([undone], cursor: "c2"))
        try store.apply(page([undone], cursor: "c3"))
        let overwritten = try #require(await left.next())
        #expect(overwritten.outcome == .overwritten && overwritten.by == MemberID("m1"))
        #expect(overwritten.at != nil)
    }

    @Test("a replayed response does not overwrite a later sync")
    func replayed() throws {
        try fill()
        let pat = try store.members(of: family)[1]
        let queued = try store.enqueue(.setHouseholdRole(.kid, of: pat))
        let answer = try #require(try store.entity(EntityKey(.member, family: "f1", id: "m2")))
        // The first response was lost, and another device's later change arrived.
        try store.apply(page([member("m2", "Pat", role: "visitor")], cursor: "c2"))
        try store.finish(
            queued,
            APIResponse(
                status: 200, headers: ["Idempotency-Replayed": "true"], body: answer.data))
        #expect(try store.members(of: family)[1].householdRole == .visitor)
        #expect(try store.queuedMutations().isEmpty)
    }

    @Test("opening another person's store empties it")
    func owners() throws {
        try fill()
        try store.enqueue(.updateFamily(family, FamilyChange(name: "Gulls")))
        let other = try again(UserID("u2"))
        #expect(try other.families() == [] && other.queuedMutations() == [])
        #expect(try other.cursor() == nil)
    }

    @Test("a file of another version keeps owner, queue and conflicts, and a sync fetches the rest")
    func versions() throws {
        try fill()
        let pat = try store.members(of: family)[1]
        let refused = try store.enqueue(.setHouseholdRole(.kid, of: pat))
        let refusal: JSONValue = ["code": "standing_too_low", "message": "Not allowed."]
        try store.finish(refused, APIResponse(status: 403, body: refusal.data))
        try store.enqueue(.setHouseholdRole(.visitor, of: pat))
        try store.enqueue(.updateFamily(family, FamilyChange(name: "Gulls")))
        let queued = try store.queuedMutations()
        // A file of another version, with a column more and one less.
        let file = try SQLiteConnection(folder.appendingPathComponent("store").path)
        try file.execute(
            script: """
                ALTER TABLE queue ADD COLUMN priority INTEGER;
                ALTER TABLE queue DROP COLUMN acting_as;
                PRAGMA user_version = 99;
                """)
        let other = try again()
        #expect(try other.queuedMutations() == queued && queued.count == 2)
        #expect(
            try file.conflicts().map(\.outcome)
                == [.refused(code: "standing_too_low", message: "Not allowed.")])
        #expect(try other.families() == [] && other.cursor() == nil)
        #expect(try file.run("PRAGMA user_version").first?.first?.integer == StoreSchema.version)
        // The new tables work, and a change made now is the last of the queue.
        try other.apply(page([terns(), member("m2", "Pat")], cursor: "c2", reset: true))
        let last = try other.enqueue(.removeMember(pat))
        #expect(try again().queuedMutations().map(\.key) == (queued + [last]).map(\.key))
    }

    @Test("the stream of changes emits the kinds of changed entities")
    func watching() async throws {
        var changes = store.changes.makeAsyncIterator()
        try fill()
        #expect(await changes.next() == [.family, .member])
        try store.enqueue(.setPreferences([:], in: family, of: Self.owner))
        #expect(await changes.next() == [.preferences])
    }

    @Test("a file that is not a database throws HearthError")
    func broken() throws {
        let file = folder.appendingPathComponent("broken")
        try Data("This is no database, however long it may be.".utf8).write(to: file)
        #expect(throws: HearthError.self) { try FamilyStore(at: file, of: Self.owner) }
    }
}
