import Definitions

/// A function, view or trigger that a repeatable file made, as the ledger has it and as it is.
package struct RepeatableObject: Sendable, Equatable {
    /// What it is.
    let kind: MadeObject.Kind
    /// Its name as PostgreSQL writes it: `app.f(integer)`, `app.v`, `t ON app.u`.
    package let identity: String
    /// The file that creates it; nil if no file does any more.
    package let file: String?
    /// PostgreSQL's view when the file was applied; nil if a numbered file has changed or dropped
    /// it since, so that the file must be applied again.
    let recorded: String?
    /// PostgreSQL's view now; nil if it no longer exists.
    let found: String?
    /// The version of the server that printed `recorded`.
    let serverVersion: Int

    /// Whether it is as the file made it, ignoring redundant parentheses, which differ in a
    /// database restored from a dump.
    var isAsRecorded: Bool {
        guard let recorded, let found, recorded != found else { return recorded == found }
        return CanonicalWords.of(recorded) == CanonicalWords.of(found)
    }

    /// The name without arguments or table.
    var name: String {
        switch kind {
        case .function: String(identity.prefix { $0 != "(" })
        case .view: identity
        case .trigger: identity
        }
    }

    /// The statement of a repeatable file that drops it.
    package var drop: String {
        switch kind {
        case .function:
            let isProcedure = (found ?? recorded ?? "").hasPrefix("CREATE OR REPLACE PROCEDURE")
            return "DROP \(isProcedure ? "PROCEDURE" : "FUNCTION") IF EXISTS \(identity);"
        case .view: return "DROP VIEW IF EXISTS \(identity);"
        case .trigger: return "DROP TRIGGER IF EXISTS \(identity);"
        }
    }

    /// Whether a name in a file may be its own; of a trigger without its table's.
    func mayHave(_ given: QualifiedName) -> Bool {
        let own = kind == .trigger ? name.prefix { $0 != " " } : name[...]
        let text = given.schema.map { "\($0).\(given.name)" } ?? given.name
        let plain = own.filter { $0 != "\"" }
        return plain == text || (given.schema == nil && plain.hasSuffix("." + text))
    }
}
