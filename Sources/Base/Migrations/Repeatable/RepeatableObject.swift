import Definitions

/// A function, view or trigger that a repeatable file created, as recorded in the ledger and as it
/// is now.
package struct RepeatableObject: Sendable, Equatable {
    /// The kind of object.
    let kind: CreatedObject.Kind
    /// The name as PostgreSQL writes it: `app.f(integer)`, `app.v`, `t ON app.u`.
    package let identity: String
    /// The file that creates the object; nil if no file does any more.
    package let file: String?
    /// PostgreSQL's description when the file was applied; nil if a numbered file has changed or
    /// dropped the object since, so that the file must be applied again.
    let recorded: String?
    /// PostgreSQL's description now; nil if the object no longer exists.
    let found: String?
    /// Version of the server that printed `recorded`.
    let serverVersion: Int

    /// Whether the object is as the file created it. Redundant parentheses are ignored, because
    /// they differ in a database restored from a dump.
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

    /// A statement that drops the object and is allowed in a repeatable file.
    package var drop: String {
        switch kind {
        case .function:
            let isProcedure = (found ?? recorded ?? "").hasPrefix("CREATE OR REPLACE PROCEDURE")
            return "DROP \(isProcedure ? "PROCEDURE" : "FUNCTION") IF EXISTS \(identity);"
        case .view: return "DROP VIEW IF EXISTS \(identity);"
        case .trigger: return "DROP TRIGGER IF EXISTS \(identity);"
        }
    }

    /// Whether a name in a file may refer to this object. For a trigger, the table's name is left
    /// out.
    func mayHave(_ reference: QualifiedName) -> Bool {
        let ownName = kind == .trigger ? name.prefix { $0 != " " } : name[...]
        let text = reference.schema.map { "\($0).\(reference.name)" } ?? reference.name
        let plain = ownName.filter { $0 != "\"" }
        return plain == text || (reference.schema == nil && plain.hasSuffix("." + text))
    }
}
