import Foundation
import JSON
import MailSupport
import Postgres
import TestSupport
import Testing

/// Tests that two processes of the API count wrong codes together.
@Suite("Approval required because of wrong codes, through two processes")
struct AutomaticApprovalTests {
    /// Seconds to wait for a metric. The API reads the database's metrics less often if reading
    /// them takes long.
    private static let patience = 240.0

    private let office: PostOffice
    private let processes: [APIProcess]

    init() throws {
        office = try PostOffice()
        let settings = ["HEARTH_TRUSTED_PROXIES": "127.0.0.1"]
        processes = [try APIProcess(office, settings), try APIProcess(office, settings)]
    }

    private struct Home {
        let creator: Person
        let id: String
        let code: String
    }

    private func home() throws -> Home {
        let creator = Person(role: "player")
        let created = try processes[0].send(
            "POST", "/api/family/create", token: processes[0].token(of: creator),
            body: ["familyName": "Terns"])
        return Home(
            creator: creator, id: try #require(try created.field("familyId")),
            code: try #require(try created.field("familyCode")))
    }

    private func join(
        _ code: String, by person: Person, at process: APIProcess,
        from address: String = "192.0.2.1"
    ) throws -> APIProcess.Answer {
        try process.send(
            "POST", "/api/family/code/join", token: process.token(of: person),
            body: ["familyCode": code], from: address)
    }

    /// Lets a thousand people, each at an address in a separate network, try one code each. Codes
    /// that Hearth draws contain no zero, so none of these exists.
    private func attack(by people: [Person]) throws -> [Int] {
        try onThreads(8) { thread in
            try stride(from: thread, to: people.count, by: 8).map { index in
                try join(
                    "FAM-\(100_000 + index * 10)", by: people[index],
                    at: processes[index % 2], from: "10.\(index / 250).\(index % 250).7"
                ).status
            }
        }.flatMap { try $0.get() }
    }

    private func waitingMember(of home: Home) throws -> String {
        let listed = try processes[1].send(
            "GET", "/api/family/members?familyId=\(home.id)&status=invited",
            token: processes[1].token(of: home.creator))
        let waiting = try JSONField(JSONValue(parsing: Array(listed.body)))["members"].elements()
        return try #require(waiting.first)["id"].string()
    }

    /// Checks that a person without an invitation must wait, and becomes a member once the family
    /// approves.
    private func isLetIn(_ guest: Person, to home: Home, at process: APIProcess) throws {
        let asked = try join(home.code, by: guest, at: process)
        #expect(asked.status == 202, "\(asked.text)")
        #expect(try asked.field("status") == "invited")
        let path = "/api/family/\(home.id)"
        #expect(try process.send("GET", path, token: process.token(of: guest)).status == 404)
        let approved = try process.send(
            "POST", "/api/family/members/\(waitingMember(of: home))/approve",
            token: process.token(of: home.creator))
        #expect(approved.status == 200, "\(approved.text)")
        #expect(try process.send("GET", path, token: process.token(of: guest)).status == 200)
    }

    /// Checks that a person whom the family has invited joins at once with the same code.
    private func joinsInvited(_ aunt: Person, _ home: Home, at process: APIProcess) throws {
        let invited = try process.send(
            "POST", "/api/family/invite", token: process.token(of: home.creator),
            body: ["email": aunt.email, "role": "parent"])
        #expect(invited.status == 200, "\(invited.text)")
        #expect(try join(home.code, by: aunt, at: process).status == 200)
    }

    private func metric(_ line: String, at process: APIProcess) throws -> Bool {
        try process.send("GET", "/metrics").text.contains("\n\(line)\n")
    }

    @Test("a thousand attackers make approval required within a minute, and the requirement ends")
    func attack() throws {
        // A worker that serves metrics reads these figures, and logs when approval becomes required
        // and when it no longer is.
        let worker = try office.worker(
            nil, ["HEARTH_METRICS_LISTEN": "127.0.0.1:\(FreePort.find())"])
        defer { worker.kill() }
        let (home, other) = (try home(), try home())
        for process in processes {
            #expect(try join(other.code, by: Person(), at: process).status == 200)
        }
        let attackers = (0..<1_000).map { _ in Person() }
        #expect(try attack(by: attackers).allSatisfy { $0 == 404 })
        #expect(try office.count("SELECT sum(codes)::int8 FROM app.wrong_codes") == 1_000)
        let seconds = try office.count(
            """
            SELECT extract(epoch FROM a.began_at - (
                SELECT min(l.at) FROM app.family_code_usage_log AS l WHERE l.action = 'rejected'
            ))::int8 FROM app.automatic_approval AS a
            """)
        #expect((0..<60).contains(seconds))

        for process in processes {
            try isLetIn(Person(), to: home, at: process)
            try joinsInvited(Person(), home, at: process)
        }
        let patient = Person()
        #expect(try join(home.code, by: patient, at: processes[0]).status == 202)
        for process in processes {
            try eventually(within: Self.patience) {
                try metric("hearth_automatic_approval 1", at: process)
            }
        }
        #expect(try metric("hearth_code_joins_held_total 2", at: processes[0]))
        #expect(try metric("hearth_code_joins_held_total 1", at: processes[1]))
        try eventually(within: Self.patience) {
            try office.log().contains("wrong codes make every family require approval")
        }

        // Move to five minutes after the last wrong code above the rate.
        try office.execute(
            """
            UPDATE app.automatic_approval SET began_at = began_at - interval '5 minutes',
                lasts_until = lasts_until - interval '5 minutes'
            """)
        try office.execute(
            "UPDATE app.wrong_codes SET minute = minute - interval '5 minutes'")
        for process in processes {
            #expect(try join(home.code, by: Person(), at: process).status == 200)
        }
        #expect(try join(home.code, by: patient, at: processes[1]).status == 200)
        for process in processes {
            try eventually(within: Self.patience) {
                try metric("hearth_automatic_approval 0", at: process)
            }
        }
        try eventually(within: Self.patience) {
            try office.log().contains("wrong codes no longer make approval necessary")
        }

        // The same accounts with the same codes guess nothing new, so approval stays off.
        #expect(try attack(by: Array(attackers.prefix(200))).allSatisfy { $0 == 404 })
        #expect(try office.count("SELECT sum(codes)::int8 FROM app.wrong_codes") == 1_000)
        #expect(try join(other.code, by: Person(), at: processes[0]).status == 200)
    }
}
