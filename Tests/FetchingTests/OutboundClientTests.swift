import HTTPServer
import Synchronization
import Testing

@testable import Fetching

@Suite("Outbound requests")
struct OutboundClientTests {
    private static func server(
        _ handler: @escaping @Sendable (Request) -> Response
    ) throws -> Server {
        var settings = ServerSettings()
        settings.port = 0
        settings.threads = 2
        return try Server(settings, handler: FunctionHandler(work: handler)) { _ in }
    }

    private static func patient(
        _ reach: OutboundClient.Reach = .internetAndLoopback
    ) -> OutboundClient {
        var client = OutboundClient(reach)
        client.timeoutSeconds = 60
        client.connectTimeoutSeconds = 60
        return client
    }

    private static func send(
        _ client: OutboundClient, _ server: Server, _ method: String = "POST", path: String = "/",
        body: String = "{}"
    ) throws -> OutboundResponse {
        let address = try #require(FetchAddress("http://127.0.0.1:\(server.port)\(path)"))
        return try client.send(
            method, to: address, headers: [("x-a", "b")], body: Array(body.utf8))
    }

    private static func refusal(
        _ client: OutboundClient, _ text: String
    ) throws -> FetchError.Code? {
        let address = try #require(FetchAddress(trustingNetwork: text))
        do throws(FetchError) {
            _ = try client.send("POST", to: address, headers: [])
            return nil
        } catch {
            return error.code
        }
    }

    @Test("method, headers and body arrive, and the response is returned whatever its status")
    func answers() throws {
        let server = try Self.server { request in
            Response(
                status: Int(request.path.dropFirst()) ?? 200,
                headers: Headers([
                    .init(
                        name: "X-Was",
                        value: "\(request.method.name) \(request.headers["x-a"] ?? "")")
                ]), body: request.body)
        }
        for (method, body) in [
            ("GET", ""), ("POST", "{}"), ("POST", ""), ("PATCH", "p"), ("PUT", "q"), ("DELETE", ""),
        ] {
            let answer = try Self.send(Self.patient(), server, method, body: body)
            #expect(answer.headers.first { $0.name == "X-Was" }?.value == "\(method) b")
            #expect(answer.status == 200 && answer.body == Array(body.utf8))
        }
        for status in [204, 302, 404, 410, 500] {
            let answer = try Self.send(Self.patient(), server, path: "/\(status)", body: "")
            #expect(answer.status == status)
        }
    }

    @Test("requests go only to addresses within reach")
    func reach() throws {
        let count = Mutex(0)
        let server = try Self.server { _ in
            count.withLock { $0 += 1 }
            return Response(status: 200)
        }
        for host in ["http://127.0.0.1", "https://127.0.0.1", "https://localhost"] {
            let code = try Self.refusal(Self.patient(.internet), "\(host):\(server.port)/")
            #expect(code == .forbidden)
        }
        // Plain HTTP is allowed only to this machine.
        for url in ["http://1.1.1.1/", "https://10.0.0.1/", "http://10.0.0.1/"] {
            #expect(try Self.refusal(Self.patient(), url) == .forbidden)
        }
        for url in ["http://1.1.1.1/", "https://1.1.1.1/"] {
            #expect(try Self.refusal(Self.patient(.privateNetworks), url) == .forbidden)
        }
        #expect(count.withLock { $0 } == 0)
        let own = "http://127.0.0.1:\(server.port)/"
        #expect(try Self.refusal(Self.patient(.privateNetworks), own) == nil)
        #expect(try Self.refusal(Self.patient(), own) == nil)
    }

    @Test("a long response is truncated at the limit")
    func longAnswer() throws {
        let server = try Self.server { _ in
            Response(status: 202, body: [UInt8](repeating: 1, count: 1 << 20))
        }
        var client = Self.patient()
        client.responseLimitBytes = 1000
        let answer = try Self.send(client, server)
        #expect(answer.status == 202 && answer.isTruncated && answer.body.count <= 1000)
    }

    @Test("a request to a server that does not respond in time throws an error")
    func silence() throws {
        let isOver = Mutex(false)
        let server = try Self.server { _ in
            while !isOver.withLock({ $0 }) {}
            return Response(status: 200)
        }
        var client = Self.patient()
        client.timeoutSeconds = 0.1
        let error = #expect(throws: FetchError.self) { try Self.send(client, server) }
        #expect(error?.code == .timedOut)
        isOver.withLock { $0 = true }
    }
}
