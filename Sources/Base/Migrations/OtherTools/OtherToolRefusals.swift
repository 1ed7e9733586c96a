/// Markers of tools whose files can't run here, with advice for each.
enum OtherToolRefusals {
    /// Returns the reason why the line is refused, and advice; nil for an ordinary comment.
    static func remedy(for line: CommentLine, isFirst: Bool) -> String? {
        let words = line.words
        guard let first = words.first else { return nil }
        let second = words.count > 1 ? words[1] : ""
        let joined = words.joined(separator: " ")
        if joined.contains("create above / drop below") {
            return "there are no down migrations: delete this line of tern's and everything below "
                + "it"
        }
        if joined.contains("tern: disable-tx") {
            return "write `-- hearth: no-transaction` at the top of the file instead"
        }
        if joined.hasPrefix("liquibase formatted") {
            return "changelogs of Liquibase are not supported: give each changeset a numbered file "
                + "of its own, without Liquibase's comment lines"
        }
        if first == "changeset", second.contains(":") {
            return "a changeset of Liquibase: give it a numbered file of its own, and delete this "
                + "line; use `-- hearth: no-transaction` for runInTransaction:false"
        }
        if words.contains(where: { $0.contains("+goose") }) {
            return "goose accepts an annotation only alone on its line, as `-- +goose Down`"
        }
        if first == "+migrate" || first == "+micrate" {
            return "this tool's markers are not supported: keep only the up part, without them"
        }
        // Only for linters: it doesn't change what runs.
        if first == "atlas:nolint" { return nil }
        if first.hasPrefix("atlas:") || first.hasPrefix("flyway:") {
            return "a directive of another tool, which is not supported; delete it, or write `-- "
                + "hearth: no-transaction` if it means that"
        }
        if isFirst, joined == "no-transaction" {
            return "write `-- hearth: no-transaction` instead"
        }
        if isFirst, isSqitchHeader(words) {
            return "a revert or verify script of Sqitch: only the scripts below `deploy` are "
                + "migrations"
        }
        let isSign = first.hasPrefix("+") && words.count == 2 && isHeadingOfDownPart(second)
        if isSign || isHeadingOfDownPart(joined) || isRollback(first, second) { return downRemedy }
        return nil
    }

    /// Returns the reason why a block comment (`/* */`) is refused: its text is the heading of a
    /// down part.
    static func remedy(forBlock comment: String) -> String? {
        isHeadingOfDownPart(comment.foldedToLowerCase) ? downRemedy : nil
    }

    private static let downRemedy =
        "there are no down migrations: delete this line and the statements below it that undo "
        + "those above (if it is only a comment, reword it)"

    /// Whether the words are a header of Sqitch, such as `Revert shop:users from pg` or
    /// `Verify shop:users on pg`.
    private static func isSqitchHeader(_ words: [String]) -> Bool {
        guard words.count == 4 else { return false }
        let engines = [
            "pg", "cockroach", "mysql", "sqlite", "oracle", "firebird", "vertica", "exasol",
            "snowflake",
        ]
        return engines.contains(words[3])
            && (words[0] == "revert" && words[2] == "from"
                || words[0] == "verify" && words[2] == "on")
    }

    /// Whether a comment consists only of the heading of a down part, whatever characters surround
    /// it: `Down Migration`, `==== DOWN ====`, `//@UNDO`, `rollback`, `downgrade --`.
    ///
    /// `ROLLBACK;` is not a heading but a statement that was commented out.
    static func isHeadingOfDownPart(_ line: String) -> Bool {
        if line.filter({ $0.isLetter || $0 == ";" }) == "rollback;" { return false }
        let words = line.split { !$0.isLetter }.map(String.init)
        let downs: Set = [
            "down", "downs", "undo", "rollback", "revert", "downgrade", "backward", "backwards",
            "teardown",
        ]
        let others: Set = [
            "migrate", "migration", "migrations", "section", "script", "part", "sql", "rambler",
            "begin", "start", "goose", "dbmate", "flyway", "liquibase", "sqlx", "tern",
        ]
        return words.contains(where: downs.contains)
            && words.allSatisfy { downs.contains($0) || others.contains($0) }
    }

    /// Whether the words begin a rollback statement, such as `rollback DROP TABLE t`.
    private static func isRollback(_ first: String, _ second: String) -> Bool {
        let verbs: Set = [
            "alter", "comment", "create", "delete", "drop", "grant", "insert", "revoke", "select",
            "set", "truncate", "update",
        ]
        return (first == "rollback" || first == "rollback:") && verbs.contains(second)
    }
}
