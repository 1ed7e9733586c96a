import Domain
import Postgres
import TestSupport
import Testing

@Suite("Routes of mailed codes")
struct MailedCodeRoutesTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    /// A client address that no other test uses, because attempts are counted by network.
    private static func network() -> String {
        "10.\(Int.random(in: 0...255)).\(Int.random(in: 0...255)).1"
    }

    private func ticket(for email: String) throws -> String {
        try site.ticket(for: email, client: Self.network())
    }

    private func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    @Test(
        "the first mailed code creates an account with a verified address; later ones sign in to it"
    )
    func verified() throws {
        let email = Site.address()
        let first = try site.verify(ticket(for: email), site.mailed(to: email).code)
        #expect(try first.json["isNew"].bool())
        #expect(try first.json["session"]["method"].string() == "email")
        let client = try SessionClient(site, first)
        #expect(try client.get("/api/me").text("email") == email)
        let second = try site.verify(ticket(for: email), site.mailed(to: email).code)
        #expect(try !second.json["isNew"].bool())
        #expect(try SessionClient(site, second).user == client.user)
    }

    @Test("the e-mail of a code names the account of its address, or an id that nobody has")
    func recipients() throws {
        func recipient(_ email: String) throws -> String {
            _ = try ticket(for: email)
            return try Connection(site.test.settings()).query(
                """
                SELECT j.payload ->> 'recipient' FROM jobs.live AS j
                JOIN app.email_tokens AS t ON t.id::text = j.payload ->> 'ticket'
                WHERE t.email = \(email) ORDER BY j.id DESC LIMIT 1
                """
            ).scalar(String.self)
        }
        let email = Site.address()
        let first = try recipient(email)
        let isKnown = try Connection(site.test.settings()).query(
            "SELECT EXISTS (SELECT FROM app.users AS u WHERE u.id = \(first)::uuid)"
        ).scalar(Bool.self)
        #expect(!isKnown)
        let user = try SessionClient(
            site, site.verify(ticket(for: email), site.mailed(to: email).code)
        ).user
        #expect(try recipient(email) == user)
    }

    @Test("a newcomer may accept an invitation to the proved address")
    func invited() throws {
        let home = try site.home()
        let email = Site.address()
        _ = try home.invite(email)
        let client = try SessionClient(
            site, site.verify(ticket(for: email), site.mailed(to: email).code))
        let listed = try client.get("/api/me/invitations").json["invitations"].elements()
        let id = try #require(listed.first)["id"].string()
        let accepted = try client.send("POST", "/api/me/invitations/\(id)/accept", "{}")
        #expect(accepted.status == 200, "\(accepted)")
    }

    @Test("a proved address signs in to the oldest account in a family that has verified it")
    func existing() throws {
        let email = Site.address()
        let alone = try site.person(.parent, email: email)
        _ = try alone.get("/api/me")
        let member = try site.person(.parent, email: email)
        _ = try site.createFamily(by: member)
        _ = try site.person(.parent, email: email).get("/api/me")
        let client = try SessionClient(
            site, site.verify(ticket(for: email), site.mailed(to: email).code))
        #expect(client.user == "\(member.id)")
        // The address stays with that account, whoever joins a family later.
        _ = try site.createFamily(by: alone)
        let again = try SessionClient(
            site, site.verify(ticket(for: email), site.mailed(to: email).code))
        #expect(again.user == "\(member.id)")
    }

    @Test("an unverified address matches no account")
    func unverified() throws {
        let email = Site.address()
        let person = try site.person(.parent, email: email)
        _ = try person.get("/api/me")
        try Connection(site.test.settings()).query(
            "UPDATE app.users SET email_verified = false WHERE id = \(person.id.rawValue)")
        let client = try SessionClient(
            site, site.verify(ticket(for: email), site.mailed(to: email).code))
        #expect(client.user != "\(person.id)")
    }

    @Test("the right code is refused after five wrong attempts")
    func tries() throws {
        let email = Site.address()
        let ticket = try ticket(for: email)
        let code = try site.mailed(to: email).code
        for left in (0..<5).reversed() {
            let answer = try site.verify(ticket, wrong(code))
            #expect(answer.says(400, "code_wrong"))
            #expect(try answer.json["attemptsLeft"].integer() == Int64(left))
        }
        #expect(try site.verify(ticket, code).says(410, "code_expired"))
    }

    /// Six digits as people paste them.
    static let pasted: [@Sendable (String) -> String] = [
        { " \($0)" }, { "\($0.prefix(3)) \($0.suffix(3))\\r\\n" },
        { "\($0.prefix(3))-\($0.suffix(3))" }, { "\($0.prefix(2))\u{2013}\($0.dropFirst(2))" },
        { "\u{200B}\($0)\u{FEFF}" }, { digits($0, from: 0xFF10) }, { digits($0, from: 0x0660) },
    ]

    private static func digits(_ code: String, from zero: UInt32) -> String {
        String(
            String.UnicodeScalarView(
                code.unicodeScalars.compactMap { Unicode.Scalar($0.value - 0x30 + zero) }))
    }

    @Test("a pasted code signs in despite surrounding characters and in any script's digits")
    func pastedCode() throws {
        for paste in Self.pasted {
            let email = Site.address()
            let ticket = try ticket(for: email)
            let typed = paste(try site.mailed(to: email).code)
            let answer = try site.verify(ticket, typed)
            #expect(answer.status == 200, "\(typed) \(answer)")
        }
    }

    @Test("a text that can't be a code gets 400 code_malformed and uses up no attempt")
    func malformed() throws {
        let email = Site.address()
        let ticket = try ticket(for: email)
        let code = try site.mailed(to: email).code
        for typed in ["", "12345", "1234567", "12345x", "½23456", "一二三四五六"] {
            let answer = try site.verify(ticket, typed)
            #expect(
                answer.says(400, "code_malformed", "A mailed code has six digits."), "\(typed)")
        }
        let wrong = try site.verify(ticket, wrong(code))
        #expect(try wrong.json["attemptsLeft"].integer() == 4)
        #expect(try site.verify(ticket, code).status == 200)
    }

    @Test("a pasted link token signs in despite blanks and zero-width characters")
    func pastedLink() throws {
        let email = Site.address()
        _ = try ticket(for: email)
        let token = try site.mailed(to: email).linkToken
        let pasted = "\u{200B} \(token.prefix(20))\\n\(token.dropFirst(20)) "
        let answer = try site.auth("email/verify", #"{"linkToken": "\#(pasted)"}"#)
        #expect(answer.status == 200, "\(answer)")
    }

    /// Uses up all wrong guesses of a day at an address.
    private func guessAll(_ email: String) throws {
        for _ in 0..<5 {
            let ticket = try ticket(for: email)
            let code = try site.mailed(to: email).code
            for _ in 0..<5 {
                #expect(try site.verify(ticket, wrong(code)).says(400, "code_wrong"))
            }
        }
    }

    @Test("the right code gets 429 after 25 wrong ones in a day, and the link still signs in")
    func guesses() throws {
        let email = Site.address()
        try guessAll(email)
        let ticket = try ticket(for: email)
        let mailed = try site.mailed(to: email)
        for code in [mailed.code, wrong(mailed.code)] {
            let answer = try site.verify(ticket, code)
            #expect(answer.says(429, "too_many_attempts"), "\(answer)")
            let seconds = try #require(answer.headers["retry-after"].flatMap { Int($0) })
            #expect((86_000...86_400).contains(seconds))
        }
        let other = Site.address()
        #expect(
            try site.verify(self.ticket(for: other), site.mailed(to: other).code).status == 200)
        let byLink = try site.auth(
            "email/verify", #"{"linkToken": "\#(mailed.linkToken)"}"#)
        #expect(byLink.status == 200)
    }

    @Test("correct codes don't count as guesses")
    func rightCodes() throws {
        let email = Site.address()
        #expect(
            try site.verify(ticket(for: email), site.mailed(to: email).code).status == 200)
        for _ in 0..<6 {
            let ticket = try ticket(for: email)
            let code = try site.mailed(to: email).code
            for _ in 0..<4 { _ = try site.verify(ticket, wrong(code)) }
            #expect(try site.verify(ticket, code).status == 200)
        }
        // There have been 24 wrong codes so far.
        let ticket = try ticket(for: email)
        let code = try site.mailed(to: email).code
        #expect(try site.verify(ticket, wrong(code)).says(400, "code_wrong"))
        #expect(try site.verify(ticket, code).says(429, "too_many_attempts"))
    }

    @Test("guesses at an account's codes are counted together for all purposes")
    func guessesOfAllKinds() throws {
        let person = try site.person(.parent)
        _ = try person.get("/api/me")
        try guessAll(person.email)
        let late = try site.token(of: person.person, issuedSecondsAgo: 900)
        let erased = try site.send(
            "DELETE", "/api/me", token: late, headers: ["X-Confirmation-Code": "000000"])
        #expect(erased.says(429, "too_many_attempts"), "\(erased)")
    }

    @Test("a code is valid only with its e-mail token; tries with another token use up no attempt")
    func together() throws {
        let (email, other) = (Site.address(), Site.address())
        let (mine, theirs) = (try ticket(for: email), try ticket(for: other))
        let code = try site.mailed(to: email).code
        if try site.mailed(to: other).code != code {
            for _ in 0..<5 { #expect(try site.verify(theirs, code).says(400, "code_wrong")) }
        }
        for ticket in ["", "x", String(repeating: "A", count: 43)] {
            #expect(try site.verify(ticket, code).says(410, "code_expired"))
        }
        #expect(try site.verify(mine, code).status == 200)
        #expect(try site.verify(mine, code).says(410, "code_expired"))
    }

    @Test("link and code of one e-mail are used up together, whichever is used first")
    func link() throws {
        let email = Site.address()
        var ticket = try ticket(for: email)
        var mailed = try site.mailed(to: email)
        func open(_ token: String) throws -> Answer {
            try site.auth("email/verify", #"{"linkToken": "\#(token)"}"#)
        }
        let mistyped = try site.auth(
            "email/verify", #"{"linkToken": "\#(mailed.linkToken)", "code": 123456}"#)
        #expect(mistyped.says(400, "invalid_field"))
        #expect(try open(mailed.linkToken).status == 200)
        #expect(try open(mailed.linkToken).says(410, "code_expired"))
        #expect(try site.verify(ticket, mailed.code).says(410, "code_expired"))
        ticket = try self.ticket(for: email)
        mailed = try site.mailed(to: email)
        #expect(try site.verify(ticket, mailed.code).status == 200)
        #expect(try open(mailed.linkToken).says(410, "code_expired"))
        #expect(try open("x").says(410, "code_expired"))
        #expect(try site.auth("email/verify", "{}").says(400, "missing_field"))
    }

    @Test("an expired code and an expired link are refused")
    func late() throws {
        let email = Site.address()
        let ticket = try ticket(for: email)
        let mailed = try site.mailed(to: email)
        try Connection(site.test.settings()).query(
            "UPDATE app.email_tokens SET expires_at = now() WHERE email = \(email)")
        #expect(try site.verify(ticket, mailed.code).says(410, "code_expired"))
        let opened = try site.auth(
            "email/verify", #"{"linkToken": "\#(mailed.linkToken)"}"#)
        #expect(opened.says(410, "code_expired"))
    }

    @Test("fifty concurrent right codes open one session; of fifty wrong codes five are checked")
    func atOnce() throws {
        let site = try site
        let email = Site.address()
        let right = try ticket(for: email)
        let code = try site.mailed(to: email).code
        let answers = try onThreads(50) { _ in try site.verify(right, code).status }
            .map { try $0.get() }
        #expect(answers.count { $0 == 200 } == 1)
        #expect(answers.allSatisfy { $0 == 200 || $0 == 410 })
        let wrongly = try ticket(for: email)
        let wrong = wrong(try site.mailed(to: email).code)
        let refused = try onThreads(50) { _ in try site.verify(wrongly, wrong).status }
            .map { try $0.get() }
        #expect(refused.count { $0 == 400 } == 5 && refused.count { $0 == 410 } == 45)
    }

    @Test("concurrent first sign-ins with codes to one address create one account")
    func oneAccount() throws {
        let site = try site
        let email = Site.address()
        let tickets = try (0..<4).map { _ in
            let ticket = try ticket(for: email)
            return (ticket, try site.mailed(to: email).code)
        }
        let users = try onThreads(4) { index in
            try SessionClient(site, site.verify(tickets[index].0, tickets[index].1)).user
        }.map { try $0.get() }
        #expect(Set(users).count == 1)
    }

    @Test(
        "a network can request five mails an hour to an address, whether it has an account or not")
    func limits() throws {
        for email in [Site.address(), try known()] {
            let network = Self.network()
            for _ in 0..<5 { _ = try site.ticket(for: email, client: network) }
            let answer = try site.auth("email", #"{"email": "\#(email)"}"#, client: network)
            #expect(answer.says(429, "too_many_attempts") && answer.headers["retry-after"] != nil)
            #expect(
                try site.auth("email", #"{"email": "\#(email)"}"#, client: Self.network()).status
                    == 202)
        }
    }

    private func known() throws -> String {
        let email = Site.address()
        _ = try SessionClient(site, site.verify(ticket(for: email), site.mailed(to: email).code))
        return email
    }

    @Test("an address gets at most twenty mails an hour, and a network requests at most sixty")
    func moreLimits() throws {
        let email = Site.address()
        for _ in 0..<20 { _ = try ticket(for: email) }
        #expect(
            try site.auth("email", #"{"email": "\#(email)"}"#, client: Self.network())
                .says(429, "too_many_attempts"))
        let network = Self.network()
        for _ in 0..<60 { _ = try site.ticket(for: Site.address(), client: network) }
        let answer = try site.auth(
            "email", #"{"email": "\#(Site.address())"}"#, client: network)
        #expect(answer.says(429, "too_many_attempts"))
    }

    @Test("responses don't reveal who has an account")
    func alike() throws {
        let (known, unknown) = (try known(), Site.address())
        let answers = try [known, unknown].map {
            try site.auth("email", #"{"email": "\#($0)"}"#, client: Self.network())
        }
        #expect(answers[0].status == answers[1].status)
        #expect(answers[0].body.count == answers[1].body.count)
        let own: Set = ["x-request-id", "date"]
        let headers = answers.map { $0.headers.filter { !own.contains($0.key) } }
        #expect(headers[0] == headers[1])
    }
}
