/// The tables and schemas that the files make, as far as names distinguish them from older ones.
///
/// A name without a schema means another table after another `SET search_path`. It is therefore
/// compared only with tables that were created without a schema under the same setting, and a name
/// with a schema only with those with that schema. If this leaves a doubt, the table is not new.
struct NewNames: Sendable {
    /// What decides which schema a name without one means.
    private struct Lookup: Hashable {
        var searchPath = Setting.initial
        var role = Setting.initial
    }

    /// A setting of the session.
    private enum Setting: Hashable {
        /// As every file begins.
        case initial
        case written([String])
        /// Something may have changed it: the number tells one such place from the others.
        case unknown(Int)
    }

    private struct Table: Hashable {
        let name: QualifiedName
        /// Only for a name without a schema.
        let lookup: Lookup?
    }

    private var lookup = Lookup()
    private var doubts = 0
    private var tables: Set<Table> = []
    private var schemas: Set<String> = []

    /// The schemas in which a name without one is looked for; nil if they are not known.
    var searchPath: [String]? {
        if case .written(let schemas) = lookup.searchPath { schemas } else { nil }
    }

    /// Whether the files made the table.
    func contain(_ table: QualifiedName) -> Bool { tables.contains(key(table)) }

    /// Whether the files made the schema.
    func containSchema(_ schema: String) -> Bool { schemas.contains(schema) }

    /// Every file starts with the settings that the session had at its start.
    mutating func beginFile() { lookup = Lookup() }

    mutating func insert(_ table: QualifiedName) { tables.insert(key(table)) }

    mutating func insertSchema(_ schema: String) { schemas.insert(schema) }

    /// Takes in what a statement did to names. To be called when it has been judged, because
    /// another object may have its names from now on.
    mutating func note(_ fact: Fact, isTransactional: Bool) {
        switch fact {
        case .movesTable(let name, let newName):
            let wasNew = contain(name)
            forget { $0.mayBe(name) || $0.mayBe(newName) }
            if wasNew { insert(newName) }
        case .dropsTables(let names):
            forget { table in names.contains { $0.mayBe(table) } }
        case .dropsSchemas(let names, _):
            schemas.subtract(names)
            forget { table in table.schema.map(names.contains) ?? true }
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

    private mutating func forget(_ isMeant: (QualifiedName) -> Bool) {
        tables = tables.filter { !isMeant($0.name) }
    }

    private mutating func doubt() -> Setting {
        doubts += 1
        return .unknown(doubts)
    }
}
