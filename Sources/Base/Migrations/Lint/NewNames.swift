/// Tables and schemas that the files create, as far as names distinguish them from older ones.
///
/// An unqualified name refers to a different table after `SET search_path`. It is therefore
/// compared only with tables that were created unqualified under the same setting, and a qualified
/// name only with tables of that schema. In case of doubt, the table is not new.
struct NewNames: Sendable {
    /// The settings that decide which schema an unqualified name refers to.
    private struct Lookup: Hashable {
        var searchPath = Setting.initial
        var role = Setting.initial
    }

    /// Value of a session setting.
    private enum Setting: Hashable {
        /// The value at the start of every file.
        case initial
        case written([String])
        /// A value that may have changed. The number distinguishes one possible change from
        /// another.
        case unknown(Int)
    }

    private struct Table: Hashable {
        let name: QualifiedName
        /// The settings under which an unqualified name was created; nil for a qualified name.
        let lookup: Lookup?
    }

    private var lookup = Lookup()
    private var doubts = 0
    private var tables: Set<Table> = []
    private var schemas: Set<String> = []

    /// The schemas in which unqualified names are resolved; nil if they are unknown.
    var searchPath: [String]? {
        if case .written(let schemas) = lookup.searchPath { schemas } else { nil }
    }

    /// Whether the files created the table.
    func contain(_ table: QualifiedName) -> Bool { tables.contains(key(table)) }

    /// Whether the files created the schema.
    func containSchema(_ schema: String) -> Bool { schemas.contains(schema) }

    /// Starts a file: settings return to their values at the start of the session.
    mutating func beginFile() { lookup = Lookup() }

    mutating func insert(_ table: QualifiedName) { tables.insert(key(table)) }

    mutating func insertSchema(_ schema: String) { schemas.insert(schema) }

    /// Records how a statement affects names. Call it after checking the statement: from then on
    /// the names may belong to other objects.
    mutating func record(_ fact: Fact, isTransactional: Bool) {
        switch fact {
        case .movesTable(let name, let newName):
            let wasNew = contain(name)
            remove { $0.mayBe(name) || $0.mayBe(newName) }
            if wasNew { insert(newName) }
        case .dropsTables(let names):
            remove { table in names.contains { $0.mayBe(table) } }
        case .dropsSchemas(let names, _):
            schemas.subtract(names)
            remove { table in table.schema.map(names.contains) ?? true }
        case .renamesSchema:
            schemas = []
            tables = []
        case .dropsOwned:
            schemas = []
            tables = []
        case .sets(let setting, let values, let isLocal):
            // SET LOCAL lasts as long as its transaction.
            let isLost = isLocal && !isTransactional
            let value = isLost ? doubt() : values.map { .written($0) } ?? .initial
            if setting == .searchPath { lookup.searchPath = value } else { lookup.role = value }
        case .maySetAnything:
            lookup = Lookup(searchPath: doubt(), role: doubt())
        case .resetsAll: lookup.searchPath = .initial
        default: return
        }
    }

    private func key(_ table: QualifiedName) -> Table {
        Table(name: table, lookup: table.schema == nil ? lookup : nil)
    }

    private mutating func remove(where isRemoved: (QualifiedName) -> Bool) {
        tables = tables.filter { !isRemoved($0.name) }
    }

    private mutating func doubt() -> Setting {
        doubts += 1
        return .unknown(doubts)
    }
}
