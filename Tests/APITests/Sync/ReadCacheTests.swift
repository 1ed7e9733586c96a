import Domain
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import API

@Suite("Cached responses to reads")
struct ReadCacheTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    /// Number of responses that were sent from the cache.
    private func confirmed(by site: Site) throws -> Int {
        let line = try #require(
            String(decoding: try site.exchange("GET", "/metrics").body, as: UTF8.self)
                .split(separator: "\n").first {
                    $0.hasPrefix("hearth_read_cache_total{outcome=\"confirmed\"}")
                })
        return try #require(line.split(separator: " ").last.flatMap { Int($0) })
    }

    private static func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }

    private static func paths(_ home: FamilyFixture<Site>) -> [String] {
        [
            "/api/family", "/api/family/members?familyId=\(home.id)", "/groups/\(home.id)",
            "/groups/me", "/api/me/profiles",
        ]
    }

    @Test("a repeated read gets the same response, which the database has confirmed")
    func repeated() throws {
        // A separate server, so that no other test's reads are counted.
        let site = try Site()
        let home = try site.home()
        for path in ["/api/family/members?familyId=\(home.id)", "/api/family"] {
            let first = try home.adult.get(path)
            let before = try confirmed(by: site)
            let again = try home.adult.get(path)
            #expect(again.status == 200 && again.body == first.body, "\(path)")
            #expect(again.headers["etag"] == first.headers["etag"])
            #expect(again.headers["content-type"] == first.headers["content-type"])
            #expect(try confirmed(by: site) == before + 1, "\(path)")
        }
    }

    @Test("after a change, each member's next read shows it")
    func changed() throws {
        let home = try site.home()
        let readers = [home.admin, home.adult, home.player]
        for name in ["Kimmy", "Kim", "Kimberley"] {
            for reader in readers {
                for path in Self.paths(home) { _ = try reader.get(path) }
            }
            let change = try home.player.patch("/api/me", #"{"fullName": "\#(name)"}"#)
            #expect(change.status == 200)
            for reader in readers {
                let members = try reader.get("/api/family/members?familyId=\(home.id)")
                #expect(Self.text(members.body).contains("\"\(name)\""), "\(members)")
            }
        }
    }

    @Test("a member who was removed gets no cached response")
    func removed() throws {
        let home = try site.home()
        let (person, member) = try home.joiner()
        let paths = ["/api/family/members?familyId=\(home.id)", "/groups/\(home.id)"]
        for path in paths { #expect(try person.get(path).status == 200, "\(path)") }
        #expect(try home.admin.delete("/api/family/members/\(member)").status == 200)
        for path in paths {
            let answer = try person.get(path)
            #expect(answer.status == 404, "\(path): \(answer)")
            #expect(!Self.text(answer.body).contains("Gulls"), "\(path)")
        }
    }

    @Test("two members who read the same URL get their own responses")
    func others() throws {
        let home = try site.home()
        for _ in 0..<2 {
            for path in Self.paths(home) {
                let (one, other) = (try home.admin.get(path), try home.player.get(path))
                #expect(one.headers["etag"] != other.headers["etag"], "\(path)")
            }
        }
    }

    @Test("a client with the current tag gets 304 although the response is cached")
    func notModified() throws {
        let home = try site.home()
        let path = "/api/family/members?familyId=\(home.id)"
        let tag = try #require(try home.adult.get(path).headers["etag"])
        _ = try home.adult.get(path)
        let same = try home.adult.send("GET", path, headers: ["If-None-Match": tag])
        #expect(same.status == 304 && same.body.isEmpty)
        let other = try home.adult.send("GET", path, headers: ["If-None-Match": "\"other\""])
        #expect(other.status == 200 && other.headers["etag"] == tag)
        let any = try home.adult.send("GET", path, headers: ["If-None-Match": "*"])
        #expect(any.status == 304 && any.body.isEmpty && any.headers["etag"] == tag)
    }

    /// A response with a tag and a body of this size.
    private static func reply(_ number: Int, bytes: Int = 1_000) -> Reply {
        Reply(
            status: 200, mediaType: "application/json", body: Array(repeating: 0x20, count: bytes),
            tag: "\"\(number)\"")
    }

    private static let account = UserID.random()

    /// Number of different readers, which `scripts/proofs/bench memory --readers` sets.
    private static let readers =
        ProcessInfo.processInfo.environment["HEARTH_TEST_READERS"].flatMap { Int($0) }

    @Test("the cache of a million readers' responses stays within its memory limit")
    func bounded() throws {
        let limit = 4 * 1024 * 1024
        let cache = try #require(ReadCache(limitBytes: limit))
        for number in 0..<1_000_000 {
            let key = ReadCache.Key(testing: number)
            cache.store(
                Self.reply(number, bytes: number % 2_000), for: key, of: Self.account, nil)
            if number % 1_000 == 0 {
                #expect(cache.reply(for: key)?.tag == "\"\(number)\"")
                #expect(cache.bytes <= limit, "after \(number)")
            }
        }
        #expect(cache.bytes > limit / 4)
        #expect(cache.reply(for: ReadCache.Key(testing: 0)) == nil)
    }

    /// Resident memory of this process, in bytes.
    private static func resident() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.firstMatch(of: /VmRSS:\s*([0-9]+) kB/))
        return try #require(Int(line.output.1)) * 1024
    }

    /// The other tests of a process would take memory too, so this one is run alone.
    @Test(
        "the process's memory grows by the cache's limit at most, however many readers there are",
        .enabled(if: ReadCacheTests.readers != nil))
    func residentMemory() throws {
        let readers = try #require(Self.readers)
        let limit = 32 * 1024 * 1024
        let cache = try #require(ReadCache(limitBytes: limit))
        let before = try Self.resident()
        var (most, counted) = (before, 0)
        for number in 0..<readers {
            cache.store(
                Self.reply(number, bytes: number % 2_000), for: ReadCache.Key(testing: number),
                of: UserID.random(), SessionID.random())
            if number % 10_000 == 0 {
                (most, counted) = (max(most, try Self.resident()), max(counted, cache.bytes))
            }
        }
        let (grown, megabyte) = (most - before, 1024 * 1024)
        print(
            "\(readers) readers: \(counted / megabyte) MiB counted and \(grown / megabyte) MiB "
                + "resident at most; limit \(limit / megabyte) MiB")
        #expect(counted <= limit)
        // The C library keeps some memory that was freed.
        #expect(grown <= limit * 5 / 4, "\(grown) bytes")
    }

    @Test("the responses of one session are dropped, and those of the account's others stay")
    func droppedSession() throws {
        let cache = try #require(ReadCache(limitBytes: 1 << 20))
        let (ended, other) = (SessionID.random(), SessionID.random())
        for number in 1...9 {
            let session = [ended, other, nil][number % 3]
            cache.store(
                Self.reply(number), for: ReadCache.Key(testing: number), of: Self.account, session)
        }
        let before = cache.bytes
        cache.drop(.session(ended))
        for number in 1...9 {
            let isKept = cache.reply(for: ReadCache.Key(testing: number)) != nil
            #expect(isKept == (number % 3 != 0), "\(number)")
        }
        #expect(cache.bytes == before / 3 * 2)
    }

    @Test("the responses of an account are dropped in both generations, and those of others stay")
    func droppedAccount() throws {
        let seconds = Mutex(0)
        let cache = try #require(
            ReadCache(limitBytes: 1 << 20) { seconds.withLock { $0 } * 1_000_000_000 })
        let (erased, other) = (UserID.random(), UserID.random())
        for number in 1...8 {
            // The first four are old by now.
            if number == 5 { seconds.withLock { $0 = 61 } }
            cache.store(
                Self.reply(number), for: ReadCache.Key(testing: number),
                of: number % 2 == 0 ? erased : other, SessionID.random())
        }
        cache.drop(.account(erased))
        for number in 1...8 {
            let isKept = cache.reply(for: ReadCache.Key(testing: number)) != nil
            #expect(isKept == (number % 2 != 0), "\(number)")
        }
        cache.drop(.account(other))
        #expect(cache.bytes == 0)
    }

    @Test(
        "dropping an owner's responses costs the same, however many others there are",
        .enabled(
            if: InstructionCounter.isPermitted, "the system lets no program count instructions"))
    func dropCost() throws {
        let cache = try #require(ReadCache(limitBytes: 1 << 26) { 0 })
        let counter = try #require(InstructionCounter())
        defer { counter.close() }
        let owners: [ReadCache.Owner] = [.session(.random()), .account(.random())]
        func cost(of responses: Range<Int>) -> Int {
            for number in responses {
                cache.store(
                    Self.reply(number, bytes: 100), for: ReadCache.Key(testing: number),
                    of: Self.account, SessionID.random())
            }
            for owner in owners { cache.drop(owner) }
            return counter.count { for owner in owners { cache.drop(owner) } }
        }
        let few = cost(of: 0..<100)
        let many = cost(of: 100..<20_000)
        #expect(cache.reply(for: ReadCache.Key(testing: 0)) != nil, "none was dropped for space")
        #expect(many < 3 * few, "\(few) and \(many) instructions")
    }

    @Test("signing out drops the session's cached responses")
    func signedOut() throws {
        // A separate server, so that its cache has no other responses.
        let site = try Site()
        let home = try site.home()
        let cache = try #require(site.services.readCache)
        for end in ["sign-out", "session", "others"] {
            cache.drop(.account(home.adult.id))
            let session = try site.session(of: home.adult)
            let other = try site.session(of: home.adult)
            let before = cache.bytes
            #expect(try session.get("/api/family").status == 200)
            #expect(cache.bytes > before, "\(end)")
            switch end {
            case "sign-out": #expect(try site.signOut(session.refresh).status == 200)
            case "session":
                let ended = try other.delete("/api/me/sessions/\(session.session)")
                #expect(ended.status == 200)
            default: #expect(try other.delete("/api/me/sessions").status == 200)
            }
            #expect(cache.bytes == before, "\(end)")
        }
    }

    @Test("erasing an account drops the cached responses of all its sessions and tokens")
    func erased() throws {
        let site = try Site()
        let home = try site.home()
        let cache = try #require(site.services.readCache)
        let (person, _) = try home.joiner()
        let session = try site.session(of: person)
        let before = cache.bytes
        #expect(try person.get("/api/family").status == 200)
        #expect(try session.get("/api/family").status == 200)
        #expect(cache.bytes > before)
        #expect(try person.delete("/api/me").status == 200)
        #expect(cache.bytes == before)
    }

    @Test("erasing on a page drops cached responses of an account whose id has changed")
    func erasedOnPage() throws {
        let site = try Site(trustsLocalProxy: true)
        let cache = try #require(site.services.readCache)
        let (browser, email) = (PageBrowser(site), Site.address())
        try browser.enter(email)
        let client = try SessionClient(
            site, site.verify(site.ticket(for: email), site.mailed(to: email).code))
        let family = try client.send("POST", "/api/family/create", #"{"familyName": "Gulls"}"#)
        try #require(family.status == 200, "\(family)")
        let person = try site.person(.parent)
        let added = try client.send(
            "POST", "/api/me/identities", #"{"token": "\#(person.token)"}"#)
        try #require(added.status == 200, "\(added)")
        let before = cache.bytes
        #expect(try client.get("/api/family").status == 200)
        #expect(cache.bytes > before)
        let page = try browser.open("/account")
        let done = try browser.press("erase", on: page, ["sure": "yes"])
        #expect(done.heading == "Your account was deleted", "\(done)")
        #expect(cache.bytes == before)
    }

    @Test(
        "a cached response is dropped after two minutes without a read, and stays while it is read")
    func aged() throws {
        let seconds = Mutex(0)
        let cache = try #require(
            ReadCache(limitBytes: 1 << 20) { seconds.withLock { $0 } * 1_000_000_000 })
        let (read, idle) = (ReadCache.Key(testing: 1), ReadCache.Key(testing: 2))
        cache.store(Self.reply(1), for: read, of: Self.account, nil)
        cache.store(Self.reply(2), for: idle, of: Self.account, nil)
        for minute in 1...10 {
            seconds.withLock { $0 = minute * 50 }
            #expect(cache.reply(for: read)?.tag == "\"1\"")
        }
        #expect(cache.reply(for: idle) == nil)
        seconds.withLock { $0 = 10_000 }
        #expect(cache.bytes == 0)
    }

    @Test("responses that lack a tag, have a link, are refusals or are too large are not stored")
    func excluded() throws {
        let cache = try #require(ReadCache(limitBytes: 1 << 20))
        var untagged = Self.reply(1)
        untagged.tag = nil
        var link = Self.reply(2)
        link.link = Reply.SharedLink(invitation: .random(), url: "https://family.example/x")
        var refused = Self.reply(3)
        refused.status = 404
        for (number, reply) in [untagged, link, refused, Self.reply(4, bytes: 1 << 20)].enumerated()
        {
            let key = ReadCache.Key(testing: number)
            cache.store(reply, for: key, of: Self.account, nil)
            #expect(cache.reply(for: key) == nil, "\(number)")
        }
        #expect(ReadCache(limitBytes: 0) == nil)
    }
}
