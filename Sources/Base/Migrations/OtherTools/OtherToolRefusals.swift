/// Markers of tools whose files don't run here, each with what to do.
enum OtherToolRefusals {
    /// Why the line can't stay, and what to do; nil where it is a comment like any other.
    static func remedy(for line: CommentLine, isFirst: Bool) -> String? {
        let words = line.words
        guard let first = words.first else { return nil }
        let second = words.count > 1 ? words[1] : ""
        let joined = words.joined(separator: " ")
        if joined.contains("create above / drop below") {
            return "there is no way down: delete this line of tern's, and all below it"
        }
        if joined.contains("tern: disable-tx") {
            return "write `-- hearth: no-transaction` at the top of the file instead"
        }
        if joined.hasPrefix("liquibase formatted") {
            return "changelogs of Liquibase don't run here: give each changeset a numbered file of "
                + "its own, without the lines that speak to Liquibase"
        }
        if first == "changeset", second.contains(":") {
            return "a changeset of Liquibase: give it a numbered file of its own, and leave this "
                + "line out; `-- hearth: no-transaction` stands for runInTransaction:false"
        }
        if words.contains(where: { $0.contains("+goose") }) {
            return "goose takes no annotation but one of its own alone, as `-- +goose Down`"
        }
        if first == "+migrate" || first == "+micrate" {
            return "this tool's markers are not understood: leave only what goes up, without them"
        }
        if first.hasPrefix("atlas:") || first.hasPrefix("flyway:") {
            return "a directive of another tool, which nobody keeps to here; leave it out, or say "
                + "`-- hearth: no-transaction` if that is what it means"
        }
        if isFirst, joined == "no-transaction" {
            return "write `-- hearth: no-transaction` instead"
        }
        if isFirst, isSqitchHeader(words) {
            return "a script of Sqitch that takes back or checks: only those below `deploy` make "
                + "migrations"
        }
        let isSign = first.hasPrefix("+") && words.count == 2 && isHeadingOfWayDown(second)
        if isSign || isHeadingOfWayDown(joined) || isRollback(first, second) { return wayDown }
        return nil
    }

    /// Why a comment between `/*` and `*/` can't stay: where it is a heading as above.
    static func remedy(forBlock comment: String) -> String? {
        isHeadingOfWayDown(comment.foldedToLowerCase) ? wayDown : nil
    }

    private static let wayDown =
        "there is no way down: delete this line, and what below it takes back what stands above "
        + "(if it is a mere comment, word it otherwise)"

    /// `Revert shop:users from pg`, `Verify shop:users on pg`.
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

    /// A comment that is nothing but the heading of a part that takes things back, whatever signs
    /// surround it: `Down Migration`, `==== DOWN ====`, `//@UNDO`, `rollback`, `downgrade --`.
    private static func isHeadingOfWayDown(_ line: String) -> Bool {
        let words = line.split { !$0.isLetter }.map(String.init)
        let downs: Set = [
            "down", "downs", "undo", "rollback", "revert", "downgrade", "backward", "backwards",
            "teardown",
        ]
        let others: Set = [
            "migrate", "migration", "migrations", "section", "script", "part", "sql", "rambler",
            "begin", "start",
        ]
        return words.contains(where: downs.contains)
            && words.allSatisfy { downs.contains($0) || others.contains($0) }
    }

    /// `rollback DROP TABLE t`.
    private static func isRollback(_ first: String, _ second: String) -> Bool {
        let verbs: Set = [
            "alter", "comment", "create", "delete", "drop", "grant", "insert", "revoke", "select",
            "set", "truncate", "update",
        ]
        return (first == "rollback" || first == "rollback:") && verbs.contains(second)
    }
}
