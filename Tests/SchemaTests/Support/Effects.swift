import Foundation
import Postgres
import TestSupport
import Testing

/// Expected effects of a change: every row that is new, deleted or different, in any table.
///
/// A row is a line: `+ consents: given_by=mother, …` is new, `- guardianships: slot=2, …` is
/// deleted, and `~ family_members child: role=parent` lists the columns with other values.
struct Effects {
    /// Tables that are not compared, because they are derived from others, count requests or list
    /// attempts.
    private static let leftOut: Set<String> = [
        "app.family_changes", "app.family_versions", "app.user_changes", "app.user_versions",
        "app.rate_limits", "app.webhook_attempts", "app.processes",
        "app.process_samples", "jobs.attempts",
    ]

    /// Columns that are not compared: columns that are set in every new row, derived columns,
    /// columns of a job's execution, backend ids, and digests of claims.
    private static let untold: Set<String> = [
        "id", "at", "created_at", "attempt", "crashes", "is_started", "is_suspect", "max_attempts",
        "priority", "run_at", "enqueued_at", "state", "queue", "shard", "claims_mark",
        "held_role", "stands_in", "mailbox", "is_blocked", "worker", "duration_ms",
        "entered_after_key", "entered_by_key",
    ]

    /// A single connection for all reads, because its caches are warm from the second read on.
    private let connection: Connection
    /// Names of objects, by the text of their ids.
    private let names: [String: String]

    init(_ house: House, naming ids: [String: UInt128]) throws {
        let connection = try house.superuser()
        self.connection = connection
        names = try Dictionary(
            uniqueKeysWithValues: ids.map { name, id in
                (try connection.query("SELECT \(id)::text").scalar(String.self), name)
            })
    }

    /// Expects `body` to write exactly these rows.
    ///
    /// - Parameter text: One row per line. A line that begins with a space continues the previous
    ///   row.
    func expect(
        _ text: String = "", sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) throws {
        let expected = text.replacing(/\n +/, with: " ").split(separator: "\n").map(String.init)
        let found = try lines(body)
        expectLines(found, toBe: expected, sourceLocation: sourceLocation)
    }

    /// The sorted lines of the rows that `body` has written.
    func lines(_ body: () throws -> Void) throws -> [String] {
        let before = try rows()
        try body()
        let after = Self.withFormerIDs(try rows(), before)
        let keys = Set(before.keys).union(after.keys)
        return keys.compactMap { key in
            switch (before[key], after[key]) {
            case (nil, let new?): "+ \(key.table): \(line(new))"
            case (let old?, nil): "- \(key.table): \(line(old))"
            case (let old?, let new?) where old != new:
                "~ \(key.table) \(name(key, old)): "
                    + line(new.filter { old[$0.key] != $0.value }, withNulls: true)
            default: nil
            }
        }.sorted()
    }

    private struct Key: Hashable {
        let table, id: String
    }

    /// Names the rows of an account with a changed id by its former id. The two rows are matched by
    /// their time of creation.
    private static func withFormerIDs(
        _ after: [Key: [String: String]], _ before: [Key: [String: String]]
    ) -> [Key: [String: String]] {
        let gone = before.filter { $0.key.table == "users" && after[$0.key] == nil }
        var text: [String: String] = [:]
        for (key, row) in gone {
            let moved = after.first {
                $0.key.table == "users" && before[$0.key] == nil
                    && $0.value["created_at"] == row["created_at"]
            }
            if let moved { text[moved.key.id] = key.id }
        }
        if text.isEmpty { return after }
        func former(_ value: String) -> String {
            text.reduce(value) { $0.replacing($1.key, with: $1.value) }
        }
        return Dictionary(
            uniqueKeysWithValues: after.map { key, row in
                (Key(table: key.table, id: former(key.id)), row.mapValues(former))
            })
    }

    private func rows() throws -> [Key: [String: String]] {
        let tables: [(name: String, key: String)] = try connection.query(
            """
            SELECT format('%I.%I', n.nspname, c.relname), coalesce((
                SELECT string_agg(format('t.%I::text', a.attname), ' || '' '' || '
                                  ORDER BY array_position(i.indkey::smallint[], a.attnum))
                FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum = ANY (i.indkey)),
                't::text')
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
            WHERE n.nspname IN ('app', 'jobs') AND c.relkind = 'r'
            """
        ).map { (row) throws(PostgresError) in (try row.read(), try row.read()) }
        var found: [Key: [String: String]] = [:]
        for table in tables where !Self.leftOut.contains(table.name) {
            let lines = try connection.query(
                """
                SELECT \(unsafe: table.key), e.key, e.value::text
                FROM \(unsafe: table.name) AS t, jsonb_each(to_jsonb(t)) AS e
                """
            ).map { (row) throws(PostgresError) in
                (try row.read(String.self), try row.read(String.self), try row.read(String.self))
            }
            for (id, column, value) in lines {
                found[Key(table: short(table.name), id: id), default: [:]][column] = value
            }
        }
        return found
    }

    /// The table's name without its schema; the partitions of audit log and history have their
    /// parent's name.
    private func short(_ table: String) -> String {
        let name = table.split(separator: ".").last.map(String.init) ?? table
        return ["audit_log", "sign_ins_log", "history"].first { name.hasPrefix($0) } ?? name
    }

    /// The label of a row without a name, made from the objects that it belongs to.
    private func name(_ key: Key, _ columns: [String: String]) -> String {
        if let name = names[key.id] { return name }
        let telling = ["member_id", "graduate_id", "family_unit_id", "purpose", "invited_email"]
        // A family has many deliveries; their key distinguishes them.
        let found =
            key.table == "webhook_deliveries"
            ? [] : telling.compactMap { columns[$0] }.filter { $0 != "null" }.map(shown)
        return found.isEmpty ? shown(key.id) : found.joined(separator: " ")
    }

    private func line(_ columns: [String: String], withNulls: Bool = false) -> String {
        columns.filter { !Self.untold.contains($0.key) && (withNulls || $0.value != "null") }
            .map { "\($0.key)=\(shown($0.value))" }.sorted().joined(separator: ", ")
    }

    /// The value with names for known ids, `new` for other ids and random values, and days for
    /// timestamps.
    private func shown(_ value: String) -> String {
        value
            .replacing(/[0-9a-f]{8}-[0-9a-f-]{27}/) { names[String($0.output)] ?? "new" }
            .replacing(/(\\+x|\b)[0-9a-f]{32,}\b/, with: "random")
            .replacing(/FAM-[A-Z0-9]{6,8}/, with: "drawn")
            .replacing(/\b1[0-9]{9}\b/, with: "now")
            .replacing(/"\d{4}-\d\d-\d\dT[^"]*"/) { days(String($0.output)) }
            .replacing("\"", with: "")
    }

    /// The timestamp as a number of days from now, the precision that tests need.
    private func days(_ moment: String) -> String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let text = moment.replacing("\"", with: "")
        guard let date = formatter.date(from: text) ?? ISO8601DateFormatter().date(from: text)
        else { return text }
        let count = Int((date.timeIntervalSinceNow / 86_400).rounded())
        return count == 0 ? "now" : "in \(count) days"
    }
}

/// Expects these lines, sorted, and reports the missing and the unexpected ones.
func expectLines(
    _ found: [String], toBe expected: [String], sourceLocation: SourceLocation
) {
    guard found != expected.sorted() else { return }
    let missing = expected.filter { !found.contains($0) }.map { "missing:    " + $0 }
    let others = found.filter { !expected.contains($0) }.map { "unexpected: " + $0 }
    Issue.record(
        "\((missing + others).joined(separator: "\n"))", sourceLocation: sourceLocation)
}
