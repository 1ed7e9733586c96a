extension FactReader {
    /// Returns the changes that a statement makes to the settings that resolve unqualified names.
    static func settings(of statement: Node) -> [Fact] {
        guard let (kind, body) = statement.tagged else { return [] }
        switch kind {
        case "VariableSetStmt": return setting(body)
        case "DoStmt":
            let words = ["search_path", "set_config", "schema", "role", "authorization"]
            let text = body.list("args").compactMap {
                $0["DefElem"]?["arg"]?["String"]?["sval"]?.string?.foldedToLowerCase
            }.joined(separator: " ")
            return words.contains(where: text.contains) ? [.maySetAnything] : []
        case "CreateFunctionStmt": return []
        default:
            let mayBe = statement.contains("FuncCall") { call in
                guard call["funcname"]?.qualifiedName?.name == "set_config" else { return false }
                let name = call.list("args").first?["A_Const"]?["sval"]?["sval"]?.string
                return name.map { Fact.Setting($0) != nil } ?? true
            }
            return mayBe ? [.maySetAnything] : []
        }
    }

    private static func setting(_ body: Node) -> [Fact] {
        if body["kind"]?.string == "VAR_RESET_ALL" { return [.resetsAll] }
        guard let setting = body["name"]?.string.flatMap({ Fact.Setting($0) }) else { return [] }
        let isLocal = body["is_local"]?.isTrue == true
        switch body["kind"]?.string {
        case "VAR_SET_VALUE":
            let values = body.list("args").map { $0["A_Const"]?["sval"] }
            // The parser leaves out the text of an empty string.
            let texts = values.compactMap { $0.map { $0["sval"]?.string ?? "" } }
            guard texts.count == values.count else { return [.maySetAnything] }
            return [.sets(setting, texts, isLocal: isLocal)]
        case "VAR_SET_DEFAULT", "VAR_RESET": return [.sets(setting, nil, isLocal: isLocal)]
        case "VAR_SET_CURRENT": return []
        default: return [.maySetAnything]
        }
    }
}

extension Fact.Setting {
    fileprivate init?(_ name: String) {
        switch name.foldedToLowerCase {
        case "search_path": self = .searchPath
        case "role", "session_authorization": self = .role
        default: return nil
        }
    }
}
