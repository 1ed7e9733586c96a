/// A difference between what the migrations created and what a database contains, one per cause.
package struct DefinitionDifference: Sendable, Equatable {
    /// The kinds of differences.
    package enum Kind: String, Sendable {
        /// `missing`: not in the database. `changed`: in the database, but different. `surplus`: in
        /// the database, although the migrations created nothing of this name.
        case missing, changed, surplus
    }

    /// The definition that the migrations created; nil if they created nothing of this name.
    package let expected: Definition?
    /// The database's definition; nil if it has none.
    package let found: Definition?
    /// Number of further definitions that differ for the same reason.
    package let consequences: Int
    /// Name of the partitioned table that a surplus table may have been a partition of.
    package var formerTable: String?

    /// The missing, changed or surplus object.
    package var subject: Definition {
        guard let subject = expected ?? found else {
            preconditionFailure("a difference has at least one definition")
        }
        return subject
    }

    /// The kind of difference.
    package var kind: Kind { expected == nil ? .surplus : found == nil ? .missing : .changed }

    /// One sentence, with both texts if they are short enough to compare by eye.
    package var message: String {
        switch (expected, found) {
        case (let expected?, let found?): changed(expected, found)
        case (let expected?, nil):
            expected.kind == .firing
                ? "\(expected.object): has the default, but the migrations changed it with: "
                    + "\(expected.statement)"
                : "\(expected.object) is missing\(consequencesInWords)"
        case (nil, let found?):
            switch found.kind {
            case .firing: "\(found.object): changed with: \(found.statement)\(consequencesInWords)"
            case .schema, .table, .column, .sequence, .type:
                "\(found.object) exists, but no migration made it"
            default:
                "\(found.object) exists, but no migration made it: \(found.statement)"
            }
        case (nil, nil): ""
        }
    }

    private var consequencesInWords: String {
        consequences == 0 ? "" : ", together with \(consequences) objects that belong to it"
    }

    private func changed(_ expected: Definition, _ found: Definition) -> String {
        let expectedLines = expected.statement.split(
            separator: "\n", omittingEmptySubsequences: false)
        let foundLines = found.statement.split(separator: "\n", omittingEmptySubsequences: false)
        if expectedLines.count == 1, foundLines.count == 1 {
            return "\(expected.object): expected: \(expectedLines[0]); but it is: \(foundLines[0])"
        }
        let index = zip(expectedLines, foundLines).prefix { $0 == $1 }.count
        func line(_ lines: [Substring]) -> String {
            lines.indices.contains(index)
                ? lines[index].trimmingPrefix { $0 == " " }.description : "(the end)"
        }
        return
            "\(expected.object): changed: line \(index + 1) of its text is `\(line(foundLines))` "
            + "instead of `\(line(expectedLines))`"
    }
}

extension [DefinitionDifference] {
    /// Compares two sets of definitions printed by the same server.
    ///
    /// Parts of a missing or surplus object are not reported separately. The differences are in an
    /// order in which their remedies can be applied.
    package init(expected: [Definition], found: [Definition]) {
        let expectedByObject = Dictionary(expected.map { ($0.object, $0) }) { first, _ in first }
        let foundByObject = Dictionary(found.map { ($0.object, $0) }) { first, _ in first }
        let differing = Set(expectedByObject.keys).union(foundByObject.keys).filter { object in
            guard let expected = expectedByObject[object], let found = foundByObject[object] else {
                return true
            }
            return !expected.isEquivalent(to: found)
        }
        var causes: [String: Int] = [:]
        for object in differing {
            let subject = expectedByObject[object] ?? foundByObject[object]
            guard let subject else { continue }
            let cause = Self.causes(of: subject).last { cause in
                differing.contains(cause)
                    && (expectedByObject[cause] == nil || foundByObject[cause] == nil)
            }
            if let cause { causes[cause, default: 0] += 1 } else { causes[object, default: 0] += 0 }
        }
        // A cause may itself be a consequence, such as a table in a missing schema.
        let roots = causes.keys.filter { object in
            guard let subject = expectedByObject[object] ?? foundByObject[object] else {
                return false
            }
            return !Self.causes(of: subject).contains { cause in
                differing.contains(cause)
                    && (expectedByObject[cause] == nil || foundByObject[cause] == nil)
            }
        }
        self = Self.ordered(
            roots.map { object in
                DefinitionDifference(
                    expected: expectedByObject[object], found: foundByObject[object],
                    consequences: causes[object] ?? 0,
                    formerTable: expectedByObject[object] == nil
                        ? foundByObject[object].flatMap {
                            Self.formerTable(of: $0, among: expected)
                        } : nil)
            })
    }

    private static func formerTable(
        of surplus: Definition, among expected: [Definition]
    ) -> String? {
        guard surplus.kind == .table else { return nil }
        return expected.first {
            $0.kind == .table && $0.statement.contains(" PARTITION BY ")
                && surplus.name.hasPrefix($0.name + "_")
        }?.name
    }

    /// Returns the differences that would explain a missing or surplus object.
    private static func causes(of subject: Definition) -> [String] {
        guard let parent = subject.parent else {
            return subject.kind == .owner ? [subject.name] : []
        }
        if subject.kind == .owner { return [subject.name, "schema \(parent)"] }
        if !subject.isPart { return ["schema \(parent)"] }
        let owners = ["table \(parent)", "view \(parent)"]
        switch subject.kind {
        case .notNull, .defaultValue: return ["column \(subject.name) on \(parent)"] + owners
        // Disabling all triggers of a table disables its own triggers too.
        case .firing where subject.name != "*":
            return [
                "triggers of foreign keys on \(parent)", "trigger \(subject.name) on \(parent)",
            ]
                + owners
        default: return owners
        }
    }

    private static func ordered(_ differences: [DefinitionDifference]) -> [DefinitionDifference] {
        let sorted = differences.sorted {
            ($0.rank, $0.subject.object) < ($1.rank, $1.subject.object)
        }
        // Objects that depend on another missing object come after it.
        let missing = sorted.filter { $0.found == nil }
        var inserted: Set<String> = []
        var result: [DefinitionDifference] = []
        func insert(_ difference: DefinitionDifference) {
            guard inserted.insert(difference.subject.object).inserted else { return }
            let text = difference.subject.statement
            for other in missing
            where other.rank == difference.rank && text.contains(other.subject.bareName) {
                insert(other)
            }
            result.append(difference)
        }
        for difference in sorted { insert(difference) }
        return result
    }
}

extension DefinitionDifference {
    /// Position in the order of remedies: removals before creations, and objects that others depend
    /// on first.
    fileprivate var rank: Int {
        let kinds = Definition.Kind.allCases
        let index = kinds.firstIndex(of: subject.kind) ?? kinds.count
        // A foreign key comes after the key that it refers to.
        let isReference = subject.kind == .constraint && subject.statement.contains(" FOREIGN KEY ")
        return (expected == nil ? 0 : 100) + (isReference ? kinds.count : index)
    }
}

extension Definition {
    /// Whether the other definition means the same.
    package func isEquivalent(to other: Definition) -> Bool {
        statement == other.statement
            || CanonicalWords.of(statement) == CanonicalWords.of(other.statement)
    }

    /// The name without a function's parameters.
    fileprivate var bareName: String { String(name.prefix { $0 != "(" }) }
}
