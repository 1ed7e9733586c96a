/// Derives facts about a statement from its parse tree.
enum FactReader {
    /// Returns the facts of one statement.
    static func facts(of statement: Node) -> [Fact] {
        ownFacts(of: statement) + writesWithoutWhere(in: statement) + settings(of: statement)
    }

    private static func ownFacts(of statement: Node) -> [Fact] {
        guard let (kind, body) = statement.tagged else { return [] }
        switch kind {
        case "CreateStmt", "CreateTableAsStmt": return creation(kind, body)
        case "IndexStmt":
            return body["relation"]?.relation.map {
                [.createsIndex(on: $0, concurrently: body["concurrent"]?.isTrue == true)]
            } ?? []
        case "AlterTableStmt": return alteration(body)
        case "DropStmt": return drop(body)
        case "ReindexStmt": return reindex(body)
        case "RenameStmt": return rename(body)
        case "AlterObjectSchemaStmt":
            guard body["objectType"]?.string == "OBJECT_TABLE",
                let table = body["relation"]?.relation, let schema = body["newschema"]?.string
            else { return [] }
            return [.movesTable(table, to: QualifiedName(schema: schema, table.name))]
        case "TruncateStmt":
            return [.truncates(body.list("relations").compactMap { $0["RangeVar"]?.relation })]
        case "CreateSchemaStmt":
            guard let name = body["schemaname"]?.string, body["if_not_exists"]?.isTrue != true
            else { return [] }
            return [.createsSchema(name)]
        case "DropOwnedStmt": return [.dropsOwned(by: body.list("roles").map(role))]
        case "ClusterStmt":
            return body["relation"]?.relation.map { [.rewrites($0, how: "CLUSTER")] } ?? []
        case "VacuumStmt": return vacuum(body)
        case "LockStmt":
            return body.list("relations").compactMap { node in
                (node["RangeVar"]?.relation).map { .locksTable($0) }
            }
        case "CreatePolicyStmt": return policy(body)
        case "GrantStmt": return grant(body)
        case "CreateFunctionStmt": return function(body)
        case "AlterEnumStmt":
            guard body["newVal"] != nil, body["oldVal"] == nil else { return [] }
            return body["typeName"]?.qualifiedName.map { [.addsEnumValue($0)] } ?? []
        default: return []
        }
    }

    private static func creation(_ kind: String, _ body: Node) -> [Fact] {
        let relation = kind == "CreateStmt" ? body["relation"] : body["into"]?["rel"]
        let isTemporary = relation?["relpersistence"]?.string == "t"
        let isView = body["objtype"]?.string == "OBJECT_MATVIEW"
        guard let name = relation?.relation, !isTemporary, !isView else { return [] }
        return [.createsTable(name, ifMissing: body["if_not_exists"]?.isTrue == true)]
    }

    private static func drop(_ body: Node) -> [Fact] {
        let names = body.list("objects").compactMap { $0["List"]?["items"]?.qualifiedName }
        switch body["removeType"]?.string {
        case "OBJECT_INDEX":
            return [.dropsIndex(names, concurrently: body["concurrent"]?.isTrue == true)]
        case "OBJECT_TABLE": return [.dropsTables(names)]
        case "OBJECT_SCHEMA":
            let cascades = body["behavior"]?.string == "DROP_CASCADE"
            return [.dropsSchemas(body.list("objects").compactMap(\.name), cascades: cascades)]
        default: return []
        }
    }

    private static func reindex(_ body: Node) -> [Fact] {
        let isConcurrent = body.list("params").contains {
            $0["DefElem"]?["defname"]?.string == "concurrently"
        }
        let target = body["relation"]?.relation?.description ?? body["name"]?.string
        return [.reindexes(target ?? "the database", concurrently: isConcurrent)]
    }

    private static func rename(_ body: Node) -> [Fact] {
        if body["renameType"]?.string == "OBJECT_SCHEMA" {
            return body["subname"]?.string.map { [.renamesSchema($0)] } ?? []
        }
        guard let table = body["relation"]?.relation else { return [] }
        switch body["renameType"]?.string {
        case "OBJECT_TABLE":
            let name = QualifiedName(schema: table.schema, body["newname"]?.string ?? "")
            return [.renames(table, column: nil), .movesTable(table, to: name)]
        case "OBJECT_VIEW": return [.renames(table, column: nil)]
        case "OBJECT_COLUMN": return [.renames(table, column: body["subname"]?.string ?? "")]
        default: return []
        }
    }

    private static func vacuum(_ body: Node) -> [Fact] {
        let isFull = body.list("options").contains { $0["DefElem"]?["defname"]?.string == "full" }
        guard isFull else { return [] }
        return body.list("rels").compactMap { node in
            (node["VacuumRelation"]?["relation"]?.relation).map {
                .rewrites($0, how: "VACUUM FULL")
            }
        }
    }

    /// Returns UPDATE and DELETE without WHERE at any depth, including those in WITH and EXPLAIN.
    /// The body of a function, a rule or a prepared statement is left out, because it does not run
    /// yet.
    private static func writesWithoutWhere(in statement: Node) -> [Fact] {
        let later = ["CreateFunctionStmt", "RuleStmt", "PrepareStmt", "ViewStmt"]
        guard let kind = statement.tagged?.kind, !later.contains(kind) else { return [] }
        return statement.all(["UpdateStmt", "DeleteStmt"]).compactMap { kind, body in
            guard body["whereClause"] == nil, let table = body["relation"]?.relation else {
                return nil
            }
            return .writesEveryRow(table, verb: kind == "UpdateStmt" ? "UPDATE" : "DELETE")
        }
    }

    // MARK: - Privileges

    private static func role(_ node: Node) -> String {
        let role = node["RoleSpec"]
        if let name = role?["rolename"]?.string { return name }
        let isSession = role?["roletype"]?.string == "ROLESPEC_SESSION_USER"
        return isSession ? "session_user" : "current_user"
    }

    private static func isPublic(_ node: Node) -> Bool {
        node["RoleSpec"]?["roletype"]?.string == "ROLESPEC_PUBLIC"
    }

    private static func policy(_ body: Node) -> [Fact] {
        guard let table = body["table"]?.relation, body.list("roles").contains(where: isPublic)
        else { return [] }
        let name = body["policy_name"]?.string ?? ""
        return [.createsPolicyForPublic(table, policy: name)]
    }

    private static func grant(_ body: Node) -> [Fact] {
        // Objects of other kinds belong to no schema.
        let kinds = [
            "TABLE", "SEQUENCE", "FUNCTION", "PROCEDURE", "ROUTINE", "TYPE", "DOMAIN", "SCHEMA",
        ]
        guard body["is_grant"]?.isTrue == true, body.list("grantees").contains(where: isPublic),
            kinds.contains(where: { body["objtype"]?.string == "OBJECT_\($0)" })
        else { return [] }
        return body.list("objects").map { object in
            if let table = object["RangeVar"]?.relation {
                return .grantsToPublic(on: "\(table)", schema: table.schema)
            }
            if let function = object["ObjectWithArgs"]?["objname"]?.qualifiedName {
                return .grantsToPublic(on: "\(function)", schema: function.schema)
            }
            if let type = object["List"]?["items"]?.qualifiedName {
                return .grantsToPublic(on: "\(type)", schema: type.schema)
            }
            return .grantsToPublic(on: object.name ?? "an object", schema: object.name)
        }
    }

    private static func function(_ body: Node) -> [Fact] {
        let options = body.list("options").compactMap { $0["DefElem"] }
        let isDefiner = options.contains { option in
            option["defname"]?.string == "security"
                && option["arg"]?["Boolean"]?["boolval"]?.isTrue == true
        }
        let pins = options.contains { option in
            option["arg"]?["VariableSetStmt"]?["name"]?.string == "search_path"
        }
        guard isDefiner, let name = body["funcname"]?.qualifiedName else { return [] }
        return [.createsDefinerFunction(name, pinsSearchPath: pins)]
    }
}
