import Definitions
import Repositories

/// A table that was a partition of the audit log, of the log of sign-ins or of the history of jobs,
/// and has been detached. Queries of these tables don't find its rows.
///
/// Such a table is recognised by its name: only the functions that create partitions assign names
/// of this form.
struct DetachedPartition {
    /// Name with the schema.
    private let name: String
    private let table: Table
    private let bound: Bound

    /// A table that is partitioned by time.
    private struct Table {
        let name: String
        let column: String
        /// Digits in the name of a partition: six for months, eight for days.
        let digits: Int
        /// Whether row-level security is forced on its partitions.
        let isForced: Bool
    }

    private static let tables = [
        Table(name: "app.audit_log", column: "at", digits: 6, isForced: true),
        Table(name: "app.sign_ins_log", column: "at", digits: 6, isForced: true),
        Table(name: "jobs.history", column: "finished_at", digits: 8, isForced: false),
    ]

    /// The range of a partition.
    private enum Bound {
        /// Rows between two times, as SQL expressions.
        case time(from: String, to: String)
        /// Rows that belong to no other partition.
        case other
        /// Rows from before the oldest monthly partition. The name (`..._earlier`) does not state
        /// that month.
        case earlier
    }

    /// Returns nil unless the difference is a surplus table with the name of a partition.
    init?(_ difference: DefinitionDifference) {
        guard difference.kind == .surplus, difference.subject.kind == .table,
            let table = Self.tables.first(where: {
                difference.subject.name.hasPrefix($0.name + "_")
            }),
            let bound = Self.bound(
                difference.subject.name.dropFirst(table.name.count + 1), table.digits)
        else { return nil }
        name = difference.subject.name
        self.table = table
        self.bound = bound
    }

    private static func bound(_ name: Substring, _ digits: Int) -> Bound? {
        if name == "other" { return .other }
        if name == "earlier" { return .earlier }
        guard name.utf8.count == digits, name.utf8.allSatisfy({ (48...57).contains($0) }),
            let year = Int(name.prefix(4)), let month = Int(name.dropFirst(4).prefix(2)),
            (1...12).contains(month)
        else { return nil }
        func moment(_ year: Int, _ month: Int, _ day: Int) -> String {
            func padded(_ number: Int, _ width: Int) -> String {
                String(repeating: "0", count: max(0, width - "\(number)".count)) + "\(number)"
            }
            return "'\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2)) 00:00:00+00'"
        }
        if digits == 6 {
            return .time(
                from: moment(year, month, 1),
                to: month == 12 ? moment(year + 1, 1, 1) : moment(year, month + 1, 1))
        }
        guard let day = Int(name.suffix(2)), (1...31).contains(day) else { return nil }
        let first = moment(year, month, day)
        return .time(from: first, to: "timestamptz \(first) + interval '24 hours'")
    }

    /// Returns the finding for an operator, with the remedy for `role`.
    func finding(role: String) -> Finding {
        Finding(
            kind: "part_detached",
            message: "table \(name) is no longer a partition of \(table.name), so queries don't "
                + "find its rows; if it was detached in order to be dropped: DROP TABLE \(name)",
            remedy: remedy(role))
    }

    private func remedy(_ role: String) -> String {
        let attach = "ALTER TABLE \(table.name) ATTACH PARTITION \(name)"
        switch bound {
        case .other: return "as \(role): \(attach) DEFAULT"
        case .earlier:
            return "attach it again, up to the start of the oldest monthly partition: \(attach) "
                + "FOR VALUES FROM (MINVALUE) TO ('YYYY-MM-01 00:00:00+00')"
        case .time(let from, let to):
            // Rows added since the partition was detached are in the default partition. No row may
            // be in both tables.
            let move =
                "WITH moved AS (DELETE FROM \(table.name) WHERE \(table.column) >= \(from) "
                + "AND \(table.column) < \(to) RETURNING *) INSERT INTO \(name) "
                + "SELECT * FROM moved"
            let statements =
                ["LOCK TABLE \(table.name) IN SHARE ROW EXCLUSIVE MODE"]
                + (table.isForced ? ["ALTER TABLE \(name) NO FORCE ROW LEVEL SECURITY"] : [])
                + [move]
                + (table.isForced ? ["ALTER TABLE \(name) FORCE ROW LEVEL SECURITY"] : [])
                + ["\(attach) FOR VALUES FROM (\(from)) TO (\(to))"]
            return "as \(role): BEGIN; \(statements.joined(separator: "; ")); COMMIT"
        }
    }
}

extension FoundPartition {
    /// Returns the faults of the partition, except those of rights and definitions.
    func findings(role: String) -> [Finding] {
        var findings: [Finding] = []
        if !isPlain {
            findings.append(
                Finding(
                    kind: "part_elsewhere",
                    message: "\(name), a partition of \(table), holds no rows itself: it is "
                        + "partitioned again, or is a foreign table",
                    remedy: "find out what created it, and move its rows to a table of \(schema)"))
        }
        if !isInSchema {
            findings.append(
                Finding(
                    kind: "part_elsewhere",
                    message: "table \(name) is a partition of \(table), but in another schema",
                    remedy: "as superuser: ALTER TABLE \(name) SET SCHEMA \(schema)"))
        }
        if isBeingDetached {
            findings.append(
                Finding(
                    kind: "part_detached",
                    message: "table \(name) is being detached from \(table), so queries don't find "
                        + "its rows",
                    remedy: "as \(role): BEGIN; ALTER TABLE \(table) DETACH PARTITION \(name) "
                        + "FINALIZE; ALTER TABLE \(table) ATTACH PARTITION \(name) \(bound); "
                        + "COMMIT"))
        }
        return findings
    }
}
