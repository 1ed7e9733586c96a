import Foundation
import MailSupport
import Postgres
import TestSupport
import Testing

@Suite("A request with an Idempotency-Key has one effect and one response")
struct OneEffectTests {
    /// Step of the request's transaction at which it is interrupted.
    enum Step: String, CaseIterable, Sendable {
        case claim, effect, keeping, commit
    }

    private let office: PostOffice
    private let key = UUID().uuidString
    private let person = Person(name: "Ada")
    init() throws { office = try PostOffice() }

    /// Stops the request at a step until the gate is opened.
    private func gate(at step: Step) throws -> (arrival: () throws -> Void, open: () throws -> Void)
    {
        let gate: StatementGate
        switch step {
        case .claim:
            let keeper = try Connection(office.test.settings())
            try keeper.execute(
                script: "BEGIN; LOCK TABLE app.idempotency_keys IN ACCESS EXCLUSIVE MODE")
            return (
                {
                    try eventually {
                        try office.count(
                            """
                            SELECT count(*) FROM pg_stat_activity
                            WHERE datname = current_database() AND usename = 'hearth_api'
                                AND wait_event_type = 'Lock'
                            """) == 1
                    }
                }, { try keeper.execute(script: "ROLLBACK") }
            )
        case .effect: gate = try StatementGate(office.test, "AFTER INSERT ON app.family_units")
        case .keeping:
            gate = try StatementGate(office.test, "AFTER INSERT ON app.idempotency_keys")
        case .commit:
            gate = try StatementGate(
                office.test, "AFTER INSERT ON app.family_units", atCommit: true)
        }
        return ({ try gate.awaitArrival() }, { try gate.open() })
    }

    /// Token of an account that exists.
    private func token(at api: APIProcess) throws -> String {
        let token = try api.token(of: person)
        #expect(try api.send("GET", "/api/me", token: token).status == 200)
        return token
    }

    private func create(at api: APIProcess, by token: String) throws -> APIProcess.Answer {
        try api.send(
            "POST", "/api/families", token: token, body: ["familyName": "Terns"], key: key)
    }

    private var families: Int {
        get throws { try office.count("SELECT count(*) FROM app.family_units") }
    }

    /// Waits until all sessions of a killed API have ended.
    private func awaitSilence() throws {
        try eventually {
            try office.count(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND usename = 'hearth_api'
                """) == 0
        }
    }

    /// Repeats the request, at once and an hour later, and expects one effect and one response.
    private func expectOneEffect(at api: APIProcess, by token: String) throws {
        let first = try create(at: api, by: token)
        #expect(first.status == 201, "\(first.text)")
        try office.execute(
            """
            UPDATE app.idempotency_keys SET created_at = created_at - interval '1 hour'
            """)
        let later = try create(at: api, by: token)
        #expect(later.status == 201 && later.body == first.body)
        #expect(try families == 1)
    }

    @Test(
        "a change whose process is killed at any step has one effect when it is repeated",
        arguments: Step.allCases)
    func killed(at step: Step) throws {
        let api = try APIProcess(office)
        let token = try token(at: api)
        let gate = try gate(at: step)
        let answer = inBackground { try create(at: api, by: token) }
        try gate.arrival()
        api.process.kill()
        #expect(throws: (any Error).self) { try answer.wait() }
        try gate.open()
        try awaitSilence()
        // The COMMIT is sent in one batch with the statement that stores the response.
        #expect(try families == (step == .claim || step == .effect ? 0 : 1))
        try expectOneEffect(at: try APIProcess(office), by: token)
    }

    @Test("a process killed after COMMIT, before its response, leaves no second effect")
    func killedAfterCommit() throws {
        let proxy = try LosingProxy(office.test.settings())
        let api = try APIProcess(
            office, ["HEARTH_DATABASE_URL": proxy.url(office.test.settings(as: "hearth_api"))])
        let token = try token(at: api)
        proxy.set(.withholding)
        let answer = inBackground { try create(at: api, by: token) }
        try proxy.awaitLoss()
        #expect(try families == 1)
        api.process.kill()
        #expect(throws: (any Error).self) { try answer.wait() }
        try expectOneEffect(at: try APIProcess(office), by: token)
    }

    @Test("a client gets outcome_unknown if COMMIT's reply is lost; a retry has no second effect")
    func commitOfUnknownOutcome() throws {
        let proxy = try LosingProxy(office.test.settings())
        let api = try APIProcess(
            office, ["HEARTH_DATABASE_URL": proxy.url(office.test.settings(as: "hearth_api"))])
        let token = try token(at: api)
        proxy.set(.cutting)
        let unknown = try create(at: api, by: token)
        #expect(unknown.status == 503)
        #expect(try unknown.field("code") == "outcome_unknown")
        proxy.set(.open)
        try expectOneEffect(at: api, by: token)
    }

    @Test(
        "a session that the database ends at any step leaves no second effect",
        arguments: Step.allCases)
    func terminated(at step: Step) throws {
        let api = try APIProcess(office)
        let token = try token(at: api)
        let gate = try gate(at: step)
        let answer = inBackground { try create(at: api, by: token) }
        try gate.arrival()
        try office.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND usename = 'hearth_api'
            """)
        let received = try answer.wait()
        #expect(received.status == 503)
        try gate.open()
        #expect(try families == 0)
        try expectOneEffect(at: api, by: token)
    }

    @Test("a request repeated during the first one gets 409 at once and has no second effect")
    func atTheSameTime() throws {
        let (one, other) = (try APIProcess(office), try APIProcess(office))
        let token = try token(at: one)
        let gate = try gate(at: .effect)
        let answer = inBackground { try create(at: one, by: token) }
        try gate.arrival()
        let told = try create(at: other, by: token)
        #expect(told.status == 409)
        #expect(try told.field("code") == "idempotency_key_in_use")
        try gate.open()
        let first = try answer.wait()
        let again = try create(at: other, by: token)
        #expect(first.status == 201 && again.status == 201 && again.body == first.body)
        #expect(try families == 1)
    }
}
