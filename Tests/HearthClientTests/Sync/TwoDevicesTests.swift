import Foundation
import MailSupport
import Postgres
import TestSupport
import Testing

@testable import HearthClient

/// `HEARTH_TEST_DEVICE_ROUNDS=1000` plays a thousand rounds, as `scripts/proofs/chaos two-devices`
/// does.
@Suite("Devices that edit offline", .timeLimit(.minutes(60)))
final class TwoDevicesTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["HEARTH_TEST_DEVICE_ROUNDS"].flatMap(Int.init) ?? 4
    /// Rounds with one household: an account may use a thousand idempotency keys a day.
    private static let roundsOfHousehold = 40

    private let folder: URL
    private let server: LiveServer

    init() throws {
        folder = try TemporaryFolder.make()
        server = try LiveServer.askingAnew()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Creates a family of a Parent Admin with a phone and a tablet, and an adult with a phone; and
    /// another family that invites both, and that they may join with its code.
    private func devices() async throws -> [KilledDevice] {
        let (ada, pat) = (try LivePerson(server, "Ada"), try LivePerson(server, "Pat"))
        let family = try await ada.hearth.createFamily(named: "The Terns")
        let code = try #require(family.code.flatMap(FamilyCode.init(typed:)))
        try await pat.hearth.joinFamily(by: code)
        let owner = try LivePerson(server, "Otto")
        let other = try await owner.hearth.createFamily(named: "The Others")
        let otherCode = try #require(other.code.flatMap(FamilyCode.init(typed:)))
        for person in [ada, pat] {
            try await owner.hearth.invite(.email(person.email), as: .parent, to: other.id)
        }
        try server.execute(
            "UPDATE app.family_units SET member_limit = 64 WHERE id = '\(family.id.rawValue)'")
        return try [("phone", ada), ("tablet", ada), ("other phone", pat)].map { name, person in
            try KilledDevice(
                name, of: person, in: family.id, isAdmin: person.account == ada.account,
                joining: otherCode, keeping: folder, to: server.port)
        }
    }

    @Test(
        "devices killed at any moment end up with the server's data, and each change is made once")
    func killed() async throws {
        try Effects(server).record()
        var (kills, words) = (0, 0)
        for first in stride(from: 0, to: Self.rounds, by: Self.roundsOfHousehold) {
            let devices = try await devices()
            for round in first..<min(first + Self.roundsOfHousehold, Self.rounds) {
                kills += try play(devices)
                if round % 10 == 3 {
                    server.kill()
                    try server.restart()
                }
                try await settle(devices, round)
            }
            try Effects(server).expectOnce(of: devices)
            words += devices.map(\.words.count).reduce(0, +)
        }
        // In fewer rounds, the rarest kinds may not occur.
        if Self.rounds >= 200 { try Effects(server).expectAllKinds() }
        print("\(Self.rounds) rounds: \(kills) kills, \(words) changes that are known by a word")
    }

    /// Lets two devices make changes while the third is off. Returns the number of kills.
    private func play(_ all: [KilledDevice]) throws -> Int {
        let two = all.shuffled().prefix(2)
        var kills = 0
        for device in two {
            device.set(online: Bool.random())
            try device.start()
        }
        for step in 0..<Int.random(in: 1...4) {
            for device in two {
                try device.awaitWord()
                if Int.random(in: 0..<4) == 0 { device.set(online: Bool.random()) }
                if step > 0, Int.random(in: 0..<4) == 0 {
                    try device.kill()
                    try device.start()
                    kills += 1
                }
            }
        }
        for device in two.shuffled() { try device.kill() }
        return kills + 2
    }

    /// Syncs all devices over a faultless network and without limits, and expects that they equal
    /// the server.
    private func settle(_ devices: [KilledDevice], _ round: Int) async throws {
        try server.execute("DELETE FROM app.rate_limits")
        for device in devices { try await sync(device) }
        for device in devices {
            try await sync(device)
            let store = try device.store()
            #expect(try store.queuedMutations().isEmpty)
            try await expectEqual(store, device.hearth(server), "\(device.name), round \(round)")
        }
    }

    private func sync(_ device: KilledDevice) async throws {
        let engine = SyncEngine(device.hearth(server), try device.store())
        for _ in 0..<1000 {
            do {
                return try await engine.sync()
            } catch let error as HearthError where error.nextStep == .retry {
                // A request of a killed process is still in progress.
                continue
            }
        }
        throw TimedOut()
    }

    @Test("the later of two offline changes wins on both devices, and each side gets a conflict")
    func later() async throws {
        let home = try await ClientFamily(server)
        let pat = try await home.member(home.parent)
        func device(
            _ person: ClientPerson
        ) async throws -> (store: FamilyStore, engine: SyncEngine) {
            let store = try FamilyStore(
                at: folder.appendingPathComponent(UUID().uuidString),
                of: try await person.hearth.profile().id)
            let engine = SyncEngine(person.hearth, store)
            try await engine.sync()
            return (store, engine)
        }
        let (adas, pats) = (try await device(home.admin), try await device(home.parent))
        func role(_ store: FamilyStore) throws -> HouseholdRole? {
            try store.members(of: home.family.id).first { $0.id == pat.id }?.householdRole
        }
        // Ada's change was made first, and arrives last.
        try enqueue(.setHouseholdRole(.kid, of: pat), in: adas.store)
        try enqueue(.setHouseholdRole(.visitor, of: pat), in: pats.store)
        #expect(try role(adas.store) == .kid && role(pats.store) == .visitor)
        try await pats.engine.sync()
        try await adas.engine.sync()
        try await pats.engine.sync()
        #expect(try role(adas.store) == .visitor && role(pats.store) == .visitor)
        let kept = try #require(try told(adas.store).last)
        #expect(kept.outcome == .theirsKept && kept.by == pat.id)
        #expect(kept.entityID == pat.id.rawValue)
        #expect(try told(pats.store).isEmpty)

        // Now Ada's change is the later one, and she has not seen Pat's.
        try enqueue(.setHouseholdRole(.adult, of: pat), in: pats.store)
        try enqueue(.setHouseholdRole(.kid, of: pat), in: adas.store)
        try await pats.engine.sync()
        try await adas.engine.sync()
        try await pats.engine.sync()
        #expect(try role(adas.store) == .kid && role(pats.store) == .kid)
        #expect(try told(adas.store).map(\.outcome) == [.theirsKept, .yoursKept])
        #expect(try told(pats.store).map(\.outcome) == [.overwritten])
        try await expectEqual(adas.store, home.admin.hearth)
        try await expectEqual(pats.store, home.parent.hearth)
    }

    /// Makes a change, and waits for the next millisecond.
    private func enqueue(_ mutation: Mutation, in store: FamilyStore) throws {
        let made = try store.enqueue(mutation).changedAt
        while Timestamp.text(Date()) == Timestamp.text(made) {}
    }

    private func told(_ store: FamilyStore) throws -> [Conflict] {
        try store.read { try $0.conflicts() }
    }
}

/// The effects of the changes in the database.
private struct Effects {
    private let connection: Connection

    init(_ server: LiveServer) throws { connection = try Connection(server.test.settings()) }

    /// Starts to record each word that is put into a family.
    func record() throws {
        func note(_ table: String, _ events: String, _ action: String, _ path: String) -> String {
            """
            CREATE TRIGGER note_\(action.replacing(".", with: "_")) AFTER \(events) ON app.\(table)
                FOR EACH ROW EXECUTE FUNCTION public.note_word('\(action)', '\(path)');
            """
        }
        try connection.execute(
            script: """
                CREATE TABLE public.words (number bigserial, action text, word text);
                CREATE FUNCTION public.note_word() RETURNS trigger LANGUAGE plpgsql
                    SECURITY DEFINER AS $$
                    DECLARE
                        v_path constant text[] := TG_ARGV[1]::text[];
                        v_word constant text := to_jsonb(NEW) #>> v_path;
                    BEGIN
                        -- The other columns of a family change without its words.
                        IF v_word LIKE 'w%' AND (TG_TABLE_NAME <> 'family_units'
                            OR to_jsonb(OLD) #>> v_path IS DISTINCT FROM v_word) THEN
                            INSERT INTO public.words (action, word) VALUES (TG_ARGV[0], v_word);
                        END IF;
                        RETURN NULL;
                    END $$;
                """ + note("family_units", "UPDATE", "family.update", "{family_name}")
                    + note(
                        "family_units", "UPDATE", "player_details.write", "{player_details,sport}")
                    + note("users", "INSERT", "managed.create", "{full_name}")
                    + note(
                        "family_attributes", "INSERT OR UPDATE", "attributes.write",
                        "{attributes,word}")
                    + note(
                        "member_preferences", "INSERT OR UPDATE", "preferences.write",
                        "{preferences,word}"))
    }

    /// Expects that changes of every kind have had an effect.
    func expectAllKinds() throws {
        let kinds = [
            "admin.transfer", "attributes.write", "code.join", "consent.give", "consent.withdraw",
            "family.create", "family.update", "guardian.add", "guardian.promote",
            "guardian.remove", "invitation.create", "invitation.revoke", "managed.create",
            "managed.reassign", "managed.remove", "member.leave", "member.set_role",
            "player_details.write", "preferences.write", "profile.update",
        ]
        let done = try connection.query(
            "SELECT string_agg(DISTINCT a.action, ' ') FROM app.audit_log AS a"
        ).scalar(String.self).split(separator: " ").map(String.init)
        #expect(Set(kinds).subtracting(done).sorted() == [], "no device has done this")
    }

    /// Expects that each printed word was recorded once, in each device's order, and that the audit
    /// log has no other effects.
    func expectOnce(of devices: [KilledDevice]) throws {
        let words = try connection.query(
            "SELECT coalesce(string_agg(word, ' ' ORDER BY number), '') FROM public.words"
        ).scalar(String.self).split(separator: " ").map(String.init)
        #expect(Set(words).count == words.count, "a change was done twice")
        for device in devices {
            let printed = Set(device.words)
            #expect(
                words.filter(printed.contains) == device.words,
                "\(device.name): a change was lost, or done out of order")
        }
        // A repetition of the very last change would leave no second word.
        let odd = try connection.query(
            """
            SELECT coalesce(string_agg(a.action || ' ' || a.done || ' for ' || w.words, ', '), '')
            FROM (SELECT action, count(*) AS done FROM app.audit_log
                  WHERE action IN ('family.update', 'player_details.write', 'managed.create',
                                   'preferences.write', 'attributes.write')
                  GROUP BY action) AS a
            JOIN (SELECT action, count(*) AS words FROM public.words GROUP BY action) AS w
                ON w.action = a.action
            WHERE a.done <> w.words
            """
        ).scalar(String.self)
        #expect(odd == "", "the trail has other effects than words")
    }
}
