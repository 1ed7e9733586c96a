extension SQLStatement {
    /// Reason why the statement can't run in a transaction block; nil if it can.
    ///
    /// Source: the callers of `PreventInTransactionBlock` in PostgreSQL 15 to 18.
    package var cannotRunInTransaction: String? {
        guard let first = terms.first, first.kind == .word else { return nil }
        switch first.text {
        case "CREATE", "DROP": return creationOutsideTransaction(first.text)
        case "REINDEX":
            if mentions("CONCURRENTLY") { return "REINDEX CONCURRENTLY" }
            let kind = terms.first { ["DATABASE", "SYSTEM", "SCHEMA"].contains($0.text) }
            return kind.map { "REINDEX \($0.text)" }
        case "ALTER":
            if begins(with: "ALTER", "SYSTEM") { return "ALTER SYSTEM" }
            if begins(with: "ALTER", "DATABASE"), mentions("TABLESPACE") {
                return "ALTER DATABASE SET TABLESPACE"
            }
            if begins(with: "ALTER", "TABLE"), mentions("DETACH"), mentions("CONCURRENTLY") {
                return "DETACH PARTITION CONCURRENTLY"
            }
            if begins(with: "ALTER", "SUBSCRIPTION"), mentions("REFRESH") {
                return "ALTER SUBSCRIPTION REFRESH"
            }
            return nil
        case "VACUUM": return "VACUUM"
        case "CLUSTER" where terms.count == 1: return "CLUSTER of all tables"
        case "DO" where endsTransactionInBody: return "DO with COMMIT or ROLLBACK in its body"
        default: return nil
        }
    }

    private func creationOutsideTransaction(_ verb: String) -> String? {
        guard terms.count > 1 else { return nil }
        switch terms[1].text {
        case "INDEX", "UNIQUE":
            return mentions("CONCURRENTLY") ? "\(verb) INDEX CONCURRENTLY" : nil
        case "DATABASE", "TABLESPACE": return "\(verb) \(terms[1].text)"
        case "SUBSCRIPTION":
            let makesNoSlot = mentions("CREATE_SLOT") || mentions("CONNECT")
            return verb == "CREATE" && !makesNoSlot ? "CREATE SUBSCRIPTION" : nil
        default: return nil
        }
    }

    /// Whether the statement is a DO whose body commits or rolls back, so that it can't run in a
    /// transaction.
    package var endsTransactionInBody: Bool {
        guard begins(with: "DO") else { return false }
        return terms.contains { term in
            guard term.kind == .dollarQuoted || term.kind == .string else { return false }
            return DoBody(of: term.text).endsTransaction
        }
    }
}

/// The body of a DO block, parsed only to see whether it ends transactions.
private struct DoBody {
    let endsTransaction: Bool

    init(of literal: String) {
        let bytes = Array(literal.utf8)
        let quote = bytes.first == UInt8(ascii: "$") ? UInt8(ascii: "$") : UInt8(ascii: "'")
        let head = (bytes.dropFirst().firstIndex(of: quote) ?? 0) + 1
        let opening = quote == UInt8(ascii: "$") ? head : 1
        let inner = Array(bytes.dropFirst(opening).dropLast(opening))
        let meaningful = Scanner.scan(inner).tokens.filter { !$0.isComment }
        endsTransaction = zip(meaningful, meaningful.dropFirst()).contains { word, next in
            guard word.kind == .word, inner[next.range].elementsEqual([UInt8(ascii: ";")]) else {
                return false
            }
            let folded = inner[word.range].map(\.folded)
            return folded.elementsEqual("commit".utf8) || folded.elementsEqual("rollback".utf8)
        }
    }
}
