/// An effect of a statement, as the rules of `plan` see it.
enum Fact: Equatable {
    /// Creates a table. `ifMissing`: the table may already have existed (IF NOT EXISTS).
    case createsTable(QualifiedName, ifMissing: Bool)
    case createsIndex(on: QualifiedName, concurrently: Bool)
    case dropsIndex([QualifiedName], concurrently: Bool)
    case reindexes(String, concurrently: Bool)
    case addsColumn(QualifiedName, column: String, rewrite: String?)
    /// Adds a NOT NULL column without a value for existing rows.
    case addsColumnWithoutValue(QualifiedName, column: String)
    case changesType(QualifiedName, column: String)
    case setsNotNull(QualifiedName, column: String)
    case addsConstraint(QualifiedName, Constraint)
    case attachesPartition(QualifiedName, partition: QualifiedName)
    /// Rewrites the whole table: `how` is the command.
    case rewrites(QualifiedName, how: String)
    /// Renames a column, or without a column the table or view itself.
    case renames(QualifiedName, column: String?)
    /// Renames a table or moves it to another schema.
    case movesTable(QualifiedName, to: QualifiedName)
    case dropsTables([QualifiedName])
    case createsSchema(String)
    case renamesSchema(String)
    case dropsSchemas([String], cascades: Bool)
    /// Drops everything that the roles own.
    case dropsOwned(by: [String])
    case dropsColumn(QualifiedName, column: String)
    case truncates([QualifiedName])
    /// Runs UPDATE or DELETE without WHERE.
    case writesEveryRow(QualifiedName, verb: String)
    case locksTable(QualifiedName)
    case setsRowSecurity(QualifiedName, RowSecurity)
    case createsPolicyForPublic(QualifiedName, policy: String)
    case grantsToPublic(on: String, schema: String?)
    /// Sets a session setting. The values are as written; nil for the session's initial values.
    case sets(Setting, [String]?, isLocal: Bool)
    case resetsAll
    case maySetAnything
    case createsDefinerFunction(QualifiedName, pinsSearchPath: Bool)
    case addsEnumValue(QualifiedName)
    /// All files together leave a table of a tenant schema without forced row-level security.
    case leavesUnguarded(QualifiedName)
    /// The statement runs outside a transaction, and runs again after an interruption.
    case mayRunTwice(String)
    case needsNoFileWithoutTransaction(String)
    case allowsUnknownRule(String)

    struct Constraint: Equatable {
        enum Kind: String {
            case check = "CHECK"
            case foreignKey = "FOREIGN KEY"
            case unique = "UNIQUE"
            case primaryKey = "PRIMARY KEY"
            case exclusion = "EXCLUDE"
        }

        let kind: Kind
        let isValidated: Bool
        let usesIndex: Bool
        let references: QualifiedName?
    }

    /// A setting that decides which schema an unqualified name refers to.
    enum Setting {
        case searchPath
        case role
    }

    enum RowSecurity {
        case enabled
        case forced
        case disabled
        case notForced
    }
}
