import Testing

@testable import HTTPServer

@Suite("Reading requests") struct RequestTests {
    @Test(
        "segments are decoded one by one",
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
        "a target without meaning is refused",
        arguments: [
            "/%", "/%4", "/%4x", "/%zz", "/%00", "/%C3", "/%FF", "/%ED%A0%80", "/a?x=%", "/a?%C3=1",
            "a", "", "ftp://x/", "?x",
        ])
    func malformed(target: String) {
        #expect(Request(.get, target) == nil)
    }

    @Test("the query is read as forms are")
    func query() throws {
        let request = try #require(Request(.get, "/a?x=1&y=a+b%2Bc&x=2&flag&=v&&z=1=2&%6B=ok?"))
        #expect(request.path == "/a")
        #expect(request.query["x"] == "1")
        #expect(request.query.values("x") == ["1", "2"])
        #expect(request.query["y"] == "a b+c")
        #expect(request.query["flag"] == "")
        #expect(request.query[""] == "v")
        #expect(request.query["z"] == "1=2")
        #expect(request.query["k"] == "ok?")
        #expect(request.query["none"] == nil)
        #expect(request.query.parameters.count == 7)
    }

    @Test("header names are looked up in any case")
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
        "an address is written as people write it",
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

@Suite("Gathering a request") struct ExchangeTests {
    private func exchange(
        _ fields: [(String, String)], target: String = "/", version: String = "HTTP/1.1",
        limits: ServerSettings = ServerSettings()
    ) -> Exchange {
        var exchange = Exchange(target: target, limits: limits)
        exchange.receiveHead(
            "POST", Headers(fields.map { .init(name: $0.0, value: $0.1) }), version: version)
        return exchange
    }

    private func feed(_ exchange: inout Exchange, _ count: Int) -> Bool {
        [UInt8](repeating: 1, count: count).withUnsafeBytes { exchange.receive($0) }
    }

    @Test(
        "framing that two readers could read differently is refused at once",
        arguments: [
            [("Content-Length", "1"), ("Transfer-Encoding", "chunked")],
            [("Content-Length", "1"), ("content-length", "1")],
            [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
            [("Transfer-Encoding", "gzip, chunked")], [("Transfer-Encoding", "identity")],
            [("Transfer-Encoding ", "chunked")], [("Host", "a"), ("Host", "b")], [("a b", "c")],
            [("", "c")],
        ])
    func framing(fields: [(String, String)]) {
        let exchange = exchange(fields)
        #expect(exchange.fault?.status == 400)
        #expect(exchange.isBeyondRepair)
    }

    @Test("HTTP/1.0 has no chunks")
    func oldChunks() {
        let fields = [("Transfer-Encoding", "chunked")]
        #expect(exchange(fields, version: "HTTP/1.0").isBeyondRepair)
        #expect(exchange(fields).fault == nil)
    }

    @Test("a body up to the limit is kept, a longer one is thrown away and refused")
    func bodyLimit() {
        var limits = ServerSettings()
        limits.bodyLimitBytes = 10
        var fits = exchange([], limits: limits)
        #expect(feed(&fits, 4) && feed(&fits, 6))
        #expect(fits.fault == nil)
        #expect(fits.request(from: .loopback).body.count == 10)
        var exceeds = exchange([], limits: limits)
        #expect(feed(&exceeds, 4) && feed(&exceeds, 7))
        #expect(exceeds.fault == .bodyTooLarge(limitBytes: 10))
        #expect(exceeds.request(from: .loopback).body.isEmpty)
        #expect(feed(&exceeds, 149), "thrown away in patience")
        #expect(!feed(&exceeds, 1), "until patience ends")
    }

    @Test("an announced length beyond the limit is refused before, with or without the body")
    func announced() {
        var limits = ServerSettings()
        limits.bodyLimitBytes = 10
        #expect(exchange([("Content-Length", "10")], limits: limits).fault == nil)
        let early = exchange([("Content-Length", "11")], limits: limits)
        #expect(early.fault?.status == 413 && !early.isBeyondRepair)
        let polite = exchange(
            [("Content-Length", "11"), ("Expect", "100-continue")], limits: limits)
        #expect(polite.fault?.status == 413 && polite.isBeyondRepair)
        #expect(exchange([("Content-Length", "161")], limits: limits).isBeyondRepair)
    }

    @Test("a header section beyond the limit is refused")
    func headerLimit() {
        var limits = ServerSettings()
        limits.headerLimitBytes = 100
        #expect(exchange([("a", String(repeating: "x", count: 76))], limits: limits).fault == nil)
        let long = exchange([("a", String(repeating: "x", count: 77))], limits: limits)
        #expect(long.fault == .headersTooLarge(limitBytes: 100))
    }

    @Test("a malformed target is refused when the body has been read")
    func target() {
        let exchange = exchange([], target: "/%zz")
        #expect(exchange.fault?.status == 400 && !exchange.isBeyondRepair)
        #expect(exchange.request(from: .loopback).segments == [])
    }
}

@Suite("Timeouts") struct WatchTests {
    @Test("each stage has its own limit, and the handler none")
    func limits() {
        var limits = ServerSettings()
        limits.idleTimeoutSeconds = 2
        limits.requestTimeoutSeconds = 5
        var watch = Watch(socket: 0, now: 1000)
        #expect(!watch.isOverdue(now: 3000, limits))
        #expect(watch.isOverdue(now: 3001, limits))
        for stage in [Watch.Stage.reading, .writing] {
            watch.enter(stage, now: 10_000)
            #expect(!watch.isOverdue(now: 15_000, limits))
            #expect(watch.isOverdue(now: 15_001, limits))
        }
        watch.enter(.handling, now: 0)
        #expect(!watch.isOverdue(now: 1_000_000_000, limits))
    }
}
