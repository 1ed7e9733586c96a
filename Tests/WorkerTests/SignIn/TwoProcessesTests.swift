import Crypto
import Domain
import Foundation
import JSON
import PasskeySupport
import TestSupport
import Testing

/// Fifty requests at once, half of them to each of two processes of the API.
@Suite("Concurrent sign-in through two processes")
struct TwoProcessesTests {
    private let twins: TwinAPIs

    init() throws { twins = try TwinAPIs() }

    /// Sends fifty requests at once and returns their responses.
    private func atOnce(
        _ ask: @escaping @Sendable (Int, APIProcess) throws -> APIProcess.Answer
    ) throws -> [APIProcess.Answer] {
        try onThreads(50) { try ask($0, twins[$0]) }.map { try $0.get() }
    }

    @Test("a refresh token used at two processes at once has one successor")
    func rotation() throws {
        let token = try twins.signUp().refreshToken
        let answers = try atOnce { try twins.post("refresh", ["refresh_token": token], at: $1) }
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(try Set(answers.map { try $0.refreshToken }).count == 1)
        #expect(try twins.count("refresh_tokens", where: "generation = 1") == 1)
    }

    @Test(
        "reusing a refresh token three generations old is refused, and its owner is mailed once")
    func reuse() throws {
        let begun = try twins.signUp()
        var newest = begun
        for _ in 1...3 {
            newest = try twins.post("refresh", ["refresh_token": newest.refreshToken])
        }
        let stolen = try begun.refreshToken
        let answers = try atOnce { try twins.post("refresh", ["refresh_token": stolen], at: $1) }
        #expect(answers.allSatisfy { $0.status == 401 })
        for index in 0..<2 {
            let refused = try twins[index].send("GET", "/api/me", token: newest.accessToken)
            #expect(refused.status == 401)
        }
        let told = try twins.office.count(
            "SELECT count(*) FROM jobs.live WHERE kind = 'mail.session_reused'")
        #expect(told == 1)
    }

    /// Requests a code; returns the ticket, the code and the link.
    private func ticket() throws -> (ticket: String, code: String, link: String) {
        let opened = try twins.post("email", ["email": TwinAPIs.address])
        let mailed = try twins.mailed()
        return (try #require(try opened.field("ticket")), mailed.code, mailed.linkToken)
    }

    @Test("a code with one attempt left is checked once, however many requests try it concurrently")
    func lastTry() throws {
        let mail = try ticket()
        func tried(_ number: Int) -> [String: String] {
            let other = String((Int(mail.code) ?? 0) + 1_000_000 + number).suffix(6)
            return ["ticket": mail.ticket, "code": number == 0 ? mail.code : String(other)]
        }
        for number in 1...4 {
            #expect(try twins.post("email/verify", tried(number)).status == 400)
        }
        // Half of the requests send the right code, at both processes.
        let bodies = (0..<50).map { tried($0 % 4 < 2 ? 0 : 5) }
        let answers = try atOnce { try twins.post("email/verify", bodies[$0], at: $1) }
        let looked = answers.filter { $0.status != 410 }
        #expect(looked.count == 1 && [200, 400].contains(looked[0].status))
        #expect(try twins.count("sessions") == (looked.first?.status == 200 ? 1 : 0))
    }

    @Test("code and link of one e-mail open one session of one account")
    func codeAndLink() throws {
        let mail = try ticket()
        let answers = try atOnce { index, process in
            // Five requests use the code: it allows five tries.
            let body =
                index % 11 == 0
                ? ["ticket": mail.ticket, "code": mail.code] : ["linkToken": mail.link]
            return try twins.post("email/verify", body, at: process)
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.allSatisfy { [200, 410].contains($0.status) })
        #expect(try twins.count("sessions") == 1 && twins.count("users") == 1)
    }

    @Test("concurrent uses of one reset link set one password")
    func reset() throws {
        _ = try twins.signUp()
        _ = try twins.post("password/forgot", ["email": TwinAPIs.address])
        let link = try twins.mailed().linkToken
        let passwords = (0..<50).map { "harbour lamp \($0) over tin roofs" }
        let answers = try atOnce { index, process in
            try twins.patiently {
                try twins.post(
                    "password/reset", ["token": link, "password": passwords[index]], at: process)
            }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.allSatisfy { [200, 410].contains($0.status) })
        let winner = try #require(answers.firstIndex { $0.status == 200 })
        for index in 0..<2 {
            #expect(try twins.signIn(passwords[winner], at: twins[index]).status == 200)
        }
        #expect(try twins.signIn(TwinAPIs.password).status == 401)
        let told = try twins.office.count(
            "SELECT count(*) FROM jobs.live WHERE kind = 'mail.password_changed'")
        #expect(told == 1)
    }

    @Test("two processes check at most ten passwords in all, and a mailed code still signs in")
    func guesses() throws {
        _ = try twins.signUp()
        let answers = try atOnce { index, process in
            try twins.patiently {
                try twins.post(
                    "sign-in", ["email": TwinAPIs.address, "password": "guess \(index)"],
                    at: process)
            }
        }
        // A check that takes too long counts without being made, so there may be fewer.
        let looked = answers.count { $0.status == 401 }
        #expect(looked >= 1 && looked <= 10)
        #expect(answers.allSatisfy { [401, 429].contains($0.status) })
        let mail = try ticket()
        let answer = try twins.post("email/verify", ["ticket": mail.ticket, "code": mail.code])
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("concurrent uses of one passkey response open one session")
    func passkey() throws {
        let token = try twins.signUp().accessToken
        func options(_ purpose: String) throws -> (JSONField, challenge: [UInt8]) {
            let answer = try twins.api.send(
                "POST", "/api/auth/passkeys/options", token: token, body: ["purpose": purpose])
            let options = try answer.json["publicKey"]
            return (options, try #require(Base64URL.decode(try options["challenge"].string())))
        }
        var passkey = try SoftPasskey(relyingParty: "localhost", origin: twins.site)
        let (creation, challenge) = try options("register")
        passkey.userHandle = Base64URL.decode(try creation["user"]["id"].string())
        let registration: JSONValue = ["credential": try passkey.registration(challenge)]
        let added = try twins.api.send(
            "POST", "/api/auth/passkeys/register", token: token, json: registration)
        try #require(added.status == 200, "\(added.text)")
        let before = try twins.count("sessions")
        passkey.counter += 1
        let body: JSONValue = ["credential": try passkey.assertion(options("assert").challenge)]
        let answers = try atOnce { _, process in
            try process.send("POST", "/api/auth/passkeys/assert", json: body)
        }
        #expect(answers.count { $0.status == 200 } == 1)
        // Thirty failures per address are checked.
        #expect(answers.allSatisfy { [200, 401, 410, 429].contains($0.status) })
        #expect(try twins.count("sessions") == before + 1)
    }
}
