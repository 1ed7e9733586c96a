import Definitions

/// A function, view or trigger that a repeatable file made, as the ledger has it and as it is.
package struct RepeatableObject: Sendable, Equatable {
    /// What it is.
    let kind: MadeObject.Kind
    /// Its name as PostgreSQL writes it: `app.f(integer)`, `app.v`, `t ON app.u`.
    package let identity: String
    /// The file that makes it; nil where it stands in no file any more.
    package let file: String?
    /// What PostgreSQL understood when the file was applied; nil where a numbered file has changed
    /// or dropped it since, so that the file is to be applied again.
    let recorded: String?
    /// What PostgreSQL understands now; nil where it is gone.
    let found: String?
    /// The version of the server that worded `recorded`.
    let serverVersion: Int

    /// Whether it is what the file made, in whichever parentheses the server words it: a database
    /// that was restored from a dump is worded otherwise.
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

    /// The statement that drops it.
    package var drop: String {
        switch kind {
        case .function:
            let isProcedure = (found ?? recorded ?? "").hasPrefix("CREATE OR REPLACE PROCEDURE")
            return "DROP \(isProcedure ? "PROCEDURE" : "FUNCTION") \(identity);"
        case .view: return "DROP VIEW \(identity);"
        case .trigger: return "DROP TRIGGER \(identity);"
        }
    }
}
