import Domain
import Foundation
import Postgres
import Repositories
import TestSupport
import Testing

/// What a statement says about the families whose rows it reads or writes, for a proxy that sends
/// each statement to the server of its family.
private enum Route: String, CaseIterable {
    /// A parameter is the family.
    case family = "the family"
    /// A parameter is a row of one family: a member, an invitation.
    case row = "a row of one family"
    /// A parameter is a person, a session or a sign-in, whose families may be several.
    case person = "a person"
    /// Nothing but the caller that the transaction has set, or a value that is looked up in all
    /// families: a code, an address, a due time.
    case nothing = "none of these"

    init(_ statement: DeclaredStatement) {
        let types = Set(statement.swiftParameterTypes)
        func takes<Entity>(_ entity: Entity.Type) -> Bool {
            !types.isDisjoint(with: [
                ObjectIdentifier(ID<Entity>.self), ObjectIdentifier(ID<Entity>?.self),
                ObjectIdentifier([ID<Entity>].self), ObjectIdentifier([ID<Entity>]?.self),
            ])
        }
        if takes(Family.self) {
            self = .family
        } else if takes(Member.self) || takes(Invitation.self) {
            self = .row
        } else if takes(User.self) || takes(SignInSession.self) {
            self = .person
        } else {
            self = .nothing
        }
    }
}

@Suite("Families that statements name")
struct FamilyRoutingTests {
    private static let statements = [
        ("requests and jobs", Catalogue.statements), ("operators", Catalogue.operatorStatements),
    ]

    /// The rows of the table in docs/scaling.md: a heading, and the number for each kind of
    /// statement.
    private static func documented() throws -> [String: [Int]] {
        let page = try String(
            contentsOf: SourceTree.root.appendingPathComponent("docs/scaling.md"), encoding: .utf8)
        var rows: [String: [Int]] = [:]
        for line in page.components(separatedBy: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let numbers = cells.dropFirst().prefix(2).compactMap { Int($0) }
            if numbers.count == 2 { rows[cells[0]] = numbers }
        }
        return rows
    }

    /// A new statement that names no family must be noticed: a proxy would send it to all servers.
    @Test(
        "docs/scaling.md has the current number of statements of each kind",
        arguments: Route.allCases)
    private func counted(route: Route) throws {
        let documented = try #require(try Self.documented()[route.rawValue])
        for (number, (kind, statements)) in zip(documented, Self.statements) {
            let found = statements.filter { Route($0) == route }
            #expect(
                found.count == number,
                """
                \(found.count) statements of \(kind) name \(route.rawValue): a new one should name \
                the family if it can. If it can't, correct the table in docs/scaling.md.
                \(found.map(\.text).joined(separator: "\n---\n"))
                """)
        }
    }

    @Test("each statement is counted once")
    func complete() throws {
        let documented = try Self.documented()
        for (index, (kind, statements)) in Self.statements.enumerated() {
            let sum = Route.allCases.reduce(0) { $0 + (documented[$1.rawValue]?[index] ?? 0) }
            #expect(sum == statements.count, "\(kind)")
        }
    }
}
