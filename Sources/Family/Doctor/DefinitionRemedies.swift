import Definitions
import Repositories
import UseCases

/// The remedy for a difference in definitions: the statements, and the role that may run them.
struct DefinitionRemedies {
    private let rights: RightsRemedies
    private let expected: [String]
    private let owners: (expected: [String: Substring], found: [String: Substring])

    /// - Parameters:
    ///   - expected: The lines of the release's list of rights.
    ///   - found: The database's roles and rights, as lines in the form of that list.
    init(_ rights: RightsRemedies, expected: [String], found: [String]) {
        func owners(_ lines: [String]) -> [String: Substring] {
            Dictionary(
                lines.compactMap(RightsRemedies.owned).map { ($0.object, $0.owner) }
            ) { first, _ in first }
        }
        self.rights = rights
        self.expected = expected
        self.owners = (owners(expected), owners(found))
    }

    func finding(_ difference: DefinitionDifference) -> Finding {
        if let part = DetachedPartition(difference) {
            return part.finding(role: rights.role(ofOwner: owners.found[difference.subject.name]))
        }
        return Finding(
            kind: "definition_\(difference.kind.rawValue)", message: difference.message,
            remedy: remedy(difference), keepsLineBreaks: difference.expected != nil)
    }

    /// Returns the faults in how a partition belongs to its table.
    func findings(_ part: FoundPartition) -> [Finding] {
        part.findings(role: rights.role(ofOwner: owners.found[part.name]))
    }

    /// Returns the differences in rights that result only from a missing or surplus object.
    static func lines(
        _ lines: [String], impliedBy differences: [DefinitionDifference]
    ) -> Set<String> {
        let names = Set(
            differences.filter { $0.kind != .changed && !$0.subject.isPart }
                .map { rightsName($0.subject) })
        // The remedy that creates an object again includes its grants.
        let made = Set(
            differences.filter { difference in
                if case .creation = DefinitionRemedy(difference) { true } else { false }
            }.map { rightsName($0.subject) })
        return Set(
            lines.filter { line in
                if let owned = RightsRemedies.owned(line) { return names.contains(owned.object) }
                guard line.hasPrefix("grant "), let object = RightsRemedies.object(of: line) else {
                    return false
                }
                return names.contains(object) || made.contains(object)
            })
    }

    private func remedy(_ difference: DefinitionDifference) -> String {
        let subject = difference.subject
        // The owner of an index or a constraint is that of its table.
        let name = subject.isPart ? subject.parent ?? "" : Self.rightsName(subject)
        let role = rights.role(ofOwner: owners.found[name])
        switch DefinitionRemedy(difference) {
        case .words(let words): return words
        case .statements(let statements): return "as \(role): \(Self.together(statements))"
        case .superuserStatements(let statements):
            return "as superuser: \(Self.together(statements))"
        case .creation(let statements):
            return creation(statements, name, subject, role)
        }
    }

    /// Creates an object again as its owner, with its grants.
    private func creation(
        _ statements: [String], _ name: String, _ subject: Definition, _ role: String
    ) -> String {
        let owner = owners.expected[name] ?? "hearth_owner"
        let grants = expected.filter { line in
            line.hasPrefix("grant ") && RightsRemedies.object(of: line) == name
        }.map(rights.granting)
        let make = statements.dropLast() + ["SET LOCAL ROLE hearth_owner", statements.last ?? ""]
        if owner == "hearth_owner" {
            return "as \(role): " + Self.together(make + grants)
        }
        let give = "ALTER \(subject.sqlKind) \(subject.name) OWNER TO \(owner)"
        return "as superuser: " + Self.together(make + ["RESET ROLE", give] + grants)
    }

    /// Joins statements into one transaction.
    private static func together(_ statements: some Collection<String>) -> String {
        statements.count == 1
            ? statements.first ?? ""
            : "BEGIN; " + statements.joined(separator: "; ") + "; COMMIT"
    }

    /// Returns the name of an object in the list of rights.
    private static func rightsName(_ subject: Definition) -> String {
        switch subject.kind {
        case .schema, .function: "\(subject.kind.rawValue) \(subject.name)"
        default: subject.name
        }
    }
}
