import Basics
import KeySupport
import Testing

@testable import Identity

@Suite("Published descriptions of providers") struct PublishedMetadataTests {
    private final class Log: Sendable {
        let events = Monitor<[String]>([])

        func note(_ event: PublishedMetadata.Event) {
            let text =
                switch event {
                case .renewed: "renewed"
                case .failed(let error): "\(error)"
                }
            events.change { $0.append(text) }
        }

        func await(_ isOver: @escaping ([String]) -> Bool) -> [String]? {
            let end = Deadline.after(seconds: 60)
            return events.wait { (isOver($0) ? $0 : nil, end) }
        }
    }

    private func document(_ site: KeySite, token: String = "token") -> String {
        let base = "http://127.0.0.1:\(site.port)"
        return """
            {"issuer": "\(base)", "authorization_endpoint": "\(base)/authorize",
             "token_endpoint": "\(base)/\(token)"}
            """
    }

    private func source(
        _ site: KeySite, _ change: (inout PublishedMetadata.Schedule) -> Void = { _ in }
    ) throws -> PublishedMetadata {
        var schedule = PublishedMetadata.Schedule()
        schedule.firstRetrySeconds = 0.01
        schedule.longestRetrySeconds = 0.02
        change(&schedule)
        return try #require(
            PublishedMetadata(of: "http://127.0.0.1:\(site.port)", schedule: schedule))
    }

    @Test("failed fetches are repeated until one succeeds")
    func repeated() throws {
        let site = try KeySite(.status(503))
        let (source, log) = (try source(site), Log())
        #expect(source.current == nil)
        source.start { log.note($0) }
        defer { source.stop() }
        #expect(site.awaitRequests(3) && source.current == nil)
        site.publish(.document(document(site)))
        #expect(log.await { $0.last == "renewed" } != nil)
        #expect(source.current?.tokenEndpoint.text.hasSuffix("/token") == true)
        #expect(Set(site.paths) == ["/.well-known/openid-configuration"])
    }

    @Test(
        "redirects, large documents and other issuers' descriptions are refused",
        arguments: [
            KeySite.Manner.redirect, .huge, .document("{}"), .document("no JSON"),
            .document(#"{"issuer": "https://elsewhere.example"}"#),
        ])
    func refused(manner: KeySite.Manner) throws {
        let site = try KeySite(manner)
        let (source, log) = (try source(site), Log())
        source.start { log.note($0) }
        defer { source.stop() }
        let events = try #require(log.await { !$0.isEmpty })
        #expect(events.allSatisfy { $0 != "renewed" } && source.current == nil)
        #expect(!site.paths.contains("/elsewhere"))
    }

    @Test("a description is fetched again, and a later one replaces it")
    func refreshed() throws {
        let site = try KeySite(.status(500))
        site.publish(.document(document(site)))
        let (source, log) = (try source(site) { $0.refreshSeconds = 0.01 }, Log())
        source.start { log.note($0) }
        defer { source.stop() }
        #expect(log.await { $0 == ["renewed"] } != nil)
        site.publish(.document(document(site, token: "other")))
        #expect(log.await { $0 == ["renewed", "renewed"] } != nil)
        #expect(source.current?.tokenEndpoint.text.hasSuffix("/other") == true)
    }

    @Test("a description survives failures until it expires")
    func expired() throws {
        let site = try KeySite(.status(500))
        site.publish(.document(document(site)))
        let (lasting, log) = (try source(site) { $0.refreshSeconds = 0.01 }, Log())
        lasting.start { log.note($0) }
        defer { lasting.stop() }
        #expect(log.await { $0 == ["renewed"] } != nil)
        site.publish(.status(500))
        #expect(log.await { $0.count >= 3 } != nil)
        #expect(lasting.current != nil)
        let brief = try source(site) { $0.lifetimeSeconds = 0 }
        site.publish(.document(document(site)))
        let events = Log()
        brief.start { events.note($0) }
        defer { brief.stop() }
        #expect(events.await { $0 == ["renewed"] } != nil && brief.current == nil)
    }
}
