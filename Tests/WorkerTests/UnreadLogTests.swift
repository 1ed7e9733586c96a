import Foundation
import MailSupport
import TestSupport
import Testing

@Suite("A log that nobody reads")
struct UnreadLogTests {
    @Test("a blocked log drops and counts lines, and requests are answered as before")
    func dropped() throws {
        let office = try PostOffice()
        let log = Pipe()
        let api = try APIProcess(office, log: log.fileHandleForWriting)
        let token = try api.token(of: Person())
        func droppedLines() throws -> Double {
            let name = "hearth_log_lines_dropped_total "
            let line = try api.send("GET", "/metrics").text.split(separator: "\n")
                .first { $0.hasPrefix(name) }
            return try #require(line.flatMap { Double($0.dropFirst(name.count)) })
        }
        #expect(try droppedLines() == 0)
        // More lines than pipe and backlog hold; each of the requests is answered.
        while try droppedLines() == 0 {
            let answers = onThreads(8) { _ in
                try (0..<100).map { _ in try api.send("GET", "/api/me/nothing").status }
            }
            for statuses in answers { #expect(try statuses.get().allSatisfy { $0 == 404 }) }
        }
        #expect(try api.send("GET", "/healthz").status == 200)
        #expect(try api.send("GET", "/readyz").status == 200)
        #expect(try api.send("GET", "/api/me", token: token).status == 200)
        withExtendedLifetime(log) {}
    }
}
