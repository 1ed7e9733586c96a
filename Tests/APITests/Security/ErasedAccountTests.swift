import Domain
import JSON
import TestSupport
import Testing

/// Tests of a person who erases an account and signs in again, to a new account. From the erasure
/// on, every request with an earlier token gets 401.
@Suite("Tokens of an erased account whose person has signed in again")
struct ErasedAccountTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private struct Return {
        /// Client with a token from before the erasure.
        let before: APIClient
        /// Client of the same person with a token from after the erasure.
        let after: APIClient
        let family: String
    }

    private func comeBack() throws -> Return {
        let site = try site
        let before = try site.person(.parent)
        #expect(try before.get("/api/me").status == 200)
        #expect(try before.delete("/api/me").status == 200)
        let after = APIClient(
            site: site, person: before.person,
            token: try site.token(of: before.person, issuedSecondsAgo: -5))
        let me = try after.get("/api/me")
        #expect(me.status == 200 && me.text("id") == before.person.subject)
        let family = try site.createFamily(by: after, named: "Anew").id
        return Return(before: before, after: after, family: family)
    }

    @Test("a request with a token from before an erasure gets 401, and later tokens are accepted")
    func refused() throws {
        let person = try comeBack()
        let paths = [
            "/api/me", "/api/family", "/api/family/members?familyId=\(person.family)", "/api/sync",
            "/api/sync?wait=1", "/api/live", "/api/me/identities",
        ]
        for _ in 0..<2 {
            for path in paths {
                #expect(try person.before.get(path).says(401, "invalid_token"), "\(path)")
            }
            for path in paths where !path.contains("live") && !path.contains("wait") {
                #expect(try person.after.get(path).status == 200, "\(path)")
            }
        }
        let changes: [(String, String, String?)] = [
            ("PATCH", "/api/me", #"{"fullName": "Old"}"#),
            ("PATCH", "/api/family/\(person.family)", #"{"familyName": "Old"}"#),
        ]
        for (method, path, body) in changes {
            for headers in [[:], ["Idempotency-Key": "k"]] {
                let answer = try person.before.send(method, path, body, headers: headers)
                #expect(answer.says(401, "invalid_token"), "\(method) \(path) \(answer)")
            }
        }
        let batch = try person.before.post(
            "/api/batch",
            #"{"operations": [{"method": "PATCH", "path": "/api/me", "body": {"fullName": "Old"}}]}"#
        )
        #expect(try batch.json["results"].elements().map { try $0["status"].integer() } == [401])
        let exchange = try site.send(
            "POST", "/api/auth/exchange", body: #"{"token": "\#(person.before.token)"}"#)
        #expect(exchange.status == 401, "\(exchange)")
        let other = try site.person(.parent)
        #expect(
            try other.post("/api/me/identities", #"{"token": "\#(person.before.token)"}"#)
                .says(403, "account_required"))
        // Erasing once more is a repetition, and does not affect the new account.
        #expect(try person.before.delete("/api/me").status == 200)
        let me = try person.after.get("/api/me")
        #expect(me.status == 200 && me.text("full_name") != "Old")
        for headers in [[:], ["Idempotency-Key": "k"]] {
            let renamed = try person.after.send(
                "PATCH", "/api/family/\(person.family)", #"{"familyName": "New"}"#,
                headers: headers)
            #expect(renamed.status == 200, "\(renamed)")
        }
        #expect(try site.session(of: person.after).get("/api/me").status == 200)
    }

    @Test("an earlier token can't confirm a tag of the new account's data")
    func copies() throws {
        let person = try comeBack()
        for path in [
            "/api/family", "/api/family/members?familyId=\(person.family)", "/api/me/profiles",
        ] {
            let tag = try #require(try person.after.get(path).headers["etag"])
            let headers = ["If-None-Match": tag]
            let old = try person.before.send("GET", path, headers: headers)
            #expect(old.says(401, "invalid_token"), "\(path) \(old)")
            // While the erasure is remembered, the response may be complete although it is
            // unchanged.
            let own = try person.after.send("GET", path, headers: headers)
            #expect([200, 304].contains(own.status), "\(path) \(own)")
        }
    }

    @Test(
        "each of several concurrent requests is accepted or refused by its own token",
        .timeLimit(.minutes(2)))
    func together() throws {
        let person = try comeBack()
        let other = try site.person(.parent)
        for outcome in onThreads(
            12,
            { thread in
                let client = [person.before, person.after, other][thread % 3]
                for _ in 0..<10 {
                    let status = try client.get("/api/family").status
                    #expect(status == (thread % 3 == 0 ? 401 : 200))
                }
            })
        { try outcome.get() }
    }

    @Test("a token from before the erasure does not disturb a stream of the person's new account")
    func streams() throws {
        let person = try comeBack()
        let stream = try EventStream(person.after)
        _ = try stream.begin()
        #expect(try person.before.get("/api/live").status == 401)
        #expect(
            try person.after.patch("/api/family/\(person.family)", #"{"familyName": "Next"}"#)
                .status == 200)
        let event = try #require(try stream.next())
        #expect(event.contains("event: change") && event.contains(person.family), "\(event)")
    }
}
