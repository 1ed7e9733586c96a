extension LintRule {
    /// All rules.
    static let all: [LintRule] = locks + dataAndCompatibility + security + files

    private static let locks: [LintRule] = [
        LintRule(
            name: "index-not-concurrent", subject: .locks,
            what: "CREATE INDEX without CONCURRENTLY on a table with rows",
            why: "Nobody can write to the table until the index is done.",
            safer: "CREATE INDEX CONCURRENTLY in a no-transaction file."
        ) { fact, context in
            guard case .createsIndex(let table, false) = fact else { return nil }
            return context.busy(table)
        },
        LintRule(
            name: "drop-index-not-concurrent", subject: .locks,
            what: "DROP INDEX without CONCURRENTLY",
            why: "It waits for every running query on the table, and every new query waits for it.",
            safer: "DROP INDEX CONCURRENTLY in a no-transaction file."
        ) { fact, _ in
            guard case .dropsIndex(let names, false) = fact else { return nil }
            return names.map(\.description).joined(separator: ", ")
        },
        LintRule(
            name: "reindex-not-concurrent", subject: .locks,
            what: "REINDEX without CONCURRENTLY",
            why: "Until it is done, nobody can write, and no query can use the index.",
            safer: "REINDEX ... CONCURRENTLY in a no-transaction file."
        ) { fact, _ in
            guard case .reindexes(let target, false) = fact else { return nil }
            return target
        },
        LintRule(
            name: "column-type", subject: .locks,
            what: "ALTER COLUMN ... TYPE on a table with rows",
            why: "Unless both types are stored alike, every row is rewritten while nobody can "
                + "read.",
            safer: "Add a column, fill it in batches, switch over, drop the old one later."
        ) { fact, context in
            guard case .changesType(let table, let column) = fact else { return nil }
            return context.busy(table).map { "\($0), column \(column)" }
        },
        LintRule(
            name: "set-not-null", subject: .locks,
            what: "SET NOT NULL on a table with rows",
            why: "The whole table is scanned for nulls while nobody can read.",
            safer: "Add CHECK (column IS NOT NULL) NOT VALID, validate it in the next file, and "
                + "then SET NOT NULL, which relies on the check."
        ) { fact, context in
            guard case .setsNotNull(let table, let column) = fact else { return nil }
            return context.busy(table).map { "\($0), column \(column)" }
        },
        LintRule(
            name: "constraint-validated", subject: .locks,
            what: "a constraint that is checked against all rows at once",
            why: "Writers wait (for CHECK, readers too) until every row has been checked.",
            safer: "Add it NOT VALID, and VALIDATE CONSTRAINT in the next file."
        ) { fact, context in
            guard case .addsConstraint(let table, let constraint) = fact, constraint.isValidated,
                constraint.kind == .check || constraint.kind == .foreignKey
            else { return nil }
            return context.busy(table).map { "\($0), \(constraint.kind.rawValue)" }
        },
        LintRule(
            name: "constraint-index", subject: .locks,
            what: "a constraint that builds its index under its lock",
            why: "Nobody can read or write the table until the index is done.",
            safer: "CREATE UNIQUE INDEX CONCURRENTLY first, then ADD CONSTRAINT ... USING INDEX."
        ) { fact, context in
            guard case .addsConstraint(let table, let constraint) = fact, !constraint.usesIndex,
                [.unique, .primaryKey, .exclusion].contains(constraint.kind)
            else { return nil }
            return context.busy(table).map { "\($0), \(constraint.kind.rawValue)" }
        },
        LintRule(
            name: "column-rewrite", subject: .locks,
            what: "a new column that must be written to every row",
            why: "The table is rewritten while nobody can read.",
            safer: "Add the column without a default, set the default, and fill it in batches."
        ) { fact, context in
            guard case .addsColumn(let table, let column, let reason?) = fact else { return nil }
            return context.busy(table).map { "\($0), column \(column), for \(reason)" }
        },
        LintRule(
            name: "table-rewrite", subject: .locks,
            what: "a command that rewrites the whole table",
            why: "Nobody can read or write it until that is done.",
            safer: "Do it in a quiet hour, or copy to a new table in batches."
        ) { fact, context in
            guard case .rewrites(let table, let how) = fact else { return nil }
            return context.busy(table).map { "\($0), \(how)" }
        },
        LintRule(
            name: "attach-partition", subject: .locks,
            what: "ATTACH PARTITION of a table with rows",
            why: "The whole partition is scanned for rows that don't belong.",
            safer: "First give it a valid CHECK that implies the partition's bounds."
        ) { fact, context in
            guard case .attachesPartition(_, let partition) = fact else { return nil }
            return context.busy(partition)
        },
        LintRule(
            name: "lock-table", subject: .locks,
            what: "LOCK TABLE",
            why: "The lock lasts until the whole file is done.",
            safer: "Leave locking to the statements, which acquire the weakest lock that suffices."
        ) { fact, context in
            guard case .locksTable(let table) = fact else { return nil }
            return context.busy(table)
        },
    ]
}
