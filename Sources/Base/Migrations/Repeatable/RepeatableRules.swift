/// Rules for repeatable files: they may contain only statements that can be applied repeatedly with
/// the same result, for objects that only this file creates.
enum RepeatableRules {
    /// A statement that is not allowed, and the reason.
    struct Problem {
        let line: Int
        let message: String
    }

    /// A function, view or trigger that a statement creates.
    struct Creation {
        let object: CreatedObject
        let statement: SQLStatement
    }

    /// Returns the objects that a script creates, in order.
    static func created(by script: Script) -> [Creation] {
        script.statements.compactMap { statement in
            CreatedObject(of: statement).map { Creation(object: $0, statement: statement) }
        }
    }

    /// Returns every statement that is not allowed in a repeatable file.
    static func violations(in script: Script) -> [Problem] {
        var problems: [Problem] = []
        if !script.isTransactional {
            problems.append(
                Problem(line: 1, message: "all repeatable files run in one transaction"))
        }
        if let down = script.sections.down {
            problems.append(
                Problem(line: down.line, message: "`\(down.marker)` has no meaning here"))
        }
        let names = created(by: script).map(\.object)
        for statement in script.statements {
            if let why = problem(statement, names) {
                problems.append(Problem(line: statement.line, message: why))
            }
        }
        return problems
    }

    private static func problem(_ statement: SQLStatement, _ created: [CreatedObject]) -> String? {
        if CreatedObject(of: statement) != nil { return nil }
        let words = statement.text.firstWords(50)
        if CreatedObject(of: statement, isReplacing: false) != nil {
            return "`\(words)`: write CREATE OR REPLACE, because the file is applied repeatedly"
        }
        if let targets = SubjectReader.subjects(of: statement) {
            let others = targets.filter { target in !created.contains { $0.name.mayBe(target) } }
            if others.isEmpty { return nil }
            let names = others.map(\.description).joined(separator: ", ")
            return "`\(words)`: \(names) is not created in this file; move the statement to the "
                + "file that creates it"
        }
        if let drop = RepeatableDrop(of: statement) {
            return drop.problem(in: created).map { "`\(words)`: \($0)" }
        }
        if statement.begins(with: "DROP") {
            return "`\(words)`: drop it in a numbered file, which runs before"
        }
        return
            "`\(words)`: only CREATE OR REPLACE of functions, procedures, views and triggers is "
            + "allowed here, with COMMENT, GRANT, REVOKE and OWNER TO for them, and DROP ... IF "
            + "EXISTS of others; put everything else into a numbered file"
    }
}

/// The kind and name of the object that a statement creates.
struct CreatedObject {
    /// The kinds of objects in the ledger.
    enum Kind: String, Sendable {
        case function
        case view
        case trigger
    }

    let kind: Kind
    /// The object's name. For a trigger, its own name without the table's.
    let name: QualifiedName
    /// The name as written, with a function's arguments or a trigger's table. Two statements with
    /// the same text create the same object, but the same object can also be written differently.
    let written: String

    /// Parses `CREATE OR REPLACE FUNCTION name` and similar statements; nil for all others.
    ///
    /// - Parameter isReplacing: Whether OR REPLACE is required.
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
        let name = words.name()
        guard let name else { return nil }
        self.name = name
        let others: [String] =
            switch kind {
            case .view: []
            case .function: words.parenthesised()
            case .trigger: words.name(behind: "ON").map { ["ON", $0.description] } ?? []
            }
        written = ([name.description] + others).joined(separator: " ")
    }
}
