import Fetching
import HTTPServer
import Synchronization
import Testing
import Threads

@testable import Identity

/// A listener on this machine that publishes keys, and counts who asks for what.
final class KeySite: Sendable {
    enum Manner: Sendable {
        case document(String)
        case status(Int)
        case redirect
        case huge
        /// Answers when the test says so.
        case hanging
    }

    private struct State: Sendable {
        var manner: Manner
        var paths: [String] = []
        var isOpen = false
    }

    private let state: Monitor<State>
    private let server: Mutex<Server?> = Mutex(nil)
    let port: UInt16

    init(_ manner: Manner) throws {
        let state = Monitor(State(manner: manner))
        self.state = state
        var settings = ServerSettings()
        settings.port = 0
        settings.threads = 4
        let handler = FunctionHandler { request in
            let manner = state.change { state in
                state.paths.append(request.path)
                return state.manner
            }
            switch manner {
            case .document(let text): return Response(status: 200, body: Array(text.utf8))
            case .status(let status): return Response(status: status)
            case .redirect:
                return Response(
                    status: 302, headers: Headers([.init(name: "Location", value: "/elsewhere")]))
            case .huge:
                return Response(
                    status: 200, body: [UInt8](repeating: UInt8(ascii: " "), count: 2 << 20))
            case .hanging:
                let end = Deadline.after(seconds: 60)
                _ = state.wait { ($0.isOpen ? true : nil, end) }
                return Response(status: 503)
            }
        }
        let server = try Server(settings, handler: handler) { _ in }
        port = server.port
        self.server.withLock { $0 = server }
    }

    deinit {
        open()
        server.withLock { $0?.stop() }
    }

    func address(_ path: String = "/keys") throws -> FetchAddress {
        try #require(FetchAddress("http://127.0.0.1:\(port)\(path)"))
    }

    func publish(_ manner: Manner) { state.change { $0.manner = manner } }

    /// Lets hanging answers go.
    func open() { state.change { $0.isOpen = true } }

    var paths: [String] { state.change { $0.paths } }

    /// Waits until that many requests have come.
    func awaitRequests(_ count: Int) -> Bool {
        let end = Deadline.after(seconds: 60)
        return state.wait { ($0.paths.count >= count ? true : nil, end) } ?? false
    }
}

/// An issuer whose keys are published at a site.
struct PublishedIssuer: ~Copyable {
    let verifier: TokenVerifier
    let events = Events()

    final class Events: Sendable {
        let state = Monitor<[String]>([])

        func awaitCount(_ count: Int) -> Bool {
            let end = Deadline.after(seconds: 60)
            return state.wait { ($0.count >= count ? true : nil, end) } ?? false
        }

        func awaitLast(_ event: String) -> Bool {
            let end = Deadline.after(seconds: 60)
            return state.wait { ($0.last == event ? true : nil, end) } ?? false
        }

        var all: [String] { state.change { $0 } }
    }

    init(
        _ site: KeySite, timeoutSeconds: Double = 60,
        _ change: (inout PublishedKeys.Schedule) -> Void = { _ in }
    ) throws {
        var schedule = PublishedKeys.Schedule()
        schedule.patienceSeconds = 60
        change(&schedule)
        var fetcher = Fetcher()
        fetcher.timeoutSeconds = timeoutSeconds
        fetcher.connectTimeoutSeconds = timeoutSeconds
        let source = PublishedKeys(try site.address(), fetcher: fetcher, schedule: schedule)
        verifier = TokenVerifier([
            Issuer(
                name: SignedFixtures.issuer, kind: .generic, audiences: ["hearth"],
                keys: IssuerKeys(source: source))
        ])
    }

    deinit { for issuer in verifier.issuers { issuer.keys.stopFetching() } }

    func start() {
        let events = events
        for issuer in verifier.issuers {
            issuer.keys.startFetching { event in
                let text =
                    switch event {
                    case .renewed(let count, let ignored):
                        "\(count) keys" + ignored.map { ", \($0.reason)" }.joined()
                    case .failed(let error): "\(error)"
                    }
                events.state.change { $0.append(text) }
            }
        }
    }

    func refusal(_ token: String) -> TokenRefusal? {
        do throws(TokenRefusal) {
            _ = try verifier.verify(token, now: SignedFixtures.issuedAt)
            return nil
        } catch {
            return error
        }
    }
}
