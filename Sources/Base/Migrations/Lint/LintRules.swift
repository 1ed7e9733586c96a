extension LintRule {
    /// All rules.
    static let all: [LintRule] = locks + dataAndCompatibility + security + files

    private static let locks: [LintRule] = [
        LintRule(
            name: "index-not-concurrent", subject: .locks,
            detects: "CREATE INDEX without CONCURRENTLY on a table with rows",
            risk: "Nobody can write to the table until the index is done.",
            advice: "CREATE INDEX CONCURRENTLY in a no-transaction file."
        ) { fact, context in
            guard case .createsIndex(let table, false) = fact else { return nil }
            return context.nonEmptyTable(table)
        },
        LintRule(
            name: "drop-index-not-concurrent", subject: .locks,
            detects: "DROP INDEX without CONCURRENTLY",
            risk:
                "It waits for every running query on the table, and every new query waits for it.",
            advice: "DROP INDEX CONCURRENTLY in a no-transaction file."
        ) { fact, _ in
            guard case .dropsIndex(let names, false) = fact else { return nil }
            return names.map(\.description).joined(separator: ", ")
        },
        LintRule(
            name: "reindex-not-concurrent", subject: .locks,
            detects: "REINDEX without CONCURRENTLY",
            risk: "Until it is done, nobody can write, and no query can use the index.",
            advice: "REINDEX ... CONCURRENTLY in a no-transaction file."
        ) { fact, _ in
            guard case .reindexes(let target, false) = fact else { return nil }
            return target
        },
        LintRule(
            name: "column-type", subject: .locks,
            detects: "ALTER COLUMN ... TYPE on a table with rows",
            risk: "Unless both types are stored alike, every row is rewritten while nobody can "
                + "read.",
            advice: "Add a column, fill it in batches, switch over, drop the old one later."
        ) { fact, context in
            guard case .changesType(let table, let column) = fact else { return nil }
            return context.nonEmptyTable(table).map { "\($0), column \(column)" }
        },
        LintRule(
            name: "set-not-null", subject: .locks,
            detects: "SET NOT NULL on a table with rows",
            risk: "The whole table is scanned for nulls while nobody can read.",
            advice: "Add CHECK (column IS NOT NULL) NOT VALID, validate it in the next file, and "
                + "then SET NOT NULL, which relies on the check."
        ) { fact, context in
            guard case .setsNotNull(let table, let column) = fact else { return nil }
            return context.nonEmptyTable(table).map { "\($0), column \(column)" }
        },
        LintRule(
            name: "constraint-validated", subject: .locks,
            detects: "a constraint that is checked against all rows at once",
            risk: "Writers wait (for CHECK, readers too) until every row has been checked.",
            advice: "Add it NOT VALID, and VALIDATE CONSTRAINT in the next file."
        ) { fact, context in
            guard case .addsConstraint(let table, let constraint) = fact, constraint.isValidated,
                constraint.kind == .check || constraint.kind == .foreignKey
            else { return nil }
            return context.nonEmptyTable(table).map { "\($0), \(constraint.kind.rawValue)" }
        },
        LintRule(
            name: "constraint-index", subject: .locks,
            detects: "a constraint that builds its index under its lock",
            risk: "Nobody can read or write the table until the index is done.",
            advice: "CREATE UNIQUE INDEX CONCURRENTLY first, then ADD CONSTRAINT ... USING INDEX."
        ) { fact, context in
            guard case .addsConstraint(let table, let constraint) = fact, !constraint.usesIndex,
                [.unique, .primaryKey, .exclusion].contains(constraint.kind)
            else { return nil }
            return context.nonEmptyTable(table).map { "\($0), \(constraint.kind.rawValue)" }
        },
        LintRule(
            name: "column-rewrite", subject: .locks,
            detects: "a new column that must be written to every row",
            risk: "The table is rewritten while nobody can read.",
            advice: "Add the column without a default, set the default, and fill it in batches."
        ) { fact, context in
            guard case .addsColumn(let table, let column, let reason?) = fact else { return nil }
            return context.nonEmptyTable(table).map { "\($0), column \(column), for \(reason)" }
        },
        LintRule(
            name: "table-rewrite", subject: .locks,
            detects: "a command that rewrites the whole table",
            risk: "Nobody can read or write it until that is done.",
            advice: "Do it in a quiet hour, or copy to a new table in batches."
        ) { fact, context in
            guard case .rewrites(let table, let how) = fact else { return nil }
            return context.nonEmptyTable(table).map { "\($0), \(how)" }
        },
        LintRule(
            name: "attach-partition", subject: .locks,
            detects: "ATTACH PARTITION of a table with rows",
            risk: "The whole partition is scanned for rows that don't belong.",
            advice: "First give it a valid CHECK that implies the partition's bounds."
        ) { fact, context in
            guard case .attachesPartition(_, let partition) = fact else { return nil }
            return context.nonEmptyTable(partition)
        },
        LintRule(
            name: "lock-table", subject: .locks,
            detects: "LOCK TABLE",
            risk: "The lock lasts until the whole file is done.",
            advice: "Leave locking to the statements, which acquire the weakest lock that suffices."
        ) { fact, context in
            guard case .locksTable(let table) = fact else { return nil }
            return context.nonEmptyTable(table)
        },
    ]
}
