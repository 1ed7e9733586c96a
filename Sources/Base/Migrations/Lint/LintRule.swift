/// A rule of `plan`: what it looks for, why that is a risk, and what to do instead.
struct LintRule: Sendable {
    /// What it protects.
    enum Subject: String, Sendable {
        /// Readers and writers who would have to wait.
        case locks
        /// Programs that run against the schema as it was.
        case compatibility
        /// Data.
        case data
        /// Tenants from one another.
        case security
        /// Resuming an interrupted run.
        case resumption
    }

    let name: String
    let subject: Subject
    let what: String
    let why: String
    let safer: String
    /// The name of the risky object in a fact; nil if the fact is harmless.
    let finds: @Sendable (Fact, LintContext) -> String?
}

/// A place where a rule finds fault.
package struct LintFinding: Sendable, Equatable {
    /// The rule's name.
    package let rule: String
    /// What the rule protects.
    package let subject: String
    /// The file's name.
    package let file: String
    /// The line of the statement, from 1.
    package let line: Int
    /// The object, such as a table.
    package let object: String
    /// The risk.
    package let what: String
    /// Why it hurts.
    package let why: String
    /// What to do instead.
    package let safer: String
}

extension LintFinding {
    /// For people, in two lines.
    package var lines: [String] {
        ["\(rule): \(what): \(object)", "\(why) Safer: \(safer)"]
    }
}

/// The context of a statement for the rules.
struct LintContext: Sendable {
    let configuration: FolderConfiguration
    let isTransactional: Bool
    /// What an earlier statement of the plan or file made, which nobody uses yet.
    var newNames = NewNames()
    /// The sizes of the database's tables; nil without a database.
    let sizes: TableSizes?

    /// The table and its number of rows, if a lock on it is disruptive; nil if it is new or known
    /// to be empty.
    func busy(_ table: QualifiedName) -> String? {
        if isNew(table) { return nil }
        guard let sizes else { return "\(table)" }
        guard let size = sizes.size(of: table) else { return "\(table)" }
        return size.isEmpty ? nil : "\(table) (\(size))"
    }

    /// Whether the plan makes the table.
    func isNew(_ table: QualifiedName) -> Bool { newNames.contain(table) }

    /// Whether an object may be in one of the schemas that the configuration guards. Without a
    /// schema it may be in any of the search path; and a configuration that names no schemas leaves
    /// open which are to be guarded.
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
    /// Whether both may name one object: where one has no schema, the names alone decide.
    func mayBe(_ other: QualifiedName) -> Bool {
        name == other.name && (schema == nil || other.schema == nil || schema == other.schema)
    }
}
