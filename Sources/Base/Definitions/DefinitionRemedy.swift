/// Remedy for a difference. It destroys nothing: surplus objects are moved to another schema, and
/// objects with data are never dropped.
package enum DefinitionRemedy: Sendable, Equatable {
    /// Statements for the owner of the migrations' objects, each without a semicolon.
    case statements([String])
    /// Statements that only a superuser may run, because no other role can enable or disable
    /// foreign keys.
    case superuserStatements([String])
    /// Statements that create an object again, to be run by the owner of its schema. The object's
    /// owner and grants must be set again afterwards.
    case creation([String])
    /// Advice, where a person must decide.
    case words(String)

    /// The schema to which objects that no migration created are moved.
    package static let quarantineSchema = "set_aside"

    /// Chooses the remedy for a difference.
    package init(_ difference: DefinitionDifference) {
        switch (difference.expected, difference.found) {
        case (let expected?, nil): self = Self.missing(expected)
        case (nil, let found?):
            self =
                difference.formerTable.map { Self.detached(found, from: $0) }
                ?? Self.surplus(found)
        case (let expected?, let found?): self = Self.changed(expected, found)
        case (nil, nil): preconditionFailure("a difference has at least one definition")
        }
    }

    private static func missing(_ expected: Definition) -> DefinitionRemedy {
        switch expected.kind {
        case .schema, .table, .column:
            .words(
                "restore it from a backup, because its content is lost; it was made by: "
                    + expected.statement)
        case .sequence, .type, .function, .view: .creation([expected.statement])
        case .firing where expected.name == "*", .owner: .superuserStatements([expected.statement])
        default: .statements([expected.statement])
        }
    }

    /// Advice for a table that may be a detached partition. If it were moved away, readers of the
    /// partitioned table would miss its rows.
    private static func detached(_ found: Definition, from table: String) -> DefinitionRemedy {
        .words(
            "if it was a partition of \(table), attach it again: ALTER TABLE \(table) ATTACH "
                + "PARTITION \(found.name), with its former bounds; or drop it, if it was detached "
                + "in order to be dropped")
    }

    private static func surplus(_ found: Definition) -> DefinitionRemedy {
        let (name, table) = (found.name, found.parent ?? "")
        switch found.kind {
        case .schema: return .words("check whether anything needs it; the migrations don't use it")
        case .column:
            return .words(
                "check whether its values are needed before you drop it; the migrations don't use "
                    + "it")
        case .type, .sequence, .table, .view, .function:
            return .statements([
                "CREATE SCHEMA IF NOT EXISTS \(quarantineSchema)",
                "ALTER \(found.sqlKind) \(name) SET SCHEMA \(quarantineSchema)",
            ])
        case .constraint: return .statements(["ALTER TABLE \(table) DROP CONSTRAINT \(name)"])
        case .index: return .statements(["DROP INDEX \(found.schemaOfParent).\(name)"])
        case .notNull:
            return .statements(["ALTER TABLE \(table) ALTER COLUMN \(name) DROP NOT NULL"])
        case .defaultValue:
            return .statements(["ALTER TABLE \(table) ALTER COLUMN \(name) DROP DEFAULT"])
        case .rule, .trigger, .policy:
            return .statements(["DROP \(found.sqlKind) \(name) ON \(table)"])
        case .owner: return .words("see the remedy for the object itself")
        case .firing:
            return name == "*"
                ? .superuserStatements(["ALTER TABLE \(table) ENABLE TRIGGER ALL"])
                : .statements(["ALTER TABLE \(table) ENABLE TRIGGER \(name)"])
        }
    }

    private static func changed(_ expected: Definition, _ found: Definition) -> DefinitionRemedy {
        let (name, table) = (expected.name, expected.parent ?? "")
        let statement = expected.statement
        switch expected.kind {
        case .constraint where expected.isCompletion(invalid: found),
            .index where expected.isCompletion(invalid: found):
            return .statements(["REINDEX INDEX \(expected.schemaOfParent).\(name)"])
        case .table
        where found.statement == statement.replacing("CREATE ", with: "CREATE UNLOGGED "):
            return .statements(["ALTER TABLE \(name) SET LOGGED"])
        case .schema, .type, .table, .column:
            return .words(
                "change it by hand, and preserve its values; it was made by: \(statement)")
        case .sequence:
            return .statements(["ALTER" + statement.trimmingPrefix("CREATE")])
        case .function, .view:
            if expected.canReplace(found) { return .statements([statement]) }
            return .creation(["DROP \(expected.sqlKind) \(name)", statement])
        case .constraint:
            let validated = String(found.statement.dropLast(" NOT VALID".count))
            if found.statement.hasSuffix(" NOT VALID"),
                expected.isEquivalent(
                    to: Definition(.constraint, name, parent: table, statement: validated))
            {
                return .statements(["ALTER TABLE \(table) VALIDATE CONSTRAINT \(name)"])
            }
            return .statements(["ALTER TABLE \(table) DROP CONSTRAINT \(name)", statement])
        case .index:
            return .statements(["DROP INDEX \(expected.schemaOfParent).\(name)", statement])
        case .rule, .trigger, .policy:
            return .statements(["DROP \(expected.sqlKind) \(name) ON \(table)", statement])
        case .notNull, .defaultValue: return .statements([statement])
        case .owner: return .superuserStatements([statement])
        case .firing:
            return name == "*" ? .superuserStatements([statement]) : .statements([statement])
        }
    }
}

extension Definition {
    /// The keyword of the object's kind in ALTER and DROP.
    package var sqlKind: String {
        switch kind {
        case .type: statement.hasPrefix("CREATE DOMAIN") ? "DOMAIN" : "TYPE"
        case .view: statement.hasPrefix("CREATE MATERIALIZED") ? "MATERIALIZED VIEW" : "VIEW"
        case .function: statement.hasPrefix("CREATE OR REPLACE PROC") ? "PROCEDURE" : "FUNCTION"
        default: kind.rawValue.uppercased()
        }
    }

    /// Whether the other definition is the same, except that its index is invalid and therefore
    /// enforces nothing.
    fileprivate func isCompletion(invalid found: Definition) -> Bool {
        let mark = " /* not valid */"
        return found.statement.hasSuffix(mark)
            && isEquivalent(
                to: Definition(
                    kind, name, parent: parent,
                    statement: String(found.statement.dropLast(mark.count))))
    }

    /// The schema of the table or view that the object belongs to.
    fileprivate var schemaOfParent: String {
        // A quoted name may contain a dot.
        guard let parent else { return "" }
        if parent.first != "\"" { return String(parent.prefix { $0 != "." }) }
        let parts = parent.dropFirst().split(
            separator: "\".", maxSplits: 1, omittingEmptySubsequences: false)
        return "\"\(parts.first ?? "")\""
    }

    /// Whether CREATE OR REPLACE can replace the other definition with this one. It can't change a
    /// function's arguments and result, or a view's columns.
    fileprivate func canReplace(_ other: Definition) -> Bool {
        func head(_ text: String) -> [Substring] {
            text.split(separator: "\n", maxSplits: 2).prefix(kind == .function ? 2 : 1)
                .map { $0.prefix(upTo: $0.firstRange(of: "*/")?.upperBound ?? $0.endIndex) }
        }
        return statement.hasPrefix("CREATE OR REPLACE")
            && head(statement) == head(other.statement)
    }
}
