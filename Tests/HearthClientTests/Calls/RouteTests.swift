import Foundation
import HearthClient
import TestSupport
import Testing

@testable import API

@Suite("Routes of a real server", .timeLimit(.minutes(10)))
struct RouteTests {
    @Test("a family's join link is available as a QR code in PNG and SVG")
    func pictures() async throws {
        let home = try await ClientFamily(LiveServer.shared())
        let png = try await home.admin.hearth.qrCode(of: home.family.id)
        #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        let svg = try await home.admin.hearth.qrCode(of: home.family.id, as: .svg)
        #expect(String(decoding: svg, as: UTF8.self).contains("<svg"))
    }

    @Test("a child has several guardians, one of them primary")
    func guardians() async throws {
        let home = try await ClientFamily(LiveServer.shared())
        let (pat, ada) = (try await home.member(home.parent), try await home.member(home.admin))
        let child = try await home.parent.hearth.addManagedMember(named: "Max")
        #expect(child.guardians.map(\.userID) == [pat.userID] && child.guardians[0].isPrimary)
        let both = try await home.parent.hearth.addGuardian(ada.id, of: child.id)
        #expect(both.guardians.map(\.displayName) == ["Pat", "Ada"])
        #expect(both.guardians[1].memberID == ada.id && both.guardians[1].since != nil)
        let changed = try await home.parent.hearth.makePrimaryGuardian(ada.id, of: child.id)
        #expect(changed.guardianID == ada.userID && changed.guardians[0].userID == ada.userID)
        try await home.parent.hearth.declineGuardianship(of: child.id)
        try await home.admin.hearth.addGuardian(pat.id, of: child.id)
        let one = try await home.admin.hearth.removeGuardian(pat.id, of: child.id)
        #expect(one.guardians.map(\.userID) == [ada.userID])
    }

    @Test("the audit log is read page by page")
    func audit() async throws {
        let home = try await ClientFamily(LiveServer.shared())
        let first = try await home.admin.hearth.auditTrail(of: home.family.id, limit: 2)
        #expect(first.elements.count == 2)
        let cursor = try #require(first.nextCursor)
        let second = try await home.admin.hearth.auditTrail(after: cursor, limit: 100)
        let all = first.elements + second.elements
        #expect(second.nextCursor == nil && Set(all.map(\.id)).count == all.count)
        #expect(all.contains { $0.action == "family.create" && $0.at != nil })
    }

    @Test("every path of a typed call is the path of a route")
    func paths() throws {
        let folder = SourceTree.root.appendingPathComponent("Sources/Client/HearthClient/Calls")
        var sources = ""
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where file.hasSuffix(".swift") {
            sources += try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        }
        // Interpolations as the calls write them: `\(id.inPath)` for `:id`, and the image's
        // extension.
        let written = try Regex(#"\\\((?:[^()]|\([^()]*\))*\)"#)
        let parameter = try Regex(":[A-Za-z]+")
        let routes: Set<String> = Set(
            Routes.table.map { endpoint in
                "\(endpoint.pattern)".replacing(parameter, with: ":")
            })
        let paths = sources.split(separator: "\"").map { String($0).replacing(written, with: ":") }
            .filter { $0.hasPrefix("/api/") || $0.hasPrefix("/groups/") }
        #expect(paths.count > 30)
        for path in paths where path != "/api/family/:/qr.:" {
            #expect(routes.contains(path), "\(path)")
        }
    }
}
