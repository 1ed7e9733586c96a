/// Something that a statement does, as the rules of `plan` see it.
enum Fact: Equatable {
    /// `ifMissing`: it may have been there before (IF NOT EXISTS).
    case createsTable(QualifiedName, ifMissing: Bool)
    case createsIndex(on: QualifiedName, concurrently: Bool)
    case dropsIndex([QualifiedName], concurrently: Bool)
    case reindexes(String, concurrently: Bool)
    case addsColumn(QualifiedName, column: String, rewrite: String?)
    /// NOT NULL, and nothing that gives the rows that are there a value.
    case addsColumnWithoutValue(QualifiedName, column: String)
    case changesType(QualifiedName, column: String)
    case setsNotNull(QualifiedName, column: String)
    case addsConstraint(QualifiedName, Constraint)
    case attachesPartition(QualifiedName, partition: QualifiedName)
    /// Rewrites the whole table: `how` is the command.
    case rewrites(QualifiedName, how: String)
    /// Without a column, the table or view itself.
    case renames(QualifiedName, column: String?)
    /// A table goes by another name, in the same schema or another.
    case movesTable(QualifiedName, to: QualifiedName)
    case dropsTables([QualifiedName])
    case createsSchema(String)
    case renamesSchema(String)
    case dropsSchemas([String], cascades: Bool)
    /// Everything that roles own.
    case dropsOwned(by: [String])
    case dropsColumn(QualifiedName, column: String)
    case truncates([QualifiedName])
    /// UPDATE or DELETE without WHERE.
    case writesEveryRow(QualifiedName, verb: String)
    case locksTable(QualifiedName)
    case setsRowSecurity(QualifiedName, RowSecurity)
    case createsPolicyForPublic(QualifiedName, policy: String)
    case grantsToPublic(on: String, schema: String?)
    /// The values as written; nil for those that the session had at its start.
    case sets(Setting, [String]?, isLocal: Bool)
    case resetsAll
    case maySetAnything
    case createsDefinerFunction(QualifiedName, pinsSearchPath: Bool)
    case addsEnumValue(QualifiedName)
    /// The files together leave a table of a tenant schema without forced row-level security.
    case leavesUnguarded(QualifiedName)
    /// The statement runs by itself, and again after a cut.
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

    /// A setting that decides what a name without a schema means.
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
