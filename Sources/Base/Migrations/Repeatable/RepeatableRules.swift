/// What may stand in a repeatable file: what can be applied again and again with the same end, and
/// is made by that file alone.
enum RepeatableRules {
    /// A statement that may not stand there, and why.
    struct Problem {
        let line: Int
        let message: String
    }

    /// A function, view or trigger that a statement makes.
    struct Made {
        let object: MadeObject
        let statement: SQLStatement
    }

    /// What the statements of a script make, in order.
    static func made(by script: Script) -> [Made] {
        script.statements.compactMap { statement in
            MadeObject(of: statement).map { Made(object: $0, statement: statement) }
        }
    }

    /// Every statement that may not stand in a repeatable file.
    static func broken(by script: Script) -> [Problem] {
        var problems: [Problem] = []
        if !script.isTransactional {
            problems.append(
                Problem(line: 1, message: "repeatable files run in one transaction, all together"))
        }
        if let down = script.sections.down {
            problems.append(
                Problem(line: down.line, message: "`\(down.marker)` has no meaning here"))
        }
        let names = made(by: script).map(\.object)
        for statement in script.statements {
            if let why = problem(statement, names) {
                problems.append(Problem(line: statement.line, message: why))
            }
        }
        return problems
    }

    private static func problem(_ statement: SQLStatement, _ made: [MadeObject]) -> String? {
        if MadeObject(of: statement) != nil { return nil }
        let words = statement.text.firstWords(50)
        if MadeObject(of: statement, isReplacing: false) != nil {
            return "`\(words)`: write CREATE OR REPLACE, since it is applied again and again"
        }
        if let targets = SubjectReader.subjects(of: statement) {
            let others = targets.filter { target in !made.contains { $0.name.mayBe(target) } }
            if others.isEmpty { return nil }
            let names = others.map(\.description).joined(separator: ", ")
            return "`\(words)`: \(names) is not made in this file; say it where that is made"
        }
        if statement.begins(with: "DROP") {
            return "`\(words)`: drop it in a numbered file, which runs before"
        }
        return
            "`\(words)`: only CREATE OR REPLACE of functions, procedures, views and triggers may "
            + "stand here, with COMMENT, GRANT, REVOKE and OWNER TO for those; all else belongs in "
            + "a numbered file"
    }
}

/// The kind and name of what a statement makes.
struct MadeObject {
    /// How the catalogue of the ledger tells them apart.
    enum Kind: String, Sendable {
        case function
        case view
        case trigger
    }

    let kind: Kind
    /// Of a trigger its own name, without its table's.
    let name: QualifiedName

    /// Reads `CREATE OR REPLACE FUNCTION name` and its like; nil for all else.
    ///
    /// - Parameter isReplacing: Whether OR REPLACE has to stand there.
    init?(of statement: SQLStatement, isReplacing: Bool = true) {
        var words = TermReader(statement.terms)
        guard words.next()?.isKeyword("CREATE") == true else { return nil }
        if isReplacing {
            guard statement.begins(with: "CREATE", "OR", "REPLACE") else { return nil }
        }
        words.skip("OR", "REPLACE", "RECURSIVE", "CONSTRAINT")
        switch words.next()?.text {
        case "FUNCTION", "PROCEDURE": kind = .function
        case "VIEW": kind = .view
        case "TRIGGER": kind = .trigger
        default: return nil
        }
        guard let name = words.name() else { return nil }
        self.name = name
    }
}
