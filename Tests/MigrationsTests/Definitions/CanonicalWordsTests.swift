import Testing

@testable import Definitions

@Suite("Canonical words of a definition")
struct CanonicalWordsTests {
    @Test(
        "redundant parentheses make no difference",
        arguments: [
            (
                "CHECK (((a > 1) AND (b > 2)) AND (c > 3))",
                "CHECK ((a > 1) AND (b > 2) AND (c > 3))"
            ),
            ("CHECK (((a) OR ((b) OR (c))))", "CHECK ((a) OR (b) OR (c))"),
            ("WHEN ((((a))))", "WHEN (a)"),
            ("SELECT a\n   FROM t", "SELECT a FROM t"),
        ])
    func same(_ one: String, _ other: String) {
        #expect(CanonicalWords.of(one) == CanonicalWords.of(other))
    }

    @Test(
        "parentheses that affect the meaning make a difference, and so does quoted text",
        arguments: [
            ("CHECK ((a AND b) OR c)", "CHECK (a AND (b OR c))"),
            ("CHECK ((a AND b) OR c)", "CHECK (a AND b OR c)"),
            ("CHECK (NOT (a AND b))", "CHECK ((NOT a) AND b)"),
            ("SELECT f((a, b))", "SELECT f(a, b)"),
            ("CHECK (a = '((x))')", "CHECK (a = '(x)')"),
            ("CHECK (a = 'x  y')", "CHECK (a = 'x y')"),
            (
                "CHECK (a = '\"' AND (b AND c) AND d = '\"')",
                "CHECK (a = '\"' AND (b OR c) AND d = '\"')"
            ),
            ("CHECK (\"a)\" > 1)", "CHECK (\"a\" > 1)"),
            ("AS $function$ ((x)) $function$", "AS $function$ (x) $function$"),
            ("AS $$ ((x)) $$", "AS $$ (x) $$"),
        ])
    func different(_ one: String, _ other: String) {
        #expect(CanonicalWords.of(one) != CanonicalWords.of(other))
    }
}
