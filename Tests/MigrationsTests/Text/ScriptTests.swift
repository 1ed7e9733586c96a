import Testing

@testable import Migrations

struct ScriptTests {
    private func script(_ sql: String) throws -> Script { try Script(SourceText(sql)) }

    private func statements(_ sql: String) throws -> [String] {
        try script(sql).statements.map(\.text)
    }

    @Test("statements end at semicolons, and comments around them belong to none")
    func split() throws {
        let found = try script("-- head\n\nSELECT 1; -- tail\n/* x; */ SELECT 2 ;;\n")
        #expect(found.statements.map(\.text) == ["SELECT 1", "SELECT 2"])
        #expect(found.statements.map(\.line) == [3, 4])
        #expect(found.syntaxProblem == nil)
    }

    static let bodies = [
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; "
            + "SELECT CASE WHEN true THEN 1 END; END",
        "CREATE OR REPLACE PROCEDURE p(a int) LANGUAGE sql BEGIN ATOMIC "
            + "INSERT INTO t VALUES (a); END",
        "CREATE RULE r AS ON INSERT TO t DO ALSO (SELECT 1; SELECT 2)",
        "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN; END; $$",
        "SELECT 'a;' || \"b;\" FROM t",
        "DO $x$ BEGIN PERFORM ';'; END $x$",
    ]

    @Test(
        "a body with semicolons is one statement, for the parser and for the scanner",
        arguments: bodies)
    func withBody(_ statement: String) throws {
        let sql = statement + ";\nSELECT 2;"
        #expect(try statements(sql) == [statement, "SELECT 2"])
        // Syntax that the parser doesn't know makes the scanner split the text.
        let newer = sql + "\nFROBNICATE TABLE t;"
        #expect(try script(newer).syntaxProblem != nil)
        #expect(try statements(newer) == [statement, "SELECT 2", "FROBNICATE TABLE t"])
    }

    @Test("a syntax error is reported with its position, even after multi-byte characters")
    func syntaxProblem() throws {
        let found = try script("SELECT 'é';\nSELEC 1;")
        #expect(found.syntaxProblem?.offset == Array("SELECT 'é';\n".utf8).count)
        #expect(found.statements.count == 2)
    }

    @Test("the no-transaction directive is accepted at the head of a file and refused below it")
    func noTransaction() throws {
        #expect(try script("SELECT 1").isTransactional)
        #expect(try !script("-- why\n-- hearth: no-transaction\nSELECT 1").isTransactional)
        #expect(try script("SELECT '\n-- hearth: no-transaction\n'").isTransactional)
        let problem = ScriptProblem(rule: .lateDirective, line: 2, subject: "no-transaction")
        #expect(throws: problem) { try script("SELECT 1;\n-- hearth: no-transaction\n") }
    }

    @Test(
        "a misspelt directive is refused rather than ignored",
        arguments: ["no-transactions", "notransaction", "allow x", "allow : y", ""])
    func unknownDirective(_ said: String) {
        #expect(throws: ScriptProblem(rule: .unknownDirective, line: 2, subject: said)) {
            try script("\n-- hearth: \(said)\nSELECT 1")
        }
    }

    @Test("an allowance applies to the statement that contains the comment or follows it")
    func allowances() throws {
        let found = try script(
            "SELECT 1;\n-- hearth: allow a: x\nSELECT 2;\nSELECT\n-- hearth: allow b: y: z\n3;")
        #expect(found.allowances.map(\.rule) == ["a", "b"])
        #expect(found.allowances.map(\.reason) == ["x", "y: z"])
        #expect(found.allowances.map(\.statement) == [1, 2])
    }

    @Test("unclosed text is refused, and COPY data or a psql command is named as its cause")
    func unclosed() {
        #expect(throws: ScriptProblem(rule: .unclosed, line: 2, subject: "a quoted string")) {
            try script("SELECT 1;\nSELECT 'a")
        }
        #expect(throws: ScriptProblem(rule: .copyFromStdin, line: 1, subject: "")) {
            try script("COPY t FROM stdin;\n1\tO'Brien\n\\.\n")
        }
        #expect(throws: ScriptProblem(rule: .backslashCommand, line: 1, subject: "\\echo")) {
            try script("\\echo it's\nSELECT 1;")
        }
    }

    @Test(
        "the canonical form ignores layout, comments and the case of words",
        arguments: [
            ("SELECT a, 'x' FROM t;", "-- note\nselect A,\n\t'x'\nfrom T ;;"),
            ("SELECT 'a'\n'b'", "SELECT 'a' -- c\n\n'b';"),
            ("SELECT a.b", "SELECT a . b"),
        ])
    func cosmetic(_ one: String, _ other: String) throws {
        #expect(try script(one).canonical == script(other).canonical)
    }

    @Test(
        "a change that matters to PostgreSQL changes the canonical form",
        arguments: [
            ("SELECT 'a'", "SELECT 'A'"), ("SELECT \"a\"", "SELECT \"A\""),
            ("SELECT 1", "SELECT 2"), ("SELECT $$a$$", "SELECT $$ a$$"),
            ("SELECT 'a' 'b'", "SELECT 'a'\n'b'"), ("SELECT a b", "SELECT ab"),
            ("SELECT 1; SELECT 2", "SELECT 1 SELECT 2"),
            ("SELECT 1", "-- hearth: no-transaction\nSELECT 1"),
            ("SELECT $a$x$a$", "SELECT $b$x$b$"), ("SELECT É", "SELECT é"),
        ])
    func meaningful(_ one: String, _ other: String) throws {
        #expect(try script(one).canonical != script(other).canonical)
    }
}
