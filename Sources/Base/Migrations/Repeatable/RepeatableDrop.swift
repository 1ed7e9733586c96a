/// A statement of a repeatable file that drops functions, procedures, views or triggers that no
/// file makes any more.
struct RepeatableDrop {
    /// Of which kind they are.
    let kind: MadeObject.Kind
    /// Their names, without arguments. Of a trigger its own, without its table's.
    let names: [QualifiedName]
    /// Whether nothing happens where they are not there.
    let isIfExists: Bool
    /// Whether what depends on them is dropped as well.
    let cascades: Bool

    /// Reads `DROP FUNCTION IF EXISTS name(arguments), ...` and its like; nil for all else.
    init?(of statement: SQLStatement) {
        var words = TermReader(statement.terms)
        guard words.next()?.isKeyword("DROP") == true else { return nil }
        switch words.next()?.text {
        case "FUNCTION", "PROCEDURE", "ROUTINE": kind = .function
        case "VIEW": kind = .view
        case "TRIGGER": kind = .trigger
        default: return nil
        }
        isIfExists = statement.terms.dropFirst(2).prefix(2).map(\.text) == ["IF", "EXISTS"]
        words.skip("IF", "EXISTS")
        guard let first = words.name() else { return nil }
        var (names, depth, cascades) = ([first], 0, false)
        while let term = words.next() {
            switch term.text {
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth == 0:
                guard let name = words.name() else { return nil }
                names.append(name)
            default: if depth == 0, term.isKeyword("CASCADE") { cascades = true }
            }
        }
        (self.names, self.cascades) = (names, cascades)
    }

    /// Those of a script, with their statements, in order.
    static func all(in script: Script) -> [(drop: RepeatableDrop, statement: SQLStatement)] {
        script.statements.compactMap { statement in
            RepeatableDrop(of: statement).map { ($0, statement) }
        }
    }

    /// Why it is not allowed in a file that makes these objects; nil if it is.
    func problem(in made: [MadeObject]) -> String? {
        if !isIfExists { return "write DROP ... IF EXISTS, because the file is applied repeatedly" }
        if cascades { return "name what depends on it in statements of their own, without CASCADE" }
        // Of functions of one name some may end; which these are is seen when they were dropped.
        let own = made.first { made in
            made.kind == kind && kind != .function && names.contains { made.name.mayBe($0) }
        }
        return own.map { "\($0.name) is created in this file" }
    }

    /// Whether it may drop this object of the ledger, by kind and name alone.
    func mayDrop(_ object: RepeatableObject) -> Bool {
        kind == object.kind && names.contains { object.mayHave($0) }
    }
}
