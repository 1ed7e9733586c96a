import Domain
import HTTPServer
import JSON
import Synchronization
import TestSupport
import Testing
import UseCases

@testable import API

@Suite("Event streams of changes")
struct LiveRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private func rename(_ home: FamilyFixture<Site>, _ name: String) throws {
        let answer = try home.admin.patch(
            "/api/family/\(home.id)", #"{"familyName": "\#(name)"}"#)
        try #require(answer.status == 200)
    }

    @Test("a stream names the changed families, and continues after the last event")
    func changes() throws {
        let home = try site.home()
        let stream = try EventStream(home.adult)
        let first = try stream.begin()
        try rename(home, "One")
        let event = try #require(try stream.next())
        #expect(event.hasPrefix("event: change\n"))
        #expect(event.contains(#"data: {"families":["\#(home.id)"],"self":false}"#))
        let missed = try EventStream(home.adult, lastEventID: first)
        _ = try missed.next()
        #expect(try missed.next()?.contains(home.id) == true)
        let forged = try EventStream(home.adult, lastEventID: "forged")
        _ = try forged.next()
        #expect(try forged.next()?.contains("event: reset") == true)
        let id = try #require(stream.id(of: event))
        let foreign = try EventStream(home.player, lastEventID: id)
        _ = try foreign.next()
        #expect(try foreign.next()?.contains("event: reset") == true)
    }

    @Test("a client whose stream was cut off gets one reset event when it returns")
    func cutOff() throws {
        let home = try site.home()
        let first = try EventStream(home.adult).begin()
        try site.services.liveStreams.recordDisconnected(home.adult.id)
        let returned = try EventStream(home.adult, lastEventID: first)
        _ = try returned.next()
        #expect(try returned.next()?.hasPrefix("retry: 2000\nevent: reset\n") == true)
        let later = try EventStream(home.adult, lastEventID: first)
        #expect(try later.begin() == first)
    }

    @Test("a removed member is sent the removal, but no later change of the family")
    func removal() throws {
        let home = try site.home()
        let stream = try EventStream(home.adult)
        _ = try stream.begin()
        let member = try home.member(home.adult)
        #expect(try home.admin.delete("/api/family/members/\(member)").status == 200)
        #expect(try stream.next()?.contains(home.id) == true)
        try rename(home, "Without")
        #expect(try home.adult.patch("/api/me", #"{"fullName": "Gone"}"#).status == 200)
        #expect(try stream.next()?.contains(#"data: {"families":[],"self":true}"#) == true)
    }

    @Test("streams hold no thread, and an account's eleventh stream ends its oldest")
    func bounded() throws {
        let home = try site.home()
        let oldest = try EventStream(home.adult)
        _ = try oldest.begin()
        // Streams are counted by account, whichever way it has signed in.
        let session = try site.session(of: home.adult)
        let others = try (0..<10).map { number in
            let token = number % 2 == 0 ? nil : session.access
            let stream = try EventStream(home.adult, token: token)
            _ = try stream.begin()
            return stream
        }
        #expect(try oldest.next()?.contains("closed") == true)
        #expect(try oldest.next() == nil)
        // The server has fewer threads than there are streams.
        try rename(home, "Two")
        for stream in others { #expect(try stream.next()?.contains(home.id) == true) }
    }

    @Test("a stream that is displaced before its request is parked is resumed at once")
    func displacedEarly() throws {
        let home = try site.home()
        let request = try #require(
            Request(
                .get, "/api/live",
                headers: Headers([
                    .init(name: "Authorization", value: "Bearer \(home.adult.token)")
                ])))
        let services = try site.services
        let caller = try #require(
            try Authentication.caller(
                of: request, services.verifier, now: services.seconds, waitsForKeys: true))
        let stream = try LiveStream(services, RequestContext(caller, trace: RequestTrace()))
        guard case .part(let part) = try stream.open(after: nil) else {
            Issue.record("a stream begins with a part")
            return
        }
        let wait = try #require(part.next)
        stream.displace()
        let resumptions = Atomic(0)
        wait.onParked?({ resumptions.add(1, ordering: .sequentiallyConsistent) })
        #expect(resumptions.load(ordering: .sequentiallyConsistent) == 1)
        guard case .part(let last) = try wait.retry(.time) else {
            Issue.record("a stream ends with a part")
            return
        }
        #expect(last.next == nil && last.text == ": closed\n\n")
    }

    @Test("a stream ends at once with its session or its account")
    func ended() throws {
        let home = try site.home()
        let client = try site.session(of: home.adult)
        let stream = try EventStream(home.adult, token: client.access)
        let other = try EventStream(home.adult, token: try site.session(of: home.adult).access)
        for stream in [stream, other] { _ = try stream.begin() }
        #expect(try site.signOut(client.refresh).status == 200)
        #expect(try stream.next()?.contains("event: expired") == true)
        #expect(try stream.next() == nil)
        try rename(home, "Still here")
        #expect(try other.next()?.contains(home.id) == true)
        #expect(try home.adult.delete("/api/me").status == 200)
        let last = try [other.next(), other.next()].compactMap { $0 }.joined()
        #expect(last.contains("event: expired"))
    }

    @Test("a stream accepts a token whose expiry is beyond the range of timestamps")
    func endless() throws {
        let home = try site.home()
        let token = try site.token(
            of: home.adult.person, lifetimeSeconds: 100_000_000_000_000_000)
        let stream = try EventStream(home.adult, token: token)
        #expect(try stream.next()?.hasPrefix("HTTP/1.1 200") == true)
        _ = try stream.next()
        #expect(try home.adult.patch("/api/me", #"{"fullName": "Renamed"}"#).status == 200)
        #expect(try stream.next()?.contains("event: change") == true)
    }

    @Test("a stream ends when its token expires")
    func expiry() throws {
        let home = try site.home()
        for seconds: Int64 in [3, 6, 12, 24, 48] {
            let token = try site.token(of: home.adult.person, lifetimeSeconds: seconds)
            let stream = try EventStream(home.adult, token: token)
            let head = try #require(try stream.next())
            // On a busy machine, a token may expire before the server has read it.
            if head.hasPrefix("HTTP/1.1 401") { continue }
            #expect(head.hasPrefix("HTTP/1.1 200"))
            let first = try #require(try stream.next())
            #expect(stream.id(of: first) != nil)
            #expect(try stream.next()?.contains("event: expired") == true)
            #expect(try stream.next() == nil)
            return
        }
        Issue.record("no token lasted until the stream began")
    }
}
