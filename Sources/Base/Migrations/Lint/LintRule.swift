/// A lint rule of `plan`: what it detects, why that is a risk, and what to do instead.
struct LintRule: Sendable {
    /// The subject that a rule protects.
    enum Subject: String, Sendable {
        /// Readers and writers, from waiting for a lock.
        case locks
        /// Running programs, which were built for the old schema.
        case compatibility
        /// Data, from loss.
        case data
        /// Isolation between tenants.
        case security
        /// Resuming an interrupted run.
        case resumption
    }

    let name: String
    let subject: Subject
    let detects: String
    let risk: String
    let advice: String
    /// Returns the name of the risky object in a fact; nil if the fact is harmless.
    let finds: @Sendable (Fact, LintContext) -> String?
}

/// A position at which a statement breaks a rule.
package struct LintFinding: Sendable, Equatable {
    /// The rule's name.
    package let rule: String
    /// Keyword for what the rule protects.
    package let subject: String
    /// The file's name.
    package let file: String
    /// The line of the statement, from 1.
    package let line: Int
    /// The object concerned, such as a table.
    package let object: String
    /// The risk.
    package let problem: String
    /// The reason why the statement is a risk.
    package let risk: String
    /// The safer alternative.
    package let advice: String
}

extension LintFinding {
    /// The finding for people, in two lines.
    package var lines: [String] {
        ["\(rule): \(problem): \(object)", "\(risk) Safer: \(advice)"]
    }
}

/// Context in which the rules check a statement.
struct LintContext: Sendable {
    let configuration: FolderConfiguration
    let isTransactional: Bool
    /// Tables and schemas that earlier statements create, which nobody uses yet.
    var newNames = NewNames()
    /// The sizes of the database's tables; nil without a database.
    let sizes: TableSizes?

    /// Returns the table and its number of rows if a lock on it is disruptive; nil if the table is
    /// new or known to be empty.
    func nonEmptyTable(_ table: QualifiedName) -> String? {
        if isNew(table) { return nil }
        guard let sizes else { return "\(table)" }
        guard let size = sizes.size(of: table) else { return "\(table)" }
        return size.isEmpty ? nil : "\(table) (\(size))"
    }

    /// Whether the plan creates the table.
    func isNew(_ table: QualifiedName) -> Bool { newNames.contain(table) }

    /// Whether an object may be in one of the schemas that the configuration guards. Without a
    /// schema, it may be in any schema of the search path. A configuration without schemas doesn't
    /// say which are guarded, so any may be.
    func mayBeGuarded(_ schema: String?, in schemas: [String]) -> Bool {
        if schemas.isEmpty { return true }
        if let schema { return schemas.contains(schema) }
        return newNames.searchPath.map { $0.contains(where: schemas.contains) } ?? true
    }

    func isTenantSchema(_ schema: String?) -> Bool {
        schema.map(configuration.tenantSchemas.contains) ?? false
    }
}

extension QualifiedName {
    /// Whether both names may refer to the same object. If one has no schema, only the names are
    /// compared.
    func mayBe(_ other: QualifiedName) -> Bool {
        name == other.name && (schema == nil || other.schema == nil || schema == other.schema)
    }
}
