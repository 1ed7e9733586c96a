import Postgres
import Basics

/// Applies repeatable files, all in one transaction that also records them in the ledger.
///
/// Functions are created twice: first without checking their bodies, so that they may refer to each
/// other in any order, and then with checks. Code that PostgreSQL checks at once (views, bodies
/// with BEGIN ATOMIC and RETURN, defaults of arguments) may only refer to objects above it. Drops
/// run last, when nothing refers to the old objects any more.
struct RepeatableRun {
    let session: Session
    let attempts: Attempts
    /// Wrapper around each statement, which can observe its effects.
    var wrapper: StatementWrapper = { _, _, body throws(PostgresError) in try body() }

    typealias StatementWrapper = (
        RepeatableFile, SQLStatement, () throws(PostgresError) -> Void
    ) throws(PostgresError) -> Void

    /// Position of the running statement.
    private struct RunningStatement {
        let file: RepeatableFile
        let statement: SQLStatement

        /// Returns the line in which an error of the statement arose.
        func line(of error: PostgresError) -> Int {
            guard let position = error.server?.position, position > 0,
                let text = try? SourceText(statement.text)
            else { return statement.line }
            let offset = statement.range.lowerBound + text.byteOffset(ofCharacter: position)
            return file.script.text.line(at: offset)
        }
    }

    /// The applied files, and the duration of each.
    struct Outcome {
        var milliseconds: [(file: RepeatableFile, milliseconds: Double)] = []
    }

    /// Applies the files that are due, in one transaction. If this throws, none of them has taken
    /// effect, unless the error is about the COMMIT.
    func apply(
        _ due: [RepeatableFile], _ state: RepeatableState
    ) throws(MigrationError) -> Outcome {
        var outcome = Outcome()
        var running: RunningStatement?
        var refusal: MigrationError?
        let label = due.isEmpty ? "repeatable files" : due.map(\.path).abbreviated
        try attempts.run(label, file: label) { () throws(PostgresError) in
            (outcome, running, refusal) = (Outcome(), nil, nil)
            try session.reset()
            do throws(PostgresError) {
                try session.run("BEGIN; SET LOCAL check_function_bodies = off")
                var created = CreatedObjects(state, due)
                for file in due {
                    let start = MonotonicClock.nanoseconds()
                    for statement in file.script.statements
                    where RepeatableDrop(of: statement) == nil {
                        running = RunningStatement(file: file, statement: statement)
                        try wrapper(file, statement) { () throws(PostgresError) in
                            try session.run(statement.text)
                        }
                    }
                    running = nil
                    let problem = created.record(
                        file,
                        try withCanonicalSettings { (catalogue) throws(PostgresError) in
                            try catalogue.changedObjects()
                        })
                    refusal = refusal ?? problem
                    let milliseconds = MonotonicClock.seconds(since: start) * 1e3
                    outcome.milliseconds.append((file, milliseconds))
                }
                if refusal != nil { return session.rollBack() }
                try session.run("SET LOCAL check_function_bodies = on")
                for file in due {
                    for made in RepeatableRules.created(by: file.script)
                    where made.object.kind == .function {
                        running = RunningStatement(file: file, statement: made.statement)
                        try session.run(made.statement.text)
                    }
                }
                try session.run("SET LOCAL client_min_messages = warning")
                for file in due {
                    for (_, statement) in RepeatableDrop.all(in: file.script) {
                        running = RunningStatement(file: file, statement: statement)
                        try wrapper(file, statement) { () throws(PostgresError) in
                            try session.run(statement.text)
                        }
                        refusal = created.refusal(
                            ofDropAt: "\(file.path):\(statement.line)",
                            missing: try withCanonicalSettings {
                                (catalogue) throws(PostgresError) in
                                try catalogue.missing(of: created.existing)
                            })
                        if refusal != nil { return session.rollBack() }
                    }
                }
                running = nil
                try finish(due, created, outcome, state)
            } catch {
                session.rollBack()
                throw error
            }
        } explain: { error, blockers in
            RepeatableRun.explained(error, label, running, blockers)
        }
        if let refusal { throw refusal }
        return outcome
    }

    private func withCanonicalSettings<Result>(
        _ body: (RepeatableCatalogue) throws(PostgresError) -> Result
    ) throws(PostgresError) -> Result {
        // The settings apply only to this query; later statements use the session's own.
        try session.run("SAVEPOINT wording; \(RepeatableCatalogue.canonicalSettings)")
        let found = try body(RepeatableCatalogue(session))
        try session.run("ROLLBACK TO SAVEPOINT wording; RELEASE SAVEPOINT wording")
        return found
    }

    /// Reads back how the server understood the objects, records them, and commits.
    private func finish(
        _ due: [RepeatableFile], _ created: CreatedObjects, _ outcome: Outcome,
        _ state: RepeatableState
    ) throws(PostgresError) {
        let ledger = RepeatableLedger(session)
        try session.run("\(RepeatableCatalogue.canonicalSettings) \(session.localRoleScript)")
        let definitions = try RepeatableCatalogue(session).definitions(
            of: created.objects.map { ($0.kind, $0.identity) })
        var script = ledger.abandonScript(state.removedFiles + due.map(\.name)) + "\n"
        for object in created.objects {
            let definition = definitions["\(object.kind.rawValue) \(object.identity)"] ?? ""
            script +=
                ledger.insertScript(
                    object.kind, object.identity, file: object.file, definition: definition) + "\n"
        }
        for (file, milliseconds) in outcome.milliseconds {
            script += ledger.insertScript(file, milliseconds: milliseconds) + "\n"
        }
        script += RepeatableCatalogue(session).forgettingScript + "\n"
        try session.run(script + "COMMIT;")
    }

    // MARK: - Errors

    private static func explained(
        _ error: PostgresError, _ label: String, _ running: RunningStatement?, _ blockers: [String]
    ) -> MigrationError {
        let failure = MigrationError.statement(
            error, file: running?.file.path ?? label, line: running?.line(of: error),
            blockers: blockers)
        guard let remedy = remedy(for: error) else { return failure }
        return MigrationError(
            failure.code, failure.message, details: failure.details + [remedy], underlying: error)
    }

    private static func remedy(for error: PostgresError) -> String? {
        switch error.sqlState {
        case "42P13", "42P16":
            "CREATE OR REPLACE can't make this change. Drop the object, and everything that "
                + "depends on it, in a numbered file. Numbered files run first, and this file then "
                + "creates the object again."
        case "42883", "42P01", "42704", "42703":
            "A view, a body written with BEGIN ATOMIC or RETURN, or a default may only refer to "
                + "objects that exist already: created above it, in a file applied before (`-- "
                + "hearth: after FILE`), or by a numbered file."
        case "2BP01":
            "Change or drop what depends on it first: in a repeatable file, which runs before all "
                + "drops of repeatable files, or in a numbered one."
        case "42809":
            "An object of another kind (function, procedure, view or table) has that name: drop it "
                + "in a numbered file."
        default: nil
        }
    }
}

/// The objects that each file creates in a run.
private struct CreatedObjects {
    struct OwnedObject {
        let kind: CreatedObject.Kind
        let identity: String
        let file: String
    }

    private(set) var objects: [OwnedObject] = []
    private var recorded: Set<RepeatableCatalogue.ChangedObject> = []
    /// Objects of files that don't run now.
    private let otherObjects: [RepeatableObject]
    private let ownerFiles: [String: String]
    private let paths: [String: String]

    /// Creates the record. Objects of files that don't run now still belong to those files.
    init(_ state: RepeatableState, _ due: [RepeatableFile]) {
        let running = Set(due.map(\.name)).union(state.removedFiles)
        otherObjects = state.objects.filter { object in
            object.file.map { !running.contains($0) } ?? false
        }
        ownerFiles = Dictionary(otherObjects.map { ($0.identity, $0.file ?? "") }) { first, _ in
            first
        }
        paths = Dictionary(state.files.map { ($0.name, $0.path) }) { first, _ in first }
    }

    /// The objects that must exist after the run.
    var existing: [(kind: CreatedObject.Kind, identity: String)] {
        objects.map { ($0.kind, $0.identity) }
            + otherObjects.filter { $0.found != nil }.map { ($0.kind, $0.identity) }
    }

    /// Returns the reason why a drop is refused, if it removed objects of files.
    func refusal(ofDropAt location: String, missing: [String]) -> MigrationError? {
        if missing.isEmpty { return nil }
        return MigrationError(
            .refused, "a repeatable file may not drop what a repeatable file makes",
            details: missing.map { identity in
                let owner =
                    objects.first { $0.identity == identity }?.file ?? ownerFiles[identity] ?? ""
                return "\(location): drops \(identity), which \(paths[owner] ?? owner) makes"
            })
    }

    /// Records the objects that a file created or changed. Returns an error if one belongs to
    /// another file, because an object may be in one file only.
    mutating func record(
        _ file: RepeatableFile, _ changedObjects: Set<RepeatableCatalogue.ChangedObject>
    ) -> MigrationError? {
        let newObjects = changedObjects.subtracting(recorded)
        recorded.formUnion(changedObjects)
        let made = RepeatableRules.created(by: file.script)
        var problems: [String] = []
        for object in newObjects.sorted(by: { $0.identity < $1.identity }) {
            let owner = made.first { made in
                made.object.kind == object.kind
                    && made.object.name.name == object.name.name
                    && (object.kind == .trigger || made.object.name.mayBe(object.name))
            }
            let line = owner.map { ":\($0.statement.line)" } ?? ""
            let other =
                ownerFiles[object.identity]
                ?? objects.first { $0.identity == object.identity }?.file
            if let other {
                let path = paths[other] ?? other
                problems.append(
                    "\(file.path)\(line): \(object.identity) is also defined in \(path)")
            } else {
                objects.append(
                    OwnedObject(kind: object.kind, identity: object.identity, file: file.name))
            }
        }
        if problems.isEmpty { return nil }
        return MigrationError(
            .refused,
            "a function, view or trigger must be defined in one file only", details: problems)
    }
}
