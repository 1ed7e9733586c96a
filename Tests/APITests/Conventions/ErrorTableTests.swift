import Domain
import Foundation
import JSON
import TestSupport
import Testing

@Suite("The error table")
struct ErrorTableTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    /// All codes in the API's description.
    private func described() throws -> Set<String> {
        var codes = Set<String>()
        let paths = try site.exchange("GET", "/openapi.json").json["paths"]
        for path in try paths.object().members {
            let operations = try paths[path.name]
            for method in try operations.object().members {
                let responses = try operations[method.name]["responses"]
                for status in try responses.object().members where status.name >= "400" {
                    for code in try responses[status.name]["x-codes"].elements() {
                        codes.insert(try code.string())
                    }
                }
            }
        }
        return codes
    }

    @Test("every error code occurs in a test")
    func reached() throws {
        let folder = SourceTree.root.appendingPathComponent("Tests/APITests")
        var sources = ""
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where !file.hasSuffix("/ErrorTableTests.swift") && file.hasSuffix(".swift") {
            sources += try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        }
        let codes = try described()
        #expect(codes.count > 50)
        for code in codes.sorted() {
            #expect(sources.contains("\"\(code)\""), "\(code)")
        }
    }

    @Test("a problem has all members of RFC 9457 and the members that clients read")
    func members() throws {
        let answer = try site.person(.parent).get("/api/family/\(FamilyID.random())")
        let names = try answer.json.object().members.map(\.name)
        #expect(names == ["type", "title", "status", "detail", "code", "message", "requestId"])
        #expect(answer.text("type") == "urn:hearth:problem:family_not_found")
        #expect(answer.text("title") == "Not Found")
        #expect(try answer.json["status"].integer() == 404)
        #expect(answer.text("detail") == "Family not found.")
        #expect(answer.headers["content-type"] == "application/problem+json")
    }
}
