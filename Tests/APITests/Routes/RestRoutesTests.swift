import API
import Glibc
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Forwarding of /rest/v1 to PostgREST")
struct RestRoutesTests {
    /// A substitute for PostgREST that records its requests.
    private final class Upstream: Sendable {
        private let server: Server
        private let asked: Asked

        /// The requests so far.
        final class Asked: Sendable {
            private let requests = Mutex<[Request]>([])
            func add(_ request: Request) { requests.withLock { $0.append(request) } }
            var all: [Request] { requests.withLock { $0 } }
        }

        init(_ respond: @escaping @Sendable (Request) -> Response) throws {
            var settings = ServerSettings()
            settings.port = 0
            settings.threads = 4
            let asked = Asked()
            self.asked = asked
            server = try Server(
                settings,
                handler: FunctionHandler { request in
                    asked.add(request)
                    return respond(request)
                }
            ) { _ in }
        }

        var url: String { "http://127.0.0.1:\(server.port)" }
        var requests: [Request] { asked.all }
        func stop() { server.stop() }
    }

    private static func site(_ url: String, limit: Int = 4) throws -> Site {
        try Site(
            public: PublicSite(baseURL: Site.publicURL, corsOrigins: ["https://app.example.org"]),
            rest: RestForwarder(base: url, limit: limit))
    }

    @Test("requests and responses are forwarded with only their known headers")
    func forwards() throws {
        let upstream = try Upstream { request in
            Response(
                status: request.method == .get ? 206 : 201,
                headers: Headers([
                    .init(name: "Content-Type", value: "application/json; charset=utf-8"),
                    .init(name: "Content-Range", value: "0-0/3"),
                    .init(name: "Set-Cookie", value: "a=b"),
                ]), body: Array(#"[{"id": 1}]"#.utf8))
        }
        let site = try Self.site(upstream.url)
        let token = try site.token(.parent)
        let answer = try site.exchange(
            "GET", "/rest/v1/family_members?select=id,users(full_name)&role=eq.parent&a=%26%2B+b",
            token: token,
            headers: [
                "Prefer": "count=exact", "Range": "0-0", "Accept-Profile": "api",
                "X-Acting-As-Member": "managed_3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63",
                "apikey": "secret", "Origin": "https://app.example.org",
            ])
        #expect(
            answer.status == 206 && String(decoding: answer.body, as: UTF8.self) == #"[{"id": 1}]"#)
        #expect(answer.headers["content-range"] == "0-0/3")
        #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
        #expect(answer.headers["cache-control"] == "no-store")
        #expect(answer.headers["set-cookie"] == nil)
        #expect(answer.headers["access-control-allow-origin"] == "https://app.example.org")
        let asked = try #require(upstream.requests.first)
        #expect(asked.method == .get && asked.path == "/family_members")
        #expect(asked.query.parameters.map(\.name) == ["select", "role", "a"])
        #expect(
            asked.query.parameters.map(\.value) == ["id,users(full_name)", "eq.parent", "&+ b"])
        #expect(asked.headers["Authorization"] == "Bearer \(token)")
        #expect(asked.headers["Prefer"] == "count=exact" && asked.headers["Range"] == "0-0")
        #expect(asked.headers["Accept-Profile"] == "api" && asked.headers["apikey"] == nil)
        #expect(asked.headers["X-Acting-As-Member"]?.hasPrefix("managed_") == true)
        for method in ["POST", "PATCH", "PUT", "DELETE"] {
            let body = method == "DELETE" ? nil : #"{"full_name": "Zoë"}"#
            let answer = try site.exchange(
                method, "/rest/v1/rpc/anything", token: token, body: body,
                headers: ["Content-Type": "application/json"])
            let asked = try #require(upstream.requests.last)
            #expect(answer.status == 201 && asked.method.name == method)
            #expect(asked.path == "/rpc/anything" && asked.body == Array((body ?? "").utf8))
        }
        #expect(site.services.metrics.text().contains(#"route="/rest/v1/*",status="201"} 1"#))
    }

    @Test("a request that can't be meant for PostgREST is refused")
    func refuses() throws {
        let upstream = try Upstream { _ in Response(status: 200) }
        let site = try Self.site(upstream.url)
        let token = try site.token(.parent)
        for path in [
            "/rest/v1/../admin", "/rest/v1/a/b", "/rest/v1/a%2Fb", "/rest/v1/rpc/a/b",
            "/rest/v1/a%3Fb", "/rest/v1/%00", "/rest/v10", "/rest", "/rest/v2/a",
        ] {
            let text = try site.raw(
                "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                    + "Authorization: Bearer \(token)\r\n\r\n")
            #expect(text.hasPrefix("HTTP/1.1 40"), "\(path)")
        }
        #expect(try site.exchange("GET", "/rest/v1/a", token: "no.good.token").status == 401)
        let large = String(repeating: "x", count: 70_000)
        #expect(try site.exchange("POST", "/rest/v1/a", token: token, body: large).status == 413)
        #expect(try site.exchange("OPTIONS", "/rest/v1/a", token: token).status == 405)
        #expect(upstream.requests.isEmpty)
    }

    @Test("CORS allows the headers of Supabase clients on /rest/v1")
    func preflight() throws {
        let upstream = try Upstream { _ in Response(status: 200) }
        let site = try Self.site(upstream.url)
        for (path, isRest) in [("/rest/v1/a", true), ("/api/me", false)] {
            let answer = try site.exchange(
                "OPTIONS", path,
                headers: [
                    "Origin": "https://app.example.org", "Access-Control-Request-Method": "GET",
                ])
            #expect(answer.status == 204)
            let allowed = answer.headers["access-control-allow-headers"] ?? ""
            #expect(allowed.contains("x-client-info") == isRest)
            #expect(allowed.contains("apikey") == isRest)
        }
        #expect(upstream.requests.isEmpty)
    }

    @Test("Prefer and Accept on several lines are one list; another repeated header gets 400")
    func repeatedHeaders() throws {
        let upstream = try Upstream { _ in Response(status: 200) }
        let site = try Self.site(upstream.url)
        let token = try site.token(.parent)
        func send(_ lines: [String]) throws -> String {
            try site.raw(
                "GET /rest/v1/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                    + "Authorization: Bearer \(token)\r\n"
                    + lines.map { $0 + "\r\n" }.joined() + "\r\n")
        }
        let lists = try send([
            "Prefer: handling=strict", "prefer: max-affected=1", "Accept: text/csv",
            "Accept: application/json;q=0.5",
        ])
        #expect(lists.hasPrefix("HTTP/1.1 200"))
        let asked = try #require(upstream.requests.first)
        #expect(asked.headers.values("Prefer") == ["handling=strict, max-affected=1"])
        #expect(asked.headers.values("Accept") == ["text/csv, application/json;q=0.5"])
        for name in ["Accept-Profile", "Content-Profile", "Content-Type", "Range", "Range-Unit"] {
            let refused = try send(["\(name): a", "\(name): b"])
            #expect(refused.hasPrefix("HTTP/1.1 400"), "\(name)")
            #expect(refused.contains("More than one \(name) was sent."))
        }
        #expect(upstream.requests.count == 1)
    }

    /// A server that reads a request to its end and closes the connection without a response.
    private final class Hangup: Sendable {
        private let listener: Int32
        let port: UInt16

        init() throws {
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = listener
            let isBound = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                        && getsockname(descriptor, $0, &length) == 0
                }
            }
            try #require(isBound)
            port = UInt16(bigEndian: address.sin_port)
            _ = inBackground {
                while true {
                    let client = accept(descriptor, nil, nil)
                    if client < 0 { return }
                    var bytes: [UInt8] = []
                    var buffer = [UInt8](repeating: 0, count: 4_096)
                    // Each request of these tests ends with an empty line or a brace.
                    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8),
                        bytes.last != UInt8(ascii: "}")
                    {
                        let count = recv(client, &buffer, buffer.count, 0)
                        if count <= 0 { break }
                        bytes += buffer.prefix(count)
                    }
                    close(client)
                }
            }
        }

        func stop() {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
    }

    @Test("a change that PostgREST may have made gets outcome_unknown, other requests unavailable")
    func unknownOutcome() throws {
        let large = try Upstream { _ in
            Response(
                status: 201,
                body: [UInt8](repeating: 32, count: RestForwarder.responseLimitBytes + 1))
        }
        let hangup = try Hangup()
        for base in [large.url, "http://127.0.0.1:\(hangup.port)"] {
            let site = try Self.site(base)
            let token = try site.token(.parent)
            for method in ["POST", "PATCH", "PUT", "DELETE"] {
                let body = method == "DELETE" ? nil : #"{"a": 1}"#
                let answer = try site.exchange(method, "/rest/v1/a", token: token, body: body)
                #expect(answer.says(503, "outcome_unknown"), "\(method) \(base): \(answer)")
                #expect(answer.headers["retry-after"] == "1")
            }
            #expect(site.lines.text.contains("its outcome is unknown"))
        }
        let lost = try Self.site("http://127.0.0.1:\(hangup.port)")
        let read = try lost.exchange("GET", "/rest/v1/a", token: lost.token(.parent))
        #expect(read.says(503, "unavailable") && read.headers["retry-after"] == "1")
        hangup.stop()
        let token = try lost.token(.parent)
        for method in ["GET", "POST"] {
            let body = method == "GET" ? nil : "{}"
            let away = try lost.exchange(method, "/rest/v1/a", token: token, body: body)
            #expect(away.says(503, "unavailable"), "\(method): \(away)")
            #expect(away.headers["retry-after"] == "1")
        }
    }

    @Test("an unreachable or busy PostgREST causes 503, and a response over 4 MiB causes 413")
    func outages() throws {
        let isOver = Mutex(false)
        let upstream = try Upstream { request in
            if request.path == "/large" {
                return Response(
                    status: 200,
                    body: [UInt8](repeating: 32, count: RestForwarder.responseLimitBytes + 1))
            }
            while request.path == "/slow", !isOver.withLock({ $0 }) { sched_yield() }
            return Response(status: 200)
        }
        let site = try Self.site(upstream.url, limit: 1)
        let token = try site.token(.parent)
        let large = try site.exchange("GET", "/rest/v1/large", token: token)
        #expect(large.says(413, "body_too_large") && large.headers["retry-after"] == nil)
        let slow = inBackground { try site.exchange("GET", "/rest/v1/slow", token: token).status }
        try eventually { upstream.requests.contains { $0.path == "/slow" } }
        let refused = try site.exchange("GET", "/rest/v1/other", token: token)
        #expect(refused.status == 503 && refused.headers["retry-after"] == "1")
        #expect(try site.exchange("GET", "/healthz").status == 200)
        isOver.withLock { $0 = true }
        #expect(try slow.wait() == 200)
        #expect(try site.exchange("GET", "/rest/v1/other", token: token).status == 200)
        upstream.stop()
        let away = try site.exchange("GET", "/rest/v1/other", token: token)
        #expect(away.status == 503 && away.text("code") == "unavailable")
        #expect(site.lines.text.contains("PostgREST is unreachable"))
    }

    @Test("/rest/v1 answers 404 without a configured PostgREST")
    func unnamed() throws {
        let site = try Site()
        let token = try site.token(.parent)
        #expect(try site.exchange("GET", "/rest/v1/family_units", token: token).status == 404)
    }
}
