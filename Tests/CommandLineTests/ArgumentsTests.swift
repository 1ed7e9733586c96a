import Testing

@testable import CommandLine
@testable import Configuration

/// A program with everything a command line can have.
private enum Sample {
    static let name = Parameter<String>.argument("NAME", .text, "The family's name.")
    static let extra = Parameter<[Int]>.rest("NUMBER", .integer(-9...9), "Numbers.")
    static let note = Parameter<String?>.optionalArgument("NOTE", .text, "A note.")
    static let role = Parameter<String?>.option(
        "role", short: "r", "ROLE", .word(["player", "parent"]), "What the member is.")
    static let limit = Parameter<Int>.option(
        "limit", short: "n", "N", .integer(-1...100), default: 20, "How many at most.")
    static let owner = Parameter<String>.requiredOption("owner", "EMAIL", .text, "Whose it is.")
    static let tag = Parameter<[String]>.repeatedOption("tag", "TAG", .text, "A tag.")
    static let json = Parameter<Bool>.flag("json", short: "j", "Print JSON.")
    static let verbose = Parameter<Bool>.flag("verbose", short: "v", "Tell more.")

    static func program(usageExitCode: Int32 = ExitCode.usage) -> Program {
        Program(
            Command(
                "tool", "Does things.", parameters: [json, verbose],
                subcommands: [
                    Command(
                        "family", "Families.",
                        subcommands: [
                            Command("create", "Creates.", parameters: [name, owner, tag]) { _ in 0
                            },
                            Command("list", "Lists.", parameters: [limit, role]) { _ in 0 },
                        ]),
                    Command("sum", "Adds up.", parameters: [extra]) { _ in 7 },
                    Command("fail", "Fails.", parameters: [note]) { values in
                        throw UsageError("no \(values[note] ?? "luck")")
                    },
                ]),
            version: "1.2.3", usageExitCode: usageExitCode,
            exitCodes: [.init(0, "Done."), .init(64, "Wrong command line.")])
    }

    static func values(_ words: String...) throws -> Values {
        guard case .run(_, let values) = try program().parse(words) else {
            throw UsageError("nothing to run")
        }
        return values
    }

    static func message(_ words: String...) -> String {
        do {
            _ = try program().parse(words)
            return "no error"
        } catch {
            return error.message
        }
    }

    static func run(_ words: String..., usageExitCode: Int32 = 64) -> (Int32, String, String) {
        var output = ""
        var errors = ""
        let code = program(usageExitCode: usageExitCode)
            .run(words, environment: [:], output: { output += $0 }, errorOutput: { errors += $0 })
        return (code, output, errors)
    }
}

@Suite("Reading a command line")
struct ArgumentsTests {
    @Test("where a group has a command that is meant without its name, its options are enough")
    func standard() throws {
        let trail = Command(
            "trail", "The trail.",
            subcommands: [
                Command("list", "Lists.", parameters: [Sample.limit, Sample.role]) { _ in 1 },
                Command("drop", "Drops.", parameters: [Sample.owner]) { _ in 2 },
            ], standard: "list")
        let program = Program(
            Command("tool", "Does things.", parameters: [Sample.json], subcommands: [trail]),
            version: "1")
        func run(_ line: String) -> (code: Int32, output: String) {
            var output = ""
            let words = line.split(separator: " ").map(String.init)
            let code = program.run(
                words, environment: [:], output: { output += $0 }, errorOutput: { output += $0 })
            return (code, output)
        }
        for line in [
            "trail", "trail --json", "trail --limit 3", "trail -n3 --json", "trail -jr player",
            "trail list", "trail list -n 3", "--json trail list",
        ] {
            #expect(run(line).code == 1, "\(line)")
        }
        #expect(run("trail drop --owner me").code == 2)
        #expect(run("trail --json drop --owner me").code == 2)
        #expect(run("trail --help").output.contains("Without a command 'list' is meant."))
        for line in ["trail --limit 3 drop", "trail --owner me", "trail lst", "trail --limits 3"] {
            #expect(run(line).code == ExitCode.usage, "\(line)")
        }
        let astray = Command("tool", "Does things.", subcommands: [trail], standard: "list")
        #expect(astray.problems().count == 1)
    }

    @Test("options are found before, between and after commands and arguments")
    func placement() throws {
        for words in [
            ["--json", "family", "create", "Home", "--owner", "me"],
            ["family", "--json", "create", "--owner=me", "Home"],
            ["family", "create", "--owner", "me", "Home", "-j"],
        ] {
            guard case .run(let command, let values) = try Sample.program().parse(words) else {
                Issue.record("nothing to run")
                continue
            }
            #expect(command.name == "create")
            #expect(values.commandPath == ["tool", "family", "create"])
            #expect(values[Sample.name] == "Home")
            #expect(values[Sample.owner] == "me")
            #expect(values[Sample.json] && !values[Sample.verbose])
        }
    }

    @Test("a value is taken from the next word, after '=' and glued to a short name")
    func valueForms() throws {
        #expect(try Sample.values("family", "list", "--limit", "5")[Sample.limit] == 5)
        #expect(try Sample.values("family", "list", "--limit=5")[Sample.limit] == 5)
        #expect(try Sample.values("family", "list", "-n", "5")[Sample.limit] == 5)
        #expect(try Sample.values("family", "list", "-n5")[Sample.limit] == 5)
        #expect(try Sample.values("family", "list", "-n=5")[Sample.limit] == 5)
        #expect(try Sample.values("family", "list", "-jvn5")[Sample.limit] == 5)
        #expect(try Sample.values("family", "list", "--limit", "-1")[Sample.limit] == -1)
    }

    @Test("what is not given is nil, its default, empty or false")
    func absent() throws {
        let values = try Sample.values("family", "list")
        #expect(values[Sample.limit] == 20)
        #expect(values[Sample.role] == nil)
        #expect(!values[Sample.json])
        #expect(try Sample.values("sum")[Sample.extra] == [])
        #expect(try Sample.values("fail")[Sample.note] == nil)
    }

    @Test("repeated options and the rest of the arguments keep their order")
    func repetition() throws {
        let values = try Sample.values(
            "family", "create", "A", "--owner", "o", "--tag", "x", "--tag=y")
        #expect(values[Sample.tag] == ["x", "y"])
        #expect(try Sample.values("sum", "1", "2", "--", "-3")[Sample.extra] == [1, 2, -3])
    }

    @Test("after '--' everything is an argument")
    func separator() throws {
        let values = try Sample.values("family", "create", "--owner", "o", "--", "--json")
        #expect(values[Sample.name] == "--json")
        #expect(!values[Sample.json])
        #expect(try Sample.values("fail", "-")[Sample.note] == "-")
    }

    @Test("each mistake is named together with what is expected")
    func mistakes() {
        #expect(
            Sample.message("family", "list", "--limit", "many")
                == "--limit can't be 'many': expected a whole number from -1 to 100")
        #expect(
            Sample.message("family", "list", "--limit=+5")
                == "--limit can't be '+5': expected a whole number from -1 to 100")
        #expect(
            Sample.message("family", "list", "-r", "uncle")
                == "--role can't be 'uncle': expected player or parent")
        #expect(
            Sample.message("family", "create", "A")
                == "--owner EMAIL is missing: expected some text")
        #expect(
            Sample.message("family", "create", "--owner", "o")
                == "NAME is missing: expected some text")
        #expect(
            Sample.message("family", "create", "--owner", "--json")
                == "--owner needs a value: expected some text")
        #expect(
            Sample.message("family", "create", "--owner")
                == "--owner needs a value: expected some text")
        #expect(
            Sample.message("family", "create", "A", "B", "--owner", "o")
                == "'B' is one argument too many: expected NAME")
        #expect(
            Sample.message("family", "list", "B")
                == "'B' is one argument too many: no arguments are expected")
        #expect(Sample.message("--json=yes") == "--json takes no value, but was given 'yes'")
        #expect(
            Sample.message("family", "list", "-n1", "-n2") == "--limit is given more than once")
        #expect(Sample.message() == "a command is missing")
        #expect(Sample.message("family") == "'family' needs a command")
    }

    @Test("a near miss is answered with what was probably meant")
    func suggestions() {
        #expect(Sample.message("--jsn") == "unknown option '--jsn'; did you mean '--json'?")
        #expect(Sample.message("--verb") == "unknown option '--verb'; did you mean '--verbose'?")
        #expect(Sample.message("--zebra") == "unknown option '--zebra'")
        #expect(Sample.message("-x") == "unknown option '-x'")
        #expect(Sample.message("famliy") == "unknown command 'famliy'; did you mean 'family'?")
        #expect(
            Sample.message("create")
                == "unknown command 'create'; did you mean 'tool family create'?")
        #expect(Sample.message("zebra") == "unknown command 'zebra'")
    }

    @Test("an error shows control characters as escapes")
    func terminalSafety() {
        #expect(
            Sample.message("family", "list", "--limit", "\u{1B}[2J")
                == "--limit can't be '\\u{1b}[2J': expected a whole number from -1 to 100")
        #expect(Sample.message("a\nb") == "unknown command 'a\\u{a}b'")
    }

    @Test("an option of another command is unknown here")
    func scope() {
        #expect(Sample.message("sum", "--limit", "3") == "unknown option '--limit'")
    }

    @Test("declarations that contradict each other are found")
    func unsoundDeclarations() {
        let rest = Parameter<[String]>.rest("A", .text, "")
        let jay = Parameter<Bool>.flag("jay", short: "j", "")
        for (parameters, problem): ([any DeclaredParameter], String) in [
            ([Sample.json, Sample.json], "--json is declared twice"),
            ([Sample.json, jay], "-j is declared twice"),
            ([rest, Sample.name], "A... must come last"),
            ([Parameter<Bool>.flag("help", "")], "--help is declared twice"),
            ([Parameter<Bool>.flag("host", short: "h", "")], "-h is declared twice"),
            ([Sample.note, Sample.name], "NAME is required, but follows an optional argument"),
        ] {
            let command = Command("c", "", parameters: parameters) { _ in 0 }
            #expect(command.problems().contains("c: \(problem)"))
        }
        let group = Command("g", "", parameters: [rest], subcommands: [])
        #expect(group.problems().isEmpty)
        let twins = Command("g", "", parameters: [rest], subcommands: [group, group])
        #expect(twins.problems().count == 2)
    }
}

@Suite("Running a command line")
struct ProgramTests {
    @Test("the command's exit code is the program's")
    func exitCode() {
        #expect(Sample.run("sum", "1").0 == 7)
    }

    @Test("a mistake goes to the error output, with the way to help, and exits 64 or as set")
    func usage() {
        let (code, output, errors) = Sample.run("family", "lst")
        #expect(code == 64)
        #expect(output.isEmpty)
        #expect(
            errors == """
                tool: unknown command 'lst'; did you mean 'list'?
                Commands: create, list
                Try 'tool family --help'.

                """)
        #expect(Sample.run("family", usageExitCode: 2).0 == 2)
    }

    @Test("a command can refuse its own arguments")
    func ownRefusal() {
        let (code, _, errors) = Sample.run("fail", "way")
        #expect(code == 64)
        #expect(errors.hasPrefix("tool: no way\n"))
    }

    @Test("version goes to the output")
    func version() {
        #expect(Sample.run("--version") == (0, "tool 1.2.3\n", ""))
        #expect(Sample.run("family", "--version").1 == "tool 1.2.3\n")
    }

    @Test("help is given wherever it is asked for, even beside mistakes")
    func helpWins() {
        let expected = Sample.run("family", "list", "--help").1
        #expect(expected.hasPrefix("Lists.\n"))
        #expect(Sample.run("help", "family", "list").1 == expected)
        #expect(Sample.run("family", "list", "-h").1 == expected)
        #expect(Sample.run("family", "list", "--bogus", "--help").1 == expected)
        #expect(Sample.run("family", "list", "--limit", "--help").1 == expected)
        #expect(Sample.run("family", "list", "--limit", "x", "-n", "y", "--", "-h").0 == 64)
    }

    @Test("errors end as one line and their own exit code")
    func thrownErrors() {
        struct Broken: ExitCoded, CustomStringConvertible {
            let exitCode: Int32 = 78
            let description = "it is broken"
        }
        let program = Program(Command("tool", "") { _ in throw Broken() }, version: "1")
        var errors = ""
        #expect(
            program.run([], environment: [:], output: { _ in }, errorOutput: { errors += $0 }) == 78
        )
        #expect(errors == "tool: it is broken\n")
    }

    @Test("an error that tells developers more tells it to the operator, without secrets")
    func debugText() {
        struct Lost: Error, CustomStringConvertible, CustomDebugStringConvertible {
            let description = "The database is not reachable."
            let debugDescription = "refused at 10.0.0.1 for password=hunter2"
        }
        let program = Program(Command("tool", "") { _ in throw Lost() }, version: "1")
        var errors = ""
        let code = program.run(
            [], environment: [:], output: { _ in }, errorOutput: { errors += $0 })
        #expect(code == 1)
        #expect(
            errors == """
                tool: The database is not reachable.
                  refused at 10.0.0.1 for [secret]

                """)
    }

    @Test("an error that tells developers the same behind a code is told once")
    func sameText() {
        struct Taken: Error, CustomStringConvertible, CustomDebugStringConvertible {
            let description = "listening: Address already in use"
            let debugDescription = "addressInUse: listening: Address already in use"
        }
        let program = Program(Command("tool", "") { _ in throw Taken() }, version: "1")
        var errors = ""
        let code = program.run(
            [], environment: [:], output: { _ in }, errorOutput: { errors += $0 })
        #expect(code == 1)
        #expect(errors == "tool: listening: Address already in use\n")
    }
}

@Suite("Help")
struct HelpTests {
    @Test("a command's help tells usage, arguments, options with defaults, and general options")
    func command() {
        #expect(
            Sample.run("family", "list", "--help").1 == """
                Lists.

                Usage:
                  tool family list [--limit N] [--role ROLE]

                Options:
                  -n, --limit N    How many at most. (default: 20)
                  -r, --role ROLE  What the member is. One of: player, parent.

                General options:
                  -j, --json     Print JSON.
                  -v, --verbose  Tell more.
                  -h, --help     Show this help.
                  --version      Show the version.

                """)
    }

    @Test("the program's help lists commands and exit codes")
    func program() {
        let help = Sample.run("--help").1
        #expect(help.contains("Usage:\n  tool [--json] [--verbose] COMMAND ...\n"))
        #expect(
            help.contains(
                """
                Commands:
                  family            Families.
                  sum               Adds up.
                  fail              Fails.
                  completion SHELL  Print a script that completes command lines. One of: bash,
                                    zsh, fish.
                  man               Print the manual page, for man or mandoc.

                """))
        #expect(help.contains("Exit codes:\n  0   Done.\n  64  Wrong command line.\n"))
        #expect(help.hasSuffix("'tool COMMAND --help' describes a command.\n"))
    }

    @Test("whoever asks for help with completion gets help, and no complaint of a shell's name")
    func builtIn() {
        for (word, help) in [
            ("completion", "--help"), ("completion", "-h"), ("--completion", "--help"),
        ] {
            let (code, output, _) = Sample.run(word, help)
            #expect(code == 0 && output.contains("completion SHELL"), "\(word) \(help)")
        }
    }

    @Test("no line is wider than 80 columns, however much there is to say")
    func width() {
        let words = Array(repeating: "several words of explanation", count: 9)
            .joined(separator: " ")
        let parameters = (0..<9).map { index in
            Parameter<String>.requiredOption(
                "a-rather-long-name-\(index)", "PLACEHOLDER", .text, words)
        }
        let program = Program(
            Command(
                "tool", words, discussion: [words], parameters: parameters,
                examples: [Example("tool x", words)]
            ) { _ in 0 },
            version: "1")
        var help = ""
        _ = program.run(["--help"], environment: [:], output: { help += $0 }, errorOutput: { _ in })
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count > 40)
        #expect(lines.allSatisfy { $0.count <= 80 })
    }
}

@Suite("Nearest words")
struct SuggestionTests {
    @Test(
        "distance counts insertions, deletions, replacements and swaps",
        arguments: [
            ("", "", 0), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1), ("abc", "ab", 1),
            ("ab", "abc", 1), ("kitten", "sitting", 3), ("", "abc", 3),
        ])
    func distance(a: String, b: String, expected: Int) {
        #expect(editDistance(Array(a), Array(b)) == expected)
    }

    @Test("an abbreviation of several words suggests none of them")
    func ambiguous() {
        #expect(nearest(to: "re", among: ["remove", "rename"]) == nil)
        #expect(nearest(to: "rem", among: ["remove", "rename"]) == "remove")
    }
}
