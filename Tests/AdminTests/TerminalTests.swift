import JSON
import TestSupport
import Testing

@Suite("hearth-admin at a terminal")
struct TerminalTests {
    let office: Office

    init() throws { office = try Office() }

    private func terminal(_ words: String..., columns: UInt16 = 80) throws -> PseudoTerminal {
        try PseudoTerminal(
            "hearth-admin", words, columns: columns, environment: office.environment)
    }

    @Test("a destructive command asks a question, and does nothing unless the answer is yes")
    func asks() throws {
        let id = try office.makeFamily()
        for answer in ["n", "", "nonsense"] {
            let refused = try terminal("member", "remove", id, "Cy")
            try refused.waits(for: "Remove Cy from The Terns? [y/N] ")
            try refused.type(answer)
            let ending = try refused.ends()
            #expect(ending.code == 1)
            #expect(ending.lines.contains("hearth-admin: nothing was changed"))
        }
        let members = try office.json("family members \(id)")
        #expect(try members["members"].elements().count == 3)
        let allowed = try terminal("member", "remove", id, "Cy")
        try allowed.waits(for: "[y/N] ")
        try allowed.type("y")
        #expect(try allowed.ends().code == 0)
        #expect(try office.json("family members \(id)")["members"].elements().count == 2)
    }

    @Test("a destructive command with --yes does not ask")
    func unasked() throws {
        let id = try office.makeFamily()
        let ending = try terminal("family", "code", id, "--regenerate", "--yes").ends()
        #expect(ending.code == 0)
        #expect(!ending.lines.joined().contains("[y/N]"))
    }

    @Test(
        "a table that is too wide for the terminal first cuts names, and then shows rows as blocks",
        arguments: [100, 80, 60])
    func fits(_ columns: UInt16) throws {
        _ = try office.json(
            "family create --owner ann@example.com --name '\(String(repeating: "long ", count: 15))'"
        )
        let ending = try terminal("family", "list", columns: columns).ends()
        #expect(ending.code == 0)
        #expect(ending.lines.allSatisfy { $0.count <= Int(columns) }, "\(ending.lines)")
        #expect(ending.lines.joined().contains("…"))
        #expect(ending.lines.contains { $0.hasPrefix(columns == 60 ? "NAME " : "ID ") })
        // Output to a file or pipe is not cut.
        #expect(try !office.admin("family list").output.contains("…"))
    }

    @Test("a name can't send control sequences to the terminal")
    func steering() throws {
        _ = try office.json("family create --owner ann@example.com --name Plain")
        try office.breakingRules(
            """
            ALTER TABLE app.family_units DROP CONSTRAINT family_units_name_form;
            UPDATE app.family_units SET family_name = E'red \\x1B[31m'
            """)
        let ending = try terminal("family", "list", columns: 120).ends()
        #expect(!ending.lines.joined().contains("\u{1B}"))
        #expect(ending.lines.joined().contains("\\u{1b}"))
    }

    @Test("a document on standard output is not mixed with control sequences or messages")
    func shownDocument() throws {
        let id = try office.makeFamily()
        let ending = try terminal("export", id).ends()
        #expect(ending.code == 0)
        #expect(!ending.lines.joined().contains("\u{1B}"))
        _ = try JSONValue(parsing: Array(ending.lines.joined(separator: "\n").utf8))
    }

    @Test("a long command shows its progress and clears it at the end")
    func progress() throws {
        let id = try office.makeFamily()
        let folder = try Folder()
        let ending = try terminal("export", id, "--output", folder.path("out.json")).ends()
        #expect(ending.code == 0)
        #expect(ending.lines.joined().contains("The Terns: "))
        #expect(ending.lines.joined().hasSuffix("\r\u{1B}[K"))
    }
}
