import JSON
import Postgres
import TestSupport
import Testing

extension Office {
    /// Runs `doctor` with the list of rights of this checkout.
    func doctor(_ rights: String = DoctorTests.rights) throws -> Ending {
        try run(
            "hearth-admin", ["doctor", "--json", "--rights", rights], environment: environment)
    }

    /// Does damage as superuser, and returns the doctor's findings.
    func findings(after damage: String) throws -> [JSONField] {
        try Connection(database.settings()).execute(script: damage)
        let found = try doctor()
        #expect(found.code == 1, "nothing was found")
        return try found.json()["findings"].elements()
    }

    /// Runs the remedy of each finding as the role that it names, and expects a sound database
    /// after that.
    func follow(_ findings: [JSONField]) throws {
        for finding in findings {
            let remedy = try finding["remedy"].string()
            let role = String(remedy.prefix { $0 != ":" }.dropFirst("as ".count))
            let statements = remedy.drop { $0 != ":" }.dropFirst()
            try #require(["hearth_migrator", "superuser"].contains(role), "\(remedy)")
            let settings = database.settings(as: role == "superuser" ? nil : role)
            do {
                try Connection(settings).execute(script: String(statements))
            } catch {
                Issue.record("\(remedy): \(error)")
            }
        }
        let after = try doctor()
        #expect(after.code == 0, "\(after.output)")
    }
}
