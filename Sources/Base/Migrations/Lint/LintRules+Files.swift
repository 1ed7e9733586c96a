extension LintRule {
    /// Name of the rule about tables of tenant schemas, which is checked only after the last file.
    static let unguardedTable = "tenant-table-unguarded"

    /// Rules about a file as a whole, and about the result of all files together.
    static let files: [LintRule] = [
        LintRule(
            name: unguardedTable, subject: .security,
            detects: "a tenant table without forced row-level security",
            risk: "Every role with a grant, and the table's owner, can read every tenant's rows.",
            advice: "ALTER TABLE ... ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY."
        ) { fact, _ in
            guard case .leavesUnguarded(let table) = fact else { return nil }
            return "\(table)"
        },
        LintRule(
            name: "may-run-twice", subject: .resumption,
            detects: "a statement that commits by itself in a no-transaction file",
            risk: "If the run is interrupted there, it runs again from its start.",
            advice: "Write it so that running it twice does no harm."
        ) { fact, _ in
            guard case .mayRunTwice(let verb) = fact else { return nil }
            return verb
        },
        LintRule(
            name: "no-transaction-needlessly", subject: .resumption,
            detects: "a no-transaction file whose statements could all run in a transaction",
            risk: "If it fails halfway, the first half stays.",
            advice: "Remove the directive, unless the statements must commit one by one."
        ) { fact, _ in
            guard case .needsNoFileWithoutTransaction(let file) = fact else { return nil }
            return file
        },
        LintRule(
            name: "unknown-rule", subject: .compatibility,
            detects: "an allowed rule does not exist",
            risk: "The finding that it should accept is still reported.",
            advice: "Write the rule's name as `plan` shows it."
        ) { fact, _ in
            guard case .allowsUnknownRule(let rule) = fact else { return nil }
            return rule
        },
    ]
}
