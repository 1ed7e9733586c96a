/// A statement of a repeatable file that drops functions, procedures, views or triggers that no
/// file creates any more.
struct RepeatableDrop {
    /// The kind of the objects.
    let kind: CreatedObject.Kind
    /// The names without arguments. For a trigger, its own name without the table's.
    let names: [QualifiedName]
    /// Whether objects that don't exist are ignored (IF EXISTS).
    let isIfExists: Bool
    /// Whether dependent objects are dropped as well (CASCADE).
    let cascades: Bool

    /// Parses `DROP FUNCTION IF EXISTS name(arguments), ...` and similar statements; nil for all
    /// others.
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

    /// Returns the drops of a script with their statements, in order.
    static func all(in script: Script) -> [(drop: RepeatableDrop, statement: SQLStatement)] {
        script.statements.compactMap { statement in
            RepeatableDrop(of: statement).map { ($0, statement) }
        }
    }

    /// Returns the reason why the drop is not allowed in a file that creates these objects; nil if
    /// it is allowed.
    func problem(in made: [CreatedObject]) -> String? {
        if !isIfExists { return "write DROP ... IF EXISTS, because the file is applied repeatedly" }
        if cascades { return "name what depends on it in statements of their own, without CASCADE" }
        // Some of several functions with the same name may be dropped. Only after the drop is it
        // known which ones were.
        let own = made.first { made in
            made.kind == kind && kind != .function && names.contains { made.name.mayBe($0) }
        }
        return own.map { "\($0.name) is created in this file" }
    }

    /// Whether the statement may drop this object of the ledger, judging by kind and name only.
    func mayDrop(_ object: RepeatableObject) -> Bool {
        kind == object.kind && names.contains { object.mayHave($0) }
    }
}
