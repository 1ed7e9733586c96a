import Foundation
import Testing

@Suite("hearth-admin where reads go to standbys")
struct HeldAnswerTests {
    @Test("answers a change when no standby can show what was before it, and a read at once")
    func held() throws {
        let office = try Office()
        let id = try office.makeFamily()
        // A process of the API that reads from a standby.
        try office.breakingRules(
            """
            INSERT INTO app.standby_readers (id, number, standbys, renewed_at)
            VALUES (gen_random_uuid(), 1, '{7}', now() + interval '1 hour')
            """)
        let began = Date()
        _ = try office.json("family rename \(id) Terns")
        #expect(Date().timeIntervalSince(began) >= 3)
        try office.breakingRules("DELETE FROM app.standby_readers")
        let shown = try office.json("family show \(id)")["family"]
        #expect(try shown["name"].string() == "Terns")
    }
}
