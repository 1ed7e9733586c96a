import HTTPServer
import Testing

@testable import API

@Suite("Batched reads")
struct BatchedAPIReadTests {
    private static let site = Result { try Site() }

    @Test("a batched read gets the response it would get alone; other requests are not batched")
    func asAlone() throws {
        let site = try Self.site.get()
        let (ours, theirs) = (try site.home("Gulls"), try site.home("Terns"))
        let added = try ours.admin.post("/api/family/managed", #"{"displayName": "Kit"}"#)
        let child = try #require(added.text("id"))
        let members = "/api/family/members?familyId=\(ours.id)"
        let tag = try #require(try ours.admin.get(members).headers["etag"])
        let theirTag = try #require(try theirs.admin.get("/api/family").headers["etag"])
        let asked: [(target: String, token: String?, headers: [(String, String)])] = [
            (members, ours.admin.token, []),
            (members, theirs.admin.token, []),
            (members, nil, []),
            (members, "a.b.c", []),
            (members, ours.player.token, [("Accept", "image/png")]),
            (members, ours.player.token, [("X-Acting-As-Member", "nobody")]),
            ("/api/family/members?familyId=7", ours.player.token, []),
            ("/api/family/members", theirs.player.token, []),
            ("/api/me", ours.adult.token, []),
            ("/api/me/profiles", theirs.adult.token, []),
            ("/api/family", ours.player.token, []),
            ("/api/family/\(theirs.id)", theirs.admin.token, []),
            ("/api/family/\(theirs.id)", ours.admin.token, []),
            ("/groups/\(ours.id)", ours.adult.token, []),
            (members, try site.anonymousToken(), []),
            (members, ours.admin.token, [("X-Acting-As-Member", child)]),
            (members, theirs.admin.token, [("X-Acting-As-Member", child)]),
            (members, try site.token(.parent), []),
            (members, ours.admin.token, [("If-None-Match", tag)]),
            ("/api/family", ours.admin.token, [("If-None-Match", tag)]),
            ("/api/family", theirs.admin.token, [("If-None-Match", theirTag)]),
            (members, ours.player.token, [("If-None-Match", tag)]),
        ]
        let requests = try asked.map { item in
            var headers = Headers()
            headers.add("X-Request-Id", "request-1")
            if let token = item.token { headers.add("Authorization", "Bearer \(token)") }
            for (name, value) in item.headers { headers.add(name, value) }
            return try #require(Request(.get, item.target, headers: headers))
        }
        var reads: [(index: Int, read: RequestHandler.Read)] = []
        var known: [Int: Int] = [:]
        for (index, request) in requests.enumerated() {
            switch site.handler.prepare(request) {
            case .read(let read): reads.append((index, read))
            case .response(let response): known[index] = response.status
            case .work, .longPoll: Issue.record("\(asked[index].target) is no read")
            }
        }
        // Requests answered without a query.
        #expect(known == [2: 401, 3: 401, 4: 406, 5: 400, 6: 400])
        let together = site.handler.answer(reads.map(\.read))
        // The batch leaves out a new caller, and callers whose If-None-Match is not the current
        // tag.
        #expect(zip(reads, together).filter { $0.1 == nil }.map(\.0.index) == [17, 19, 21])
        for ((index, _), answer) in zip(reads, together) {
            guard let answer else { continue }
            let alone = site.handler.respond(to: requests[index])
            #expect(answer.status == alone.status)
            #expect(answer.headers == alone.headers)
            #expect(answer.body == alone.body)
        }
        #expect(Set(together.compactMap { $0?.status }) == [200, 304, 403, 404])
        let others = try [
            #require(Request(.post, "/api/family/create")),
            #require(Request(.get, "/nowhere")),
            #require(Request(.get, "/healthz")),
            #require(Request(.options, "/api/me")),
        ]
        let isRead = others.map { request in
            if case .read = site.handler.prepare(request) { true } else { false }
        }
        #expect(!isRead.contains(true))
    }
}
