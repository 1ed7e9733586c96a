import Fetching
import KeySupport
import Testing
import Basics

@testable import Identity

/// An issuer that publishes its keys at a test server.
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
        schedule.waitSeconds = 60
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
