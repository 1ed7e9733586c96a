import Domain
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
    }

    /// A response with a tag and a body of this size.
    private static func reply(_ number: Int, bytes: Int = 1_000) -> Reply {
        Reply(
            status: 200, mediaType: "application/json", body: Array(repeating: 0x20, count: bytes),
            tag: "\"\(number)\"")
    }

    @Test("the cache of a million readers' responses stays within its memory limit")
    func bounded() throws {
        let limit = 4 * 1024 * 1024
        let cache = try #require(ReadCache(limitBytes: limit))
        for number in 0..<1_000_000 {
            let key = ReadCache.Key(testing: number)
            cache.store(Self.reply(number, bytes: number % 2_000), for: key)
            if number % 1_000 == 0 {
                #expect(cache.reply(for: key)?.tag == "\"\(number)\"")
                #expect(cache.bytes <= limit, "after \(number)")
            }
        }
        #expect(cache.bytes > limit / 4)
        #expect(cache.reply(for: ReadCache.Key(testing: 0)) == nil)
    }

    @Test(
        "a cached response is dropped after two minutes without a read, and stays while it is read")
    func aged() throws {
        let seconds = Mutex(0)
        let cache = try #require(
            ReadCache(limitBytes: 1 << 20) { seconds.withLock { $0 } * 1_000_000_000 })
        let (read, idle) = (ReadCache.Key(testing: 1), ReadCache.Key(testing: 2))
        cache.store(Self.reply(1), for: read)
        cache.store(Self.reply(2), for: idle)
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
            cache.store(reply, for: key)
            #expect(cache.reply(for: key) == nil, "\(number)")
        }
        #expect(ReadCache(limitBytes: 0) == nil)
    }
}
