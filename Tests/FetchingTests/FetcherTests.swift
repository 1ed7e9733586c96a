import HTTPServer
import Synchronization
import Testing

@testable import Fetching

@Suite("Fetching") struct FetcherTests {
    private static func server(
        _ handler: @escaping @Sendable (Request) -> Response
    ) throws -> Server {
        var settings = ServerSettings()
        settings.port = 0
        settings.threads = 2
        return try Server(settings, handler: FunctionHandler(work: handler)) { _ in }
    }

    /// A fetcher with a timeout long enough for a stalled test machine.
    private static var patient: Fetcher {
        var fetcher = Fetcher()
        fetcher.timeoutSeconds = 60
        fetcher.connectTimeoutSeconds = 60
        return fetcher
    }

    private static func failure(
        _ server: Server, _ fetcher: Fetcher = patient, path: String = "/"
    ) throws -> FetchError? {
        let address = try #require(FetchAddress("http://127.0.0.1:\(server.port)\(path)"))
        do throws(FetchError) {
            _ = try fetcher.get(address)
            return nil
        } catch {
            return error
        }
    }

    @Test("a document is fetched completely")
    func whole() throws {
        let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        let server = try Self.server { request in
            Response(status: request.path == "/a" ? 200 : 404, body: body)
        }
        let address = try #require(FetchAddress("http://127.0.0.1:\(server.port)/a?b=c"))
        #expect(try Self.patient.get(address) == body)
    }

    @Test("any status other than 200 throws an error, and redirects are not followed")
    func statuses() throws {
        let paths = Mutex<[String]>([])
        let server = try Self.server { request in
            paths.withLock { $0.append(request.path) }
            let status = Int(request.path.dropFirst()) ?? 200
            return Response(
                status: status, headers: Headers([.init(name: "Location", value: "/200")]))
        }
        for status in [204, 301, 302, 307, 401, 404, 500] {
            #expect(try Self.failure(server, path: "/\(status)")?.code == .status(status))
        }
        #expect(paths.withLock { !$0.contains("/200") })
    }

    @Test("a document over the limit is refused")
    func limit() throws {
        let server = try Self.server { request in
            Response(status: 200, body: [UInt8](repeating: 1, count: 1001))
        }
        var fetcher = Self.patient
        fetcher.limitBytes = 1001
        #expect(try Self.failure(server, fetcher) == nil)
        fetcher.limitBytes = 1000
        #expect(try Self.failure(server, fetcher)?.code == .tooLarge)
    }

    @Test("a request to a server that is too slow or can't be reached throws an error")
    func silence() throws {
        var settings = ServerSettings()
        settings.port = 0
        settings.threads = 1
        let isOver = Mutex(false)
        let server = try Self.server { _ in
            while !isOver.withLock({ $0 }) {}
            return Response(status: 200)
        }
        var fetcher = Fetcher()
        fetcher.timeoutSeconds = 0.1
        #expect(try Self.failure(server, fetcher)?.code == .timedOut)
        isOver.withLock { $0 = true }
        let port = server.port
        server.stop()
        let address = try #require(FetchAddress("http://127.0.0.1:\(port)/"))
        let error = #expect(throws: FetchError.self) { try Self.patient.get(address) }
        #expect(error?.code == .unreachable)
        #expect(error?.description.hasPrefix("127.0.0.1 can't be reached: ") == true)
    }

    @Test(
        "an address uses https, or http on this machine",
        arguments: [
            ("https://id.example.com/keys", true), ("https://id.example.com:8443/keys?x=1", true),
            ("http://127.0.0.1:8000/keys", true), ("http://127.1.2.3/", true),
            ("http://localhost:1/", true), ("http://[::1]/", true), ("HTTP://LOCALHOST/", true),
            ("http://id.example.com/keys", false), ("http://127.0.0.1.example.com/", false),
            ("http://localhost.example.com/", false), ("http://10.0.0.1/", false),
            ("http://user@localhost/", false), ("https://u:p@id.example.com/", false),
            ("ftp://localhost/", false), ("file:///etc/passwd", false), ("keys.json", false),
            ("", false), ("https://", false), ("https://a b/", false), ("https://a/\n", false),
        ])
    func addresses(text: String, isGood: Bool) {
        #expect((FetchAddress(text) != nil) == isGood)
    }
}
