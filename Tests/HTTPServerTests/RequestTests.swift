import Testing

@testable import HTTPServer

@Suite("Parsing targets and headers") struct RequestTests {
    @Test(
        "path segments are decoded one by one",
        arguments: [
            ("/", [""]), ("/a/b", ["a", "b"]), ("/a/", ["a", ""]), ("/a%2Fb", ["a/b"]),
            ("/%C3%A9%20x", ["é x"]), ("/a+b", ["a+b"]), ("/a;b,c:d@e", ["a;b,c:d@e"]),
            ("/é", ["é"]),
            ("http://host/a/b", ["a", "b"]), ("HTTPS://host:1/a?x", ["a"]), ("http://host", [""]),
            ("http://host?x=1", [""]), ("/http://x", ["http:", "", "x"]), ("*", []),
            ("/..", [".."]),
        ] as [(String, [String])])
    func segments(target: String, segments: [String]) {
        #expect(Request(.get, target)?.segments == segments)
    }

    @Test(
        "a malformed target is refused",
        arguments: [
            "/%", "/%4", "/%4x", "/%zz", "/%00", "/%C3", "/%FF", "/%ED%A0%80", "/a?x=%", "/a?%C3=1",
            "a", "", "ftp://x/", "?x",
        ])
    func malformed(target: String) {
        #expect(Request(.get, target) == nil)
    }

    @Test("the query is decoded like a form")
    func query() throws {
        let request = try #require(Request(.get, "/a?x=1&y=a+b%2Bc&x=2&flag&=v&&z=1=2&%6B=ok?"))
        #expect(request.path == "/a")
        #expect(request.query.values("x").first == "1")
        #expect(request.query.values("x") == ["1", "2"])
        #expect(request.query.values("y").first == "a b+c")
        #expect(request.query.values("flag").first == "")
        #expect(request.query.values("").first == "v")
        #expect(request.query.values("z").first == "1=2")
        #expect(request.query.values("k").first == "ok?")
        #expect(request.query.values("none") == [])
        #expect(request.query.parameters.count == 7)
    }

    @Test("header names are looked up case-insensitively")
    func headers() {
        let headers = Headers([
            .init(name: "Authorization", value: "one"), .init(name: "X-Two", value: "a"),
            .init(name: "x-two", value: "b"),
        ])
        #expect(headers["authorization"] == "one")
        #expect(headers["AUTHORIZATION"] == "one")
        #expect(headers["Authorizatio"] == nil)
        #expect(headers.values("x-TWO") == ["a", "b"])
        #expect(headers.single("authorization") == .once("one"))
        #expect(headers.single("X-Two") == .repeated)
        #expect(headers.single("X-Three") == .absent)
        // '[' and '{', '@' and '`' differ in the bit that makes letters lower case.
        #expect(Headers([.init(name: "a[", value: "")])["a{"] == nil)
        #expect(Headers([.init(name: "a@", value: "")])["a`"] == nil)
    }

    @Test(
        "an address is formatted in its usual form",
        arguments: [
            ([192, 0, 2, 1], "192.0.2.1"),
            ([0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "2001:db8::1"),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1], "192.0.2.1"),
            ([], "unknown"), ([1, 2, 3], "unknown"),
        ] as [([UInt8], String)])
    func addresses(bytes: [UInt8], text: String) {
        #expect(PeerAddress(bytes).description == text)
    }
}

@Suite("Connection timeouts") struct ConnectionActivityTests {
    @Test("each stage of a request has its own time limit, and the handler has none")
    func limits() {
        let second = 1_000_000_000
        var limits = ServerSettings()
        limits.idleTimeoutSeconds = 2
        limits.requestTimeoutSeconds = 5
        var activity = ConnectionActivity(socket: 0, now: second)
        #expect(!activity.isOverdue(now: 3 * second, limits))
        #expect(activity.isOverdue(now: 3 * second + 1, limits))
        #expect(activity.idleSince == second)
        for stage in [ConnectionActivity.Stage.reading, .writing] {
            activity.enter(stage, now: 10 * second)
            #expect(!activity.isOverdue(now: 15 * second, limits))
            #expect(activity.isOverdue(now: 15 * second + 1, limits))
        }
        activity.enter(.handling, now: 0)
        #expect(!activity.isOverdue(now: 1_000_000 * second, limits))
        #expect(activity.idleSince == nil)
        activity.enter(.lingering, now: 0)
        #expect(!activity.isOverdue(now: 2 * second, limits))
        #expect(activity.isOverdue(now: 2 * second + 1, limits))
    }
}
