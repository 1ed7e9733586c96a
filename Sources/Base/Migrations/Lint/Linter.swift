/// Holds files that are to run against the rules of `plan`.
struct Linter {
    private let configuration: FolderConfiguration
    private let sizes: TableSizes?
    private var newTables: Set<QualifiedName> = []
    private var tenantTables: [TenantTable] = []
    private(set) var findings: [Place: [LintFinding]] = [:]

    /// A statement of a file; statements count from 0.
    struct Place: Hashable {
        let file: String
        let statement: Int
    }

    /// A table of a tenant schema that the files make, and how far they guard it.
    private struct TenantTable {
        let name: QualifiedName
        let place: Place
        let line: Int
        let isAllowed: Bool
        var isEnabled = false
        var isForced = false
    }

    init(_ configuration: FolderConfiguration, sizes: TableSizes?) {
        self.configuration = configuration
        self.sizes = sizes
    }

    /// Looks at a file. Files are to be given in the order in which they would run.
    mutating func look(at script: Script, file: String) {
        let trees = Linter.trees(of: script)
        for (index, statement) in script.statements.enumerated() {
            var facts = trees[index].map { FactReader.facts(of: $0) } ?? []
            if !script.isTransactional { facts += Linter.factsOfRunning(statement) }
            if index == 0, !script.isTransactional, script.couldBeTransactional {
                facts.append(.needsNoFileWithoutTransaction(file))
            }
            facts += script.allowances.filter { $0.statement == index }
                .filter { allowance in !LintRule.all.contains { $0.name == allowance.rule } }
                .map { .allowsUnknownRule($0.rule) }
            for fact in facts {
                note(fact, statement, index, script, file)
                judge(fact, statement, index, script, file)
                forget(fact)
            }
        }
    }

    /// Looks at what the files together leave behind. To be called after the last.
    mutating func finish() {
        for table in tenantTables where !(table.isEnabled && table.isForced || table.isAllowed) {
            let context = self.context(isTransactional: true)
            for rule in LintRule.all {
                guard let object = rule.finds(.leavesUnguarded(table.name), context) else {
                    continue
                }
                findings[table.place, default: []].append(
                    LintFinding(rule, object, file: table.place.file, line: table.line))
            }
        }
    }

    private mutating func judge(
        _ fact: Fact, _ statement: SQLStatement, _ index: Int, _ script: Script, _ file: String
    ) {
        let context = self.context(isTransactional: script.isTransactional)
        for rule in LintRule.all where !script.allows(rule.name, at: index) {
            guard let object = rule.finds(fact, context) else { continue }
            findings[Place(file: file, statement: index), default: []].append(
                LintFinding(rule, object, file: file, line: statement.line))
        }
    }

    private func context(isTransactional: Bool) -> LintContext {
        LintContext(
            configuration: configuration, isTransactional: isTransactional, newTables: newTables,
            sizes: sizes)
    }

    private mutating func note(
        _ fact: Fact, _ statement: SQLStatement, _ index: Int, _ script: Script, _ file: String
    ) {
        switch fact {
        case .createsTable(let name, let ifMissing):
            // Where no database is asked, it may have been there.
            let isNew = !ifMissing || sizes.map { $0.size(of: name) == nil } ?? false
            if isNew { newTables.insert(name) }
            guard let schema = name.schema, configuration.tenantSchemas.contains(schema),
                configuration.tenantTableExceptions[name.description] == nil
            else { return }
            tenantTables.append(
                TenantTable(
                    name: name, place: Place(file: file, statement: index), line: statement.line,
                    isAllowed: script.allows(LintRule.unguardedTable, at: index)))
        case .setsRowSecurity(let name, let setting):
            for index in tenantTables.indices where tenantTables[index].name.mayBe(name) {
                switch setting {
                case .enabled: tenantTables[index].isEnabled = true
                case .disabled: tenantTables[index].isEnabled = false
                case .forced: tenantTables[index].isForced = true
                case .notForced: tenantTables[index].isForced = false
                }
            }
        case .dropsTables(let names):
            tenantTables.removeAll { table in names.contains { $0.mayBe(table.name) } }
        default: return
        }
    }

    /// Removes renamed and dropped tables from the known new ones, because another table may use
    /// their names from now on.
    private mutating func forget(_ fact: Fact) {
        switch fact {
        case .movesTable(let name, let newName):
            let wasNew = newTables.contains { $0.mayBe(name) }
            newTables = newTables.filter { !$0.mayBe(name) && !$0.mayBe(newName) }
            if wasNew { newTables.insert(newName) }
        case .dropsTables(let names):
            newTables = newTables.filter { table in !names.contains { $0.mayBe(table) } }
        default: return
        }
    }

    /// The tree of each statement; nil where the parser doesn't understand the file.
    private static func trees(of script: Script) -> [Node?] {
        let parsed = script.syntaxProblem == nil ? try? PgQuery.trees(in: script.text) : nil
        return script.statements.map { statement in
            parsed?.first { $0.range.contains(statement.range.lowerBound) }
                .map { Node(value: $0.tree) }
        }
    }

    /// The facts of how a statement of a no-transaction file runs.
    private static func factsOfRunning(_ statement: SQLStatement) -> [Fact] {
        guard Execution(of: statement) == .alone(.again), let verb = statement.terms.first?.text,
            verb == "CALL" || verb == "DO"
        else { return [] }
        return [.mayRunTwice(verb)]
    }
}

extension Script {
    /// Whether the file silences a rule for a statement.
    fileprivate func allows(_ rule: String, at statement: Int) -> Bool {
        allowances.contains { $0.rule == rule && $0.statement == statement }
    }

    /// Whether no statement keeps the file from running in a transaction.
    fileprivate var couldBeTransactional: Bool {
        statements.allSatisfy { statement in
            if case .alone = Execution(of: statement) { false } else { true }
        }
    }
}

extension LintFinding {
    fileprivate init(_ rule: LintRule, _ object: String, file: String, line: Int) {
        self.rule = rule.name
        subject = rule.subject.rawValue
        self.file = file
        self.line = line
        self.object = object
        what = rule.what
        why = rule.why
        safer = rule.safer
    }
}
