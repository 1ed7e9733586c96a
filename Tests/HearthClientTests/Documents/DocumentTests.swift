import Foundation
import HearthClient
import TestSupport
import Testing

@Suite("docs/clients.md", .timeLimit(.minutes(10)))
struct DocumentTests {
    private static let source = "Tests/HearthClientTests/Documents/DocumentedCode.swift"

    @Test("docs/clients.md contains only code that is compiled")
    func compiled() throws {
        let code = try DocumentedCode(of: "docs/clients.md")
        let missing = try code.missing(from: Self.source)
        #expect(missing.isEmpty && code.count > 5, "\(missing.joined(separator: "\n\n"))")
    }

    @Test("the tutorial contains only code that is compiled, and each page shows its files")
    func tutorial() throws {
        let folder = "Sources/Client/HearthClient/HearthClient.docc"
        let names = try FileManager.default.contentsOfDirectory(
            atPath: SourceTree.root.appendingPathComponent(folder).path)
        let files = names.filter { $0.hasSuffix(".swift") }
        let pages = try names.filter { $0.hasSuffix(".tutorial") }.map {
            try String(
                contentsOf: SourceTree.root.appendingPathComponent("\(folder)/\($0)"),
                encoding: .utf8)
        }
        #expect(files.count > 5)
        for file in files {
            let missing = try DocumentedCode(of: "\(folder)/\(file)").missing(from: Self.source)
            #expect(missing.isEmpty, "\(file)")
            #expect(pages.contains { $0.contains("file: \"\(file)\"") }, "\(file)")
        }
    }

    @Test("every public declaration of HearthClient has a doc comment")
    func explained() throws {
        let folder = SourceTree.root.appendingPathComponent("Sources/Client")
        var count = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix(".swift") {
            let text = try String(
                contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            let lines = text.components(separatedBy: "\n")
                .map { $0.trimmingCharacters(in: .whitespaces) }
            for (index, line) in lines.enumerated()
            where line.hasPrefix("public ") && !line.hasPrefix("public import ") {
                let before = lines[..<index].last { !$0.hasPrefix("@") && !$0.hasPrefix("#") }
                count += 1
                #expect(before?.hasPrefix("///") == true, "\(path): \(line)")
            }
        }
        #expect(count > 500)
    }

    @Test("the code of docs/clients.md works from first to last line")
    func way() async throws {
        let server = try LiveServer.shared()
        let screen = Screen()
        let token = try server.token(
            id: UUID(), email: "\(UUID())@example.com", name: "Ada", role: .parent)
        let ada = screen.connect(server.url, Provider(token: token))
        let family = try await screen.first(ada)
        #expect(screen.shown == ["Ada Parent Admin"])

        let pat = try server.person(.parent, "Pat").hearth
        let code = try #require(family.code)
        try await screen.join(pat, " \(code.lowercased()) ")
        #expect(screen.shown.last == "Join The Terns, 1 members?")
        try await screen.joinOrShow(pat, try #require(FamilyCode(typed: code)))
        #expect(screen.shown.last == "dismissed")

        let link = try #require(try await ada.invite(.link, as: .parent).url)
        let aunt = try server.person(.parent, "Aunt").hearth
        try await screen.open(aunt, link)
        #expect(screen.shown.last == "Ada invites you to The Terns")
        #expect(try await aunt.families().map(\.id) == [family.id])

        let max = try await ada.addManagedMember(named: "Max")
        let session = try await screen.act(ada, family)
        #expect(!session.isActingAsManaged)
        #expect(
            try await ada.preferences(in: family.id, of: max.userID) == ["genres": ["comedy"]])
        #expect(try await screen.preview().profiles().map(\.displayName) == ["Ada", "Max"])
    }
}
