import TestSupport
import Testing

@testable import API
@testable import HTTPServer

/// Limits on counts of allocations and instructions, which do not depend on the machine's speed or
/// load. They apply to test builds, which allocate more memory and execute more instructions than
/// release builds.
@Suite("Cost of a read", .serialized)
struct ReadCostTests {
    /// Eight simultaneous reads of a family's members, including the parsing of requests and the
    /// writing of responses.
    private struct Reads {
        static let count = 8

        let site: Site
        private let requests: [[UInt8]]

        /// Reads of several families. Each costs the same every time, but one family may cost 2 %
        /// more than another because its ids are random; the minimum is compared.
        static func ofFamilies() throws -> [Reads] {
            let site = try Site(readCacheBytes: 0)
            return try (0..<4).map { _ in try Reads(site) }
        }

        private init(_ site: Site) throws {
            self.site = site
            let home = try site.home("Gulls")
            requests = (0..<Self.count).map { _ in
                Array(
                    """
                    GET /api/family/members?familyId=\(home.id) HTTP/1.1\r
                    Host: family.test\r
                    Authorization: Bearer \(home.admin.token)\r
                    \r

                    """.utf8)
            }
            // The first rounds prepare statements, cache callers and allocate memory.
            for _ in 0..<4 { try answer() }
        }

        func answer() throws {
            var reads: [RequestHandler.Read] = []
            for bytes in requests {
                var reader = RequestReader(ServerSettings())
                bytes.withUnsafeBytes { reader.append($0) }
                #expect(reader.advance() == .complete)
                let request = reader.finish(from: .loopback).request
                guard case .read(let read) = site.handler.prepare(request) else {
                    Issue.record("a list of members is a read")
                    return
                }
                reads.append(read)
            }
            for response in site.handler.answer(reads) {
                let response = try #require(response)
                #expect(response.status == 200)
                #expect(ResponseHead.bytes(response, .implicit, unixSeconds: 0) != nil)
            }
        }
    }

    @Test("a read stays within its limit of allocations")
    func allocations() throws {
        let counts = try Reads.ofFamilies().flatMap { reads in
            try (0..<5).map { _ in try countAllocations { try reads.answer() } }
        }
        let each = try #require(counts.min()) / Reads.count
        #expect(each <= 740)
        // Allocations are actually counted.
        #expect(each > 10)
    }

    @Test(
        "a read stays within its limit of instructions",
        .enabled(
            if: InstructionCounter.isPermitted, "the system lets no program count instructions"))
    func instructions() throws {
        let counter = try #require(InstructionCounter())
        defer { counter.close() }
        let counts = try Reads.ofFamilies().flatMap { reads in
            try (0..<5).map { _ in try counter.count { try reads.answer() } }
        }
        let each = try #require(counts.min()) / Reads.count
        #expect(each <= 2_000_000)
        #expect(each > 10_000)
    }
}
