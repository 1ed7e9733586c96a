import Foundation
import TestSupport
import Testing

@Suite("Completion and manual page")
struct ShellTests {
    private static let programs = ["hearth-api", "hearth-worker", "hearth-admin", "hearth-migrate"]

    /// Completions that bash offers at the end of a line.
    private func offers(_ line: [String]) throws -> Set<String> {
        let folder = try Folder()
        try folder.write("completion", try run("hearth-admin", ["completion", "bash"]).output)
        let words = line.map { "'\($0)'" }.joined(separator: " ")
        try folder.write(
            "ask",
            """
            source '\(folder.path("completion"))'
            COMP_WORDS=(\(words))
            COMP_CWORD=\(line.count - 1)
            _hearth_admin
            printf '%s\\n' "${COMPREPLY[@]}"
            """)
        let ending = try runTool("/bin/bash", [folder.path("ask")])
        #expect(ending.code == 0)
        return Set(ending.text.split(separator: "\n").map(String.init))
    }

    private func runTool(_ path: String, _ words: [String]) throws -> (code: Int32, text: String) {
        let output = Pipe()
        let process = try Subprocess(path, words, output: .pipe(output), errors: .pipe(output))
        let text = inBackground { output.fileHandleForReading.readDataToEndOfFile() }
        try process.wait()
        return (process.exitCode, String(decoding: try text.wait(), as: UTF8.self))
    }

    @Test("bash completes commands, options, values and files, each where it is allowed")
    func bash() throws {
        #expect(try offers(["hearth-admin", "fam"]) == ["family"])
        #expect(try offers(["hearth-admin", "family", "c"]) == ["create", "code"])
        #expect(try offers(["hearth-admin", "--operator", "x", "family", "cr"]) == ["create"])
        #expect(try offers(["hearth-admin", "family", "create", "--ro"]) == ["--role"])
        #expect(
            try offers(["hearth-admin", "family", "create", "--role", ""]) == ["player", "parent"])
        #expect(try offers(["hearth-admin", "member", "set-role", "F", "M", "vi"]) == ["visitor"])
        #expect(try offers(["hearth-admin", "--config", "/etc/passw"]).contains("/etc/passwd"))
        #expect(try offers(["hearth-admin", "family", "create", "--name", ""]) == [])
    }

    @Test("each program's completion scripts are valid for their shells", arguments: programs)
    func syntax(_ program: String) throws {
        let folder = try Folder()
        for shell in ["bash", "zsh", "fish"] {
            let script = try run(program, ["--completion", shell])
            #expect(script.code == 0 && script.output.contains(program))
            // Not every machine has zsh and fish.
            guard
                let path = ["/bin/\(shell)", "/usr/bin/\(shell)"].first(where: {
                    FileManager.default.isExecutableFile(atPath: $0)
                })
            else { continue }
            try folder.write(shell, script.output)
            let check = try runTool(path, ["-n", folder.path(shell)])
            #expect(check.code == 0, "\(check.text)")
        }
    }

    @Test(
        "each program's manual page has its commands, options and exit codes",
        arguments: programs)
    func manual(_ program: String) throws {
        let page = try run(program, ["--man"]).output
        for part in [
            ".TH \"\(program.uppercased().replacing("-", with: "\\-"))\"", ".SH NAME",
            ".SH OPTIONS", ".SH ENVIRONMENT", ".SH EXIT STATUS", "\\-\\-check\\-config",
        ] {
            #expect(page.contains(part), "\(part)")
        }
        if program == "hearth-admin" {
            #expect(page.contains(".SS \"family create\""))
            #expect(page == (try run(program, ["man"]).output))
        }
    }
}
