import Foundation
import Testing

@Suite("hearth-admin: waiting for standbys")
struct HeldAnswerTests {
    private let office: Office
    init() throws { office = try Office() }

    /// Records a process of the API that reads from a standby.
    private func readFromStandby() throws {
        try office.breakingRules(
            """
            INSERT INTO app.standby_readers (id, number, standbys, renewed_at)
            VALUES (gen_random_uuid(), 1, '{7}', now() + interval '55 seconds')
            """)
    }

    /// Runs a command; returns its result and its duration in seconds.
    private func timed(_ line: String) throws -> (ending: Ending, seconds: Double) {
        let began = Date()
        let ending = try office.admin(line)
        return (ending, Date().timeIntervalSince(began))
    }

    @Test("a change waits until no standby can show the state before it")
    func held() throws {
        let id = try office.makeFamily()
        try readFromStandby()
        let renamed = try timed("family rename \(id) Terns")
        #expect(renamed.ending.code == 0 && renamed.seconds >= 3)
        try office.breakingRules("DELETE FROM app.standby_readers")
        let shown = try office.json("family show \(id)")["family"]
        #expect(try shown["name"].string() == "Terns")
    }

    @Test("a refused repetition also waits for standbys, because the refusal reveals the change")
    func refused() throws {
        let id = try office.makeFamily()
        #expect(try office.admin("member remove \(id) bo@example.com --yes").code == 0)
        let child = try office.json("managed add \(id) ann@example.com Eve")["member"]
        try readFromStandby()
        // The first command is refused because of what it reads before the change, the second one
        // by the change itself.
        let again = try timed("member remove \(id) bo@example.com --yes")
        #expect(again.ending.code == 1 && again.ending.errors.contains("[member_not_found]"))
        #expect(again.seconds >= 3)
        let raised = try timed("member set-role \(id) \(try child["id"].string()) adult --yes")
        #expect(raised.ending.code == 1 && raised.seconds >= 3, "\(raised.ending.errors)")
    }

    @Test("a purge waits for standbys")
    func purged() throws {
        try readFromStandby()
        let purged = try timed("purge --yes")
        #expect(purged.ending.code == 0 && purged.seconds >= 3, "\(purged.ending.errors)")
    }

    @Test("dropping audit entries in many batches waits for standbys once")
    func dropped() throws {
        try office.breakingRules(
            """
            INSERT INTO app.audit_log (action, at)
                SELECT 'test.entry', timestamptz '2019-01-01Z' + n * interval '1 minute'
                FROM generate_series(1, 5000) AS n
            """)
        try readFromStandby()
        let dropped = try timed("audit drop --before 2020-01 --unexported --yes --json")
        #expect(try dropped.ending.json()["entries"].number() == 5000)
        #expect(dropped.seconds >= 3 && dropped.seconds < 15)
    }
}
