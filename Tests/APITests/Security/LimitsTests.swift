import Domain
import JSON
import Testing

@Suite("Limits on attempts")
struct LimitsTests {
    private let unknown = #"{"familyCode": "FAM-222222"}"#
    private let join = "/api/family/code/join"

    @Test("five wrong codes in five minutes block an account, even with the right code")
    func account() throws {
        let site = try Site()
        let home = try site.home()
        let guesser = try site.person(.parent)
        for _ in 0..<5 { #expect(try guesser.post(join, unknown).says(404, "code_unknown")) }
        let right = #"{"familyCode": "\#(home.code)"}"#
        let stopped = try guesser.post(join, right)
        #expect(
            stopped.says(429, "too_many_attempts", "Too many attempts. Please wait 5 minutes."))
        #expect(stopped.headers["ratelimit-policy"] == #""code-account";q=5;w=300"#)
        let seconds = try #require(stopped.headers["retry-after"].flatMap { Int($0) })
        #expect((200...300).contains(seconds))
        #expect(stopped.headers["ratelimit"] == #""code-account";r=0;t=\#(seconds)"#)
        #expect(try guesser.get("/api/family/code/\(home.code)").says(429, "too_many_attempts"))
        #expect(try site.person(.parent).post(join, right).status == 200)
    }

    @Test("malformed codes are not counted")
    func malformed() throws {
        let site = try Site()
        let typist = try site.person(.parent)
        for _ in 0..<8 {
            #expect(try typist.post(join, #"{"familyCode": "FAM-1"}"#).says(400, "code_malformed"))
        }
        #expect(try typist.post(join, unknown).says(404, "code_unknown"))
    }

    @Test("twenty wrong codes block a client's address for every account")
    func address() throws {
        let site = try Site()
        for _ in 0..<4 {
            let guesser = try site.person(.parent)
            for _ in 0..<5 { #expect(try guesser.post(join, unknown).status == 404) }
        }
        let stopped = try site.person(.parent).post(join, unknown)
        #expect(stopped.says(429, "too_many_attempts"))
        #expect(stopped.headers["ratelimit-policy"] == #""code-address";q=20;w=300"#)
    }

    @Test("an account may look up at most ten different codes an hour, right ones included")
    func distinct() throws {
        let site = try Site()
        let collector = try site.person(.parent)
        for _ in 0..<10 {
            let code = try site.person(.parent).post("/api/family/create").text("familyCode")
            let preview = try collector.get("/api/family/code/\(try #require(code))")
            #expect(preview.status == 200)
        }
        let home = try site.home()
        let stopped = try collector.get("/api/family/code/\(home.code)")
        #expect(stopped.says(429, "too_many_attempts", "Too many attempts. Please wait an hour."))
        #expect(stopped.headers["ratelimit-policy"] == #""code-distinct";q=10;w=3600"#)
    }

    @Test("sixty previews of invitations in five minutes block a client's address, pages included")
    func invitations() throws {
        let site = try Site()
        let never = String(repeating: "A", count: 43)
        for number in 0..<60 {
            let path =
                number.isMultiple(of: 2) ? "/api/family/invite/\(never)" : "/join?token=\(never)"
            #expect(try site.send("GET", path).status == 404)
        }
        let stopped = try site.send("GET", "/api/family/invite/\(never)")
        #expect(stopped.says(429, "too_many_attempts"))
        #expect(stopped.headers["ratelimit-policy"] == #""invitation-address";q=60;w=300"#)
        let page = try site.exchange("GET", "/join?token=\(never)")
        #expect(page.status == 429 && page.headers["retry-after"] != nil)
        let person = try site.person(.parent)
        #expect(
            try person.post("/api/family/invite/\(never)/accept").says(429, "too_many_attempts"))
    }
}
