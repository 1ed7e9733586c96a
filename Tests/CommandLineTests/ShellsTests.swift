import Testing

@testable import CommandLine
@testable import Configuration
@testable import FamilySettings

@Suite("Shell completion and manual pages")
struct ShellsTests {
    private static let role = Parameter<String?>.option(
        "role", short: "r", "ROLE", .word(["one", "two"]), "It's a role: one of two. More.")
    private static let file = Parameter<String>.argument("FILE", .file, ".begins with a dot.")
    private let program = Program(
        Command(
            "tool", "Does things.",
            subcommands: [
                Command(
                    "make", "Makes a thing.", parameters: [role, file],
                    examples: [Example("tool make 'x' \\", "makes x")]
                ) { _ in 0 }
            ]),
        version: "1.2", exitCodes: [.init(0, "done")],
        settings: [HearthSettings.logLevel])

    private func run(_ words: String...) -> (code: Int32, output: String, errors: String) {
        var output = ""
        var errors = ""
        let code = program.run(
            words, environment: [:], output: { output += $0 }, errorOutput: { errors += $0 })
        return (code, output, errors)
    }

    @Test("an option and a command print the completion script of each supported shell")
    func asked() {
        for shell in Shell.allCases {
            let script = program.completion(for: shell)
            #expect(run("--completion", shell.rawValue).output == script)
            #expect(run("--completion=\(shell.rawValue)").output == script)
            #expect(run("completion", shell.rawValue).output == script)
            for part in ["make", "role", "check-config", "'one two'", "tool"] {
                #expect(
                    script.contains(part) || script.contains("'one' 'two'"), "\(shell): \(part)")
            }
        }
        #expect(run("completion").code == 64)
        #expect(run("completion", "csh").errors.contains("bash, zsh or fish"))
        #expect(run("man").output == program.manual)
        #expect(run("--man").output == program.manual)
    }

    @Test("a quote in a help text does not end a string in any script")
    func quotes() {
        #expect(program.completion(for: .zsh).contains(#"'--role:It'\''s a role\: one of two'"#))
        #expect(program.completion(for: .fish).contains(#"-d 'It\'s a role: one of two'"#))
    }

    @Test("the manual escapes text that roff would interpret")
    func manual() {
        let page = program.manual
        #expect(page.contains(".SS \"make\""))
        #expect(page.contains("\n\\&.begins with a dot."))
        #expect(page.contains("tool make 'x' \\e"))
        #expect(page.contains("\\-r, \\-\\-role ROLE"))
        #expect(page.contains("HEARTH_LOG_LEVEL"))
        let requests = page.split(separator: "\n").filter { $0.hasPrefix(".") }
            .map { $0.prefix { $0 != " " } }
        let known: Set<Substring> = [
            ".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".RS", ".RE", ".nf", ".fi",
        ]
        #expect(Set(requests).isSubset(of: known))
    }

    @Test("a program that declares a built-in command's name keeps its own command")
    func ownCommand() {
        let program = Program(
            Command("tool", "Does.", subcommands: [Command("man", "Mans.") { _ in 7 }]),
            version: "1")
        let code = program.run(["man"], environment: [:], output: { _ in }, errorOutput: { _ in })
        #expect(code == 7)
    }
}

@Suite("Checks of settings")
struct SettingCheckTests {
    private let file = Setting<String>.required("TOOL_FILE", .file, "A file.")
    private let size = Setting<Int>.required("TOOL_SIZE", .integer(1...9), "A size.")

    private func reader(_ environment: [String: String]) -> SettingsReader {
        SettingsReader(
            environment: environment, knownSettings: [file, size], configPath: nil,
            checks: [
                SettingCheck(file) { $0 == "good" ? [] : ["is bad", "is ugly"] },
                SettingCheck(size) { _ in ["never right"] },
            ])
    }

    @Test("problems that checks find are reported with all others, under the setting's name")
    func together() {
        let error = #expect(throws: SettingsError.self) {
            try reader(["TOOL_FILE": "bad", "TOOL_SIZE": "x"]).read([file, size])
        }
        #expect(
            error?.problems == [
                "TOOL_FILE: is bad", "TOOL_FILE: is ugly",
                "TOOL_SIZE can't be 'x': expected a whole number from 1 to 9",
            ])
    }

    @Test("a setting that is not requested, or not given, is not checked")
    func unasked() throws {
        let read = try reader(["TOOL_FILE": "good", "TOOL_SIZE": "3"]).read([file])
        #expect(read[file] == "good")
        let none = try reader([:]).read([file.orNone])
        #expect(none[file.orNone] == nil)
        let error = #expect(throws: SettingsError.self) {
            try reader(["TOOL_FILE": "bad"]).read([file.orNone])
        }
        #expect(error?.problems.count == 2)
    }
}
