extension FactReader {
    /// Returns the facts of ALTER TABLE, for each of its commands.
    static func alteration(_ body: Node) -> [Fact] {
        guard body["objtype"]?.string == "OBJECT_TABLE", let table = body["relation"]?.relation
        else { return [] }
        return body.list("cmds").compactMap { $0["AlterTableCmd"] }.flatMap { command in
            facts(of: command, on: table)
        }
    }

    private static func facts(of command: Node, on table: QualifiedName) -> [Fact] {
        let column = command["name"]?.string ?? ""
        switch command["subtype"]?.string {
        case "AT_AddColumn": return newColumn(command["def"]?["ColumnDef"], on: table)
        case "AT_AlterColumnType": return [.changesType(table, column: column)]
        case "AT_SetNotNull": return [.setsNotNull(table, column: column)]
        case "AT_DropColumn": return [.dropsColumn(table, column: column)]
        case "AT_AddConstraint":
            return constraint(command["def"]?["Constraint"]).map { [.addsConstraint(table, $0)] }
                ?? []
        case "AT_SetLogged": return [.rewrites(table, how: "SET LOGGED")]
        case "AT_SetUnLogged": return [.rewrites(table, how: "SET UNLOGGED")]
        case "AT_SetTableSpace": return [.rewrites(table, how: "SET TABLESPACE")]
        case "AT_SetAccessMethod": return [.rewrites(table, how: "SET ACCESS METHOD")]
        case "AT_AttachPartition":
            guard let partition = command["def"]?["PartitionCmd"]?["name"]?.relation else {
                return []
            }
            return [.attachesPartition(table, partition: partition)]
        case "AT_EnableRowSecurity": return [.setsRowSecurity(table, .enabled)]
        case "AT_ForceRowSecurity": return [.setsRowSecurity(table, .forced)]
        case "AT_DisableRowSecurity": return [.setsRowSecurity(table, .disabled)]
        case "AT_NoForceRowSecurity": return [.setsRowSecurity(table, .notForced)]
        default: return []
        }
    }

    private static func newColumn(_ definition: Node?, on table: QualifiedName) -> [Fact] {
        guard let definition, let name = definition["colname"]?.string else { return [] }
        let constraints = definition.list("constraints").compactMap { $0["Constraint"] }
        var facts: [Fact] = [
            .addsColumn(table, column: name, rewrite: rewrite(definition, constraints))
        ]
        let isNotNull = constraints.contains { $0["contype"]?.string == "CONSTR_NOTNULL" }
        if isNotNull, !hasValue(definition, constraints) {
            facts.append(.addsColumnWithoutValue(table, column: name))
        }
        // A constraint in the definition of a column counts as a constraint of the table.
        facts += constraints.compactMap(constraint).map { .addsConstraint(table, $0) }
        return facts
    }

    /// Returns the reason why a new column makes PostgreSQL rewrite every row; nil if it doesn't.
    private static func rewrite(_ definition: Node, _ constraints: [Node]) -> String? {
        let type = definition["typeName"]?["names"]?.qualifiedName?.name ?? ""
        if ["serial", "bigserial", "smallserial", "serial4", "serial8"].contains(type) {
            return "its sequence values (\(type))"
        }
        for constraint in constraints {
            switch constraint["contype"]?.string {
            case "CONSTR_GENERATED": return "its generated values"
            case "CONSTR_IDENTITY": return "its sequence values (IDENTITY)"
            case "CONSTR_DEFAULT":
                if constraint["raw_expr"]?.mayBeVolatile == true {
                    return "a default that may differ from row to row"
                }
            default: continue
            }
        }
        return nil
    }

    /// Whether existing rows get a value in the new column.
    private static func hasValue(_ definition: Node, _ constraints: [Node]) -> Bool {
        if rewrite(definition, constraints) != nil { return true }
        return constraints.contains { constraint in
            constraint["contype"]?.string == "CONSTR_DEFAULT"
                && constraint["raw_expr"]?["A_Const"]?["isnull"]?.isTrue != true
        }
    }

    private static func constraint(_ node: Node?) -> Fact.Constraint? {
        let kind: Fact.Constraint.Kind
        switch node?["contype"]?.string {
        case "CONSTR_CHECK": kind = .check
        case "CONSTR_FOREIGN": kind = .foreignKey
        case "CONSTR_UNIQUE": kind = .unique
        case "CONSTR_PRIMARY": kind = .primaryKey
        case "CONSTR_EXCLUSION": kind = .exclusion
        default: return nil
        }
        return Fact.Constraint(
            kind: kind, isValidated: node?["skip_validation"]?.isTrue != true,
            usesIndex: node?["indexname"] != nil, references: node?["pktable"]?.relation)
    }
}

extension Node {
    /// Whether an expression calls a function that isn't known to return the same value for every
    /// row of a statement.
    fileprivate var mayBeVolatile: Bool {
        contains("FuncCall") { call in
            let name = call["funcname"]?.qualifiedName?.name ?? ""
            return !Node.stableFunctions.contains(name)
        }
    }

    private static let stableFunctions: Set<String> = [
        "now", "transaction_timestamp", "statement_timestamp", "current_setting", "timezone",
        "date_trunc", "lower", "upper", "to_char", "to_timestamp", "make_interval", "make_date",
        "array_fill", "jsonb_build_object", "jsonb_build_array", "json_build_object",
        "json_build_array", "int4range", "int8range", "numrange", "tsrange", "tstzrange",
        "daterange", "md5", "length", "concat", "repeat", "txid_current", "pg_current_xact_id",
    ]
}
