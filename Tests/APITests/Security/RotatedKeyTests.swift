import Crypto
import Foundation
import HTTPServer
import Identity
import JSON
import KeySupport
import Synchronization
import TestSupport
import Testing
import Basics

@testable import API

/// An identity provider that publishes its keys, and replaces them.
private final class Provider: Sendable {
    let keys: KeySite
    let issuer: Issuer
    private let signing: Mutex<(id: String, key: SigningKey)>
    private static let name = "https://rotating.test"

    /// Creates a provider that responds as `manner` says, by default with one published key.
    init(
        _ manner: KeySite.Manner? = nil,
        _ change: (inout PublishedKeys.Schedule) -> Void = { _ in }
    ) throws {
        let first = (id: "first", key: try SigningKey.generate())
        signing = Mutex(first)
        keys = try KeySite(manner ?? Self.set(first))
        var schedule = PublishedKeys.Schedule()
        schedule.waitSeconds = 60
        change(&schedule)
        issuer = Issuer(
            name: Self.name, kind: .generic, audiences: ["hearth"],
            keys: IssuerKeys(source: PublishedKeys(try keys.address(), schedule: schedule)))
    }

    deinit { issuer.keys.stopFetching() }

    /// Begins to fetch, and waits until the first fetch has ended.
    func start() {
        let ended = DispatchSemaphore(value: 0)
        issuer.keys.startFetching { _ in ended.signal() }
        #expect(ended.wait(timeout: .now() + 60) == .success)
    }

    /// Signs with a new key from now on, and publishes only that key if `publishes` is true.
    func rotate(publishes: Bool = true) throws {
        let next = (id: UUID().uuidString, key: try SigningKey.generate())
        signing.withLock { $0 = next }
        if publishes { keys.publish(Self.set(next)) }
    }

    /// Publishes the current signing key.
    func publish() { keys.publish(signing.withLock { Self.set($0) }) }

    func token(of subject: String) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let (id, key) = signing.withLock { $0 }
        var claims = JSONWriter()
        claims.object {
            $0.member("iss", Self.name)
            $0.member("sub", subject)
            $0.member("aud", "hearth")
            $0.member("iat", now)
            $0.member("exp", now + 600)
            $0.member("jti", UUID().uuidString)
        }
        let signed =
            Base64URL.text(Array(#"{"alg":"ES256","kid":"\#(id)"}"#.utf8)) + "."
            + Base64URL.text(claims.bytes)
        return signed + "." + Base64URL.text(try key.sign(Array(signed.utf8)))
    }

    private static func set(_ signing: (id: String, key: SigningKey)) -> KeySite.Manner {
        let x = Base64URL.text(signing.key.x)
        let y = Base64URL.text(signing.key.y)
        return .document(
            #"{"keys":[{"kty":"EC","crv":"P-256","kid":"\#(signing.id)","x":"\#(x)","y":"\#(y)"}]}"#
        )
    }
}

/// A kind of route, by the way its requests identify the caller.
private struct RouteKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let method: String
    let path: String
    var body: String?
    var headers: [String: String] = [:]
    /// Whether the token is sent in the body.
    var isExchange = false
    /// Whether the request acts for the caller's child.
    var actsForChild = false
    /// Status of a request with an accepted token.
    var status = 200

    static let all = [
        RouteKind(testDescription: "read", method: "GET", path: "/api/me"),
        RouteKind(
            testDescription: "conditional read", method: "GET", path: "/api/family/members",
            headers: ["If-None-Match": #""of-another-time""#]),
        RouteKind(
            testDescription: "acting", method: "GET", path: "/api/me", actsForChild: true),
        RouteKind(
            testDescription: "write", method: "PATCH", path: "/api/me",
            body: #"{"fullName": "Noor"}"#),
        RouteKind(
            testDescription: "write with a key", method: "PATCH", path: "/api/me",
            body: #"{"fullName": "Noor"}"#, headers: ["Idempotency-Key": "rotated"]),
        RouteKind(
            testDescription: "batch", method: "POST", path: "/api/batch",
            body: #"""
                {"operations": [{"method": "PATCH", "path": "/api/me",
                                 "body": {"fullName": "Noor"}}]}
                """#),
        RouteKind(testDescription: "sync", method: "GET", path: "/api/sync"),
        RouteKind(testDescription: "live", method: "GET", path: "/api/live"),
        RouteKind(
            testDescription: "exchange", method: "POST", path: "/api/auth/exchange",
            isExchange: true),
        RouteKind(
            testDescription: "public route with a token", method: "POST",
            path: "/api/auth/passkeys/options", body: #"{"purpose": "assert"}"#),
        RouteKind(
            testDescription: "public read with a token", method: "GET",
            path: "/api/family/invite/\(String(repeating: "a", count: 43))", status: 404),
        RouteKind(
            testDescription: "forwarded to PostgREST", method: "GET", path: "/rest/v1/families"),
    ]
}

@Suite("Tokens signed with a key that is not known yet")
struct RotatedKeyTests {
    /// A site that trusts a provider, and a person with a family and a child.
    private final class Stage: Sendable {
        let provider: Provider
        let site: Site
        private let rest: Server
        private let subject = UUID().uuidString
        private let child = Mutex("")

        init(_ provider: Provider) throws {
            self.provider = provider
            var settings = ServerSettings()
            settings.port = 0
            settings.threads = 2
            rest = try Server(
                settings, handler: FunctionHandler { _ in Response(status: 200, body: []) }
            ) { _ in }
            site = try Site(
                rest: RestForwarder(base: "http://127.0.0.1:\(rest.port)", limit: 2),
                others: [provider.issuer])
        }

        deinit { rest.stop() }

        func makeFamily() throws {
            let token = try provider.token(of: subject)
            let created = try site.send(
                "POST", "/api/family/create", token: token, body: #"{"role": "parent"}"#)
            try #require(created.status == 200, "\(created)")
            let added = try site.send(
                "POST", "/api/family/managed", token: token, body: #"{"displayName": "Kai"}"#)
            let id = try #require(added.text("id"), "\(added)")
            child.withLock { $0 = id }
        }

        /// Sends a request with a token that the provider signs now.
        func send(_ route: RouteKind) throws -> (status: Int, code: String?, retryAfter: Int?) {
            let token = try provider.token(of: subject)
            var headers = route.headers
            if route.actsForChild {
                headers["X-Acting-As-Member"] = child.withLock { $0 }
            }
            if route.path == "/api/live" { return try sendLive(token) }
            let answer =
                if route.isExchange {
                    try site.send(
                        route.method, route.path, body: #"{"token": "\#(token)"}"#,
                        headers: headers)
                } else {
                    try site.exchange(
                        route.method, route.path, token: token, body: route.body, headers: headers)
                }
            return (
                answer.status, answer.text("code"),
                answer.headers["retry-after"].flatMap { Int($0) }
            )
        }

        private func sendLive(
            _ token: String
        ) throws -> (status: Int, code: String?, retryAfter: Int?) {
            let client = APIClient(site: site, person: Person(), token: token)
            let head = try #require(try EventStream(client).next())
            let lines = head.split(separator: "\r\n")
            let retry = lines.first { $0.lowercased().hasPrefix("retry-after: ") }
            let status = try #require(lines.first.flatMap { Int($0.split(separator: " ")[1]) })
            // The code is in the body, which the stream's client does not read.
            return (
                status, nil, retry.flatMap { Int($0.dropFirst("retry-after: ".count)) }
            )
        }
    }

    /// The value of a counter; nil if it does not exist.
    private static func metric(_ name: String, at site: Site) throws -> Int? {
        String(decoding: try site.exchange("GET", "/metrics").body, as: UTF8.self)
            .split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    @Test("every kind of route accepts a token with a new key once keys may be fetched again")
    func rotated() throws {
        let stage = try Stage(try Provider { $0.shortestIntervalSeconds = 0 })
        stage.provider.start()
        try stage.makeFamily()
        for route in RouteKind.all {
            try stage.provider.rotate()
            let fetches = stage.provider.keys.paths.count
            let answer = try stage.send(route)
            #expect(answer.status == route.status, "\(route.testDescription): \(answer)")
            #expect(stage.provider.keys.paths.count > fetches, "\(route.testDescription)")
        }
    }

    @Test("every kind of route answers 503 keys_pending to a new key until the next fetch")
    func pending() throws {
        let stage = try Stage(try Provider())
        stage.provider.start()
        try stage.makeFamily()
        try stage.provider.rotate()
        for route in RouteKind.all {
            let answer = try stage.send(route)
            #expect(answer.status == 503, "\(route.testDescription): \(answer)")
            #expect(
                answer.code == (route.path == "/api/live" ? nil : "keys_pending"),
                "\(route.testDescription)")
            let seconds = try #require(answer.retryAfter, "\(route.testDescription)")
            #expect((1...30).contains(seconds), "\(route.testDescription): \(seconds)")
        }
        #expect(stage.provider.keys.paths.count == 1)
        #expect(
            try Self.metric("hearth_keys_pending_total", at: stage.site) == RouteKind.all.count)
        let metrics = String(
            decoding: try stage.site.exchange("GET", "/metrics").body, as: UTF8.self)
        #expect(
            !metrics.split(separator: "\n").contains {
                $0.hasPrefix("hearth_http_requests_total") && $0.contains(#"status="503""#)
                    && !$0.hasSuffix(" 0")
            }, "strangers can cause them, so they are not counted as failures")
    }

    @Test("every kind of route answers 401 if a successful fetch does not contain the key")
    func unknown() throws {
        let stage = try Stage(try Provider { $0.shortestIntervalSeconds = 0 })
        stage.provider.start()
        try stage.makeFamily()
        try stage.provider.rotate(publishes: false)
        for route in RouteKind.all {
            let answer = try stage.send(route)
            #expect(answer.status == 401, "\(route.testDescription): \(answer)")
        }
    }

    @Test("a token with an unknown key gets 503, not 401, while the provider is unreachable")
    func away() throws {
        let stage = try Stage(try Provider { $0.shortestIntervalSeconds = 0 })
        stage.provider.start()
        try stage.makeFamily()
        try stage.provider.rotate(publishes: false)
        stage.provider.keys.publish(.status(502))
        for route in RouteKind.all {
            let answer = try stage.send(route)
            #expect(answer.status == 503, "\(route.testDescription): \(answer)")
            #expect(answer.retryAfter != nil, "\(route.testDescription)")
        }
        stage.provider.publish()
        for route in RouteKind.all {
            #expect(try stage.send(route).status == route.status, "\(route.testDescription)")
        }
    }

    @Test("every kind of route answers 503 while keys have never been fetched")
    func neverFetched() throws {
        let stage = try Stage(try Provider(.status(502)) { $0.firstRetrySeconds = 30 })
        stage.provider.start()
        for route in RouteKind.all {
            let answer = try stage.send(route)
            #expect(answer.status == 503, "\(route.testDescription): \(answer)")
            #expect(
                answer.code == (route.path == "/api/live" ? nil : "unavailable"),
                "\(route.testDescription)")
            #expect(
                answer.retryAfter.map { (1...30).contains($0) } == true, "\(route.testDescription)")
        }
    }

    @Test("a slow provider keeps at most two requests waiting, and others are answered meanwhile")
    func slow() throws {
        let stage = try Stage(try Provider { $0.shortestIntervalSeconds = 0 })
        stage.provider.start()
        try stage.makeFamily()
        try stage.provider.rotate(publishes: false)
        stage.provider.keys.publish(.hanging)
        let statuses = Monitor<[Int]>([])
        let ended = DispatchGroup()
        for _ in 0..<10 {
            DispatchQueue.global().async(group: ended) {
                let status = (try? stage.send(RouteKind.all[0]).status) ?? 0
                statuses.change { $0.append(status) }
            }
        }
        let end = Deadline.after(seconds: 60)
        let refused = statuses.wait { ($0.count == 8 ? $0 : nil, end) }
        #expect(refused == Array(repeating: 503, count: 8))
        let other = try stage.site.person(.parent)
        #expect(try other.get("/api/me").status == 200)
        stage.provider.keys.open()
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(statuses.withLock { $0 } == Array(repeating: 503, count: 10))
    }
}
