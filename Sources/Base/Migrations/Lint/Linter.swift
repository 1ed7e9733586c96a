/// Checks files that are about to run against the rules of `plan`.
struct Linter {
    private let configuration: FolderConfiguration
    private let sizes: TableSizes?
    private var newNames = NewNames()
    private var tenantTables: [TenantTable] = []
    private(set) var findings: [StatementPosition: [LintFinding]] = [:]

    /// Position of a statement in a file; statements are counted from 0.
    struct StatementPosition: Hashable {
        let file: String
        let statement: Int
    }

    /// A table of a tenant schema that the files create, and the protection they give it.
    private struct TenantTable {
        let name: QualifiedName
        let position: StatementPosition
        let line: Int
        let isAllowed: Bool
        var isEnabled = false
        var isForced = false
    }

    init(_ configuration: FolderConfiguration, sizes: TableSizes?) {
        self.configuration = configuration
        self.sizes = sizes
    }

    /// Checks a file. Files must be given in the order in which they would run.
    mutating func check(_ script: Script, file: String) {
        let trees = Linter.trees(of: script)
        newNames.beginFile()
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
                record(fact, statement, index, script, file)
                applyRules(fact, statement, index, script, file)
                newNames.record(fact, isTransactional: script.isTransactional)
            }
        }
    }

    /// Checks the result of all files together. Must be called after the last file.
    mutating func finish() {
        for table in tenantTables where !(table.isEnabled && table.isForced || table.isAllowed) {
            let context = self.context(isTransactional: true)
            for rule in LintRule.all {
                guard let object = rule.finds(.leavesUnguarded(table.name), context) else {
                    continue
                }
                findings[table.position, default: []].append(
                    LintFinding(rule, object, file: table.position.file, line: table.line))
            }
        }
    }

    private mutating func applyRules(
        _ fact: Fact, _ statement: SQLStatement, _ index: Int, _ script: Script, _ file: String
    ) {
        let context = self.context(isTransactional: script.isTransactional)
        for rule in LintRule.all where !script.allows(rule.name, at: index) {
            guard let object = rule.finds(fact, context) else { continue }
            findings[StatementPosition(file: file, statement: index), default: []].append(
                LintFinding(rule, object, file: file, line: statement.line))
        }
    }

    private func context(isTransactional: Bool) -> LintContext {
        LintContext(
            configuration: configuration, isTransactional: isTransactional, newNames: newNames,
            sizes: sizes)
    }

    private mutating func record(
        _ fact: Fact, _ statement: SQLStatement, _ index: Int, _ script: Script, _ file: String
    ) {
        switch fact {
        case .createsTable(let name, let ifMissing):
            // Without a database to ask, the table may already exist.
            let isNew = !ifMissing || sizes.map { $0.size(of: name) == nil } ?? false
            if isNew { newNames.insert(name) }
            guard let schema = name.schema, configuration.tenantSchemas.contains(schema),
                configuration.tenantTableExceptions[name.description] == nil
            else { return }
            tenantTables.append(
                TenantTable(
                    name: name, position: StatementPosition(file: file, statement: index),
                    line: statement.line,
                    isAllowed: script.allows(LintRule.unguardedTable, at: index)))
        case .createsSchema(let name): newNames.insertSchema(name)
        case .setsRowSecurity(let name, let setting):
            for index in tenantTables.indices {
                let table = tenantTables[index].name
                switch setting {
                case .enabled where certainlyMeans(name, table):
                    tenantTables[index].isEnabled = true
                case .forced where certainlyMeans(name, table): tenantTables[index].isForced = true
                case .disabled where name.mayBe(table): tenantTables[index].isEnabled = false
                case .notForced where name.mayBe(table): tenantTables[index].isForced = false
                default: continue
                }
            }
        case .dropsTables(let names):
            tenantTables = tenantTables.filter { table in
                !names.contains { certainlyMeans($0, table.name) }
            }
        case .dropsSchemas(let schemas, _):
            tenantTables.removeAll { $0.name.schema.map(schemas.contains) ?? false }
        default: return
        }
    }

    /// Whether a name certainly refers to this table of a tenant schema. For an unqualified name
    /// this is true only if the search path begins with the table's schema.
    private func certainlyMeans(_ name: QualifiedName, _ table: QualifiedName) -> Bool {
        let schema = name.schema ?? newNames.searchPath?.first
        return name.name == table.name && schema == table.schema
    }

    /// Returns the parse tree of each statement; nil if the parser doesn't understand the file.
    private static func trees(of script: Script) -> [Node?] {
        let parsed = script.syntaxProblem == nil ? try? PgQuery.trees(in: script.text) : nil
        return script.statements.map { statement in
            parsed?.first { $0.range.contains(statement.range.lowerBound) }
                .map { Node(value: $0.tree) }
        }
    }

    /// Returns facts about how a statement of a no-transaction file runs.
    private static func factsOfRunning(_ statement: SQLStatement) -> [Fact] {
        guard Execution(of: statement) == .alone(.again), let verb = statement.terms.first?.text,
            verb == "CALL" || verb == "DO"
        else { return [] }
        return [.mayRunTwice(verb)]
    }
}

extension Script {
    /// Whether the file allows a rule to be broken by a statement.
    fileprivate func allows(_ rule: String, at statement: Int) -> Bool {
        allowances.contains { $0.rule == rule && $0.statement == statement }
    }

    /// Whether every statement could run in a transaction.
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
        problem = rule.detects
        risk = rule.risk
        advice = rule.advice
    }
}
