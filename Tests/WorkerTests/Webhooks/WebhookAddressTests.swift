import Foundation
import HTTPServer
import MailSupport
import Synchronization
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Public addresses of webhooks")
struct WebhookAddressTests {
    private let office: PostOffice
    init() throws { office = try PostOffice() }

    /// A listener on every address of this machine, with a count of its requests.
    private final class Listener: Sendable {
        private let server: Server
        private let counter: Counter

        init() throws {
            var settings = ServerSettings()
            settings.host = "0.0.0.0"
            settings.port = 0
            settings.threads = 1
            let counter = Counter()
            self.counter = counter
            server = try Server(
                settings,
                handler: FunctionHandler { _ in
                    counter.add()
                    return Response(status: 200)
                }
            ) { _ in counter.add() }
        }

        var port: Int { Int(server.port) }
        /// Number of requests, valid or not.
        var count: Int { counter.value }
    }

    private final class Counter: Sendable {
        private let number = Mutex(0)
        func add() { number.withLock { $0 += 1 } }
        var value: Int { number.withLock { $0 } }
    }

    /// Sends a test event to the URL; returns the error of the attempt.
    private func attempt(_ url: String) throws -> String? {
        // Change the URL in the database: the command itself refuses IP addresses.
        let (id, _) = try office.addWebhook("https://example.org/")
        try office.execute("UPDATE app.webhook_endpoints SET url = \(url) WHERE id = \(id)::uuid")
        let ended = try office.admin("webhook", "test", id)
        #expect(ended.code == 1)
        return ended.fields["error"] as? String
    }

    @Test("IP addresses and localhost are checked when added, other names when an event is sent")
    func literals() throws {
        for (url, words) in [
            ("http://127.0.0.1:9000/", "HEARTH_WEBHOOK_LOOPBACK=on; here it is off"),
            ("https://[::1]/", "HEARTH_WEBHOOK_LOOPBACK=on; here it is off"),
            ("https://10.0.0.1/", "public addresses only, which 10.0.0.1 is not"),
            ("https://2130706433/", "HEARTH_WEBHOOK_LOOPBACK=on; here it is off"),
            ("https://[fd00::1]/", "public addresses only"),
            ("https://169.254.169.254/", "public addresses only"),
            ("https://[fe80::1]/", "public addresses only"),
            ("https://LocalHost/", "HEARTH_WEBHOOK_LOOPBACK=on; here it is off"),
            ("https://a.localhost/", "HEARTH_WEBHOOK_LOOPBACK=on; here it is off"),
            ("https://localhost./", "HEARTH_WEBHOOK_LOOPBACK=on; here it is off"),
            ("https://192.168.0.1./", "public addresses only"),
        ] {
            let ended = try office.addingWebhook(url)
            #expect(ended.code == 64 && ended.errors.contains(words), "\(url): \(ended.errors)")
        }
        for url in ["https://localhost.example.org/", "https://example.org/", "https://8.8.8.8/"] {
            #expect(try office.addingWebhook(url).code == 0, "\(url)")
        }
        let loopback = try office.addingWebhook("http://127.0.0.1:9000/", loopback: true)
        #expect(loopback.code == 0, "\(loopback.errors)")
        let network = try office.addingWebhook("https://10.0.0.1/", loopback: true)
        #expect(network.code == 64)
    }

    @Test("a private address is refused under any name and in any spelling")
    func names() throws {
        let listener = try Listener()
        let worker = try office.worker(nil)
        defer { worker.kill() }
        let hosts = [
            "localhost", "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0", "0.0.0.0", "[::1]",
            "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]", "10.0.0.1", "192.168.1.1",
            "169.254.169.254", "[fe80::1]", "[fd00::1]", "[64:ff9b::a00:1]",
        ]
        for host in hosts {
            let error = try attempt("https://\(host):\(listener.port)/")
            #expect(
                error?.contains("requests must not be sent") == true, "\(host): \(error ?? "")")
        }
        let plain = try attempt("http://127.0.0.1:\(listener.port)/")
        #expect(plain?.contains("requests must not be sent") == true)
        #expect(listener.count == 0)
    }

    @Test("a host name that resolves to a private address the second time receives nothing")
    func rebinding() throws {
        // A resolver that returns a public address first and this machine afterwards.
        let library = office.folder.appendingPathComponent("rebind.so").path
        let compiler = try ChildProgram(
            "/usr/bin/env",
            ["cc", "-shared", "-fPIC", "-o", library, WebhookReceiver.path("rebind.c"), "-ldl"])
        _ = try compiler.wholeOutput()
        try #require(compiler.exitCode == 0)
        let listener = try Listener()
        let looks = office.folder.appendingPathComponent("looks")
        let worker = try office.worker(
            nil, ["LD_PRELOAD": library, "REBIND_LOG": looks.path])
        defer { worker.kill() }
        for _ in 0..<3 { _ = try attempt("https://rebind.test:\(listener.port)/") }
        let text = try String(contentsOf: looks, encoding: .utf8)
        #expect(text.contains("public") && text.contains("loopback"))
        #expect(listener.count == 0)
    }

    @Test("a redirect is not followed")
    func redirect() throws {
        let (receiver, other) = (try WebhookReceiver(), try WebhookReceiver())
        let worker = try office.webhookWorker()
        defer { worker.kill() }
        try receiver.answer("redirect \(other.url)")
        #expect(try attempt(receiver.url) == "answered 307")
        #expect(try receiver.arrivals().count == 1)
        #expect(try other.arrivals().isEmpty)
    }

    @Test("a receiver without a trusted certificate gets nothing")
    func untrusted() throws {
        let certificate = try Certificate(in: office.folder)
        let receiver = try WebhookReceiver(tls: [certificate.path, certificate.keyPath])
        let worker = try office.webhookWorker()
        defer { worker.kill() }
        #expect(try attempt(receiver.url)?.contains("could not be trusted") == true)
        #expect(try receiver.arrivals().isEmpty)
    }
}
