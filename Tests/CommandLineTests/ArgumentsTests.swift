import Configuration
import Testing

@testable import CommandLine

@Suite("Parsing command lines")
struct ArgumentsTests {
    @Test("a group's default subcommand runs if only its options are given")
    func standard() throws {
        let trail = Command(
            "trail", "The trail.",
            subcommands: [
                Command("list", "Lists.", parameters: [Sample.limit, Sample.role]) { _ in 1 },
                Command("drop", "Drops.", parameters: [Sample.owner]) { _ in 2 },
            ], defaultSubcommand: "list")
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
        #expect(run("trail --help").output.contains("Without a command, 'list' is run."))
        for line in ["trail --limit 3 drop", "trail --owner me", "trail lst", "trail --limits 3"] {
            #expect(run(line).code == ExitCode.usage, "\(line)")
        }
        let astray = Command(
            "tool", "Does things.", subcommands: [trail], defaultSubcommand: "list")
        #expect(astray.problems().count == 1)
    }

    @Test("options are accepted before, between and after commands and arguments")
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

    @Test("a value follows as the next word, after '=' or directly after a short name")
    func valueForms() throws {
        #expect(try Sample.values("family", "list", "--limit", "5")[Sample.limit] == 5)
        #expect(try Sample.values("family", "list", "--limit=5")[Sample.limit] == 5)
        #expect(try Sample.values("family", "list", "-n", "5")[Sample.limit] == 5)
        #expect(try Sample.values("family", "list", "-n5")[Sample.limit] == 5)
        #expect(try Sample.values("family", "list", "-n=5")[Sample.limit] == 5)
        #expect(try Sample.values("family", "list", "-jvn5")[Sample.limit] == 5)
        #expect(try Sample.values("family", "list", "--limit", "-1")[Sample.limit] == -1)
    }

    @Test("an omitted parameter is nil, empty or false, or has its default")
    func absent() throws {
        let values = try Sample.values("family", "list")
        #expect(values[Sample.limit] == 20)
        #expect(values[Sample.role] == nil)
        #expect(!values[Sample.json])
        #expect(try Sample.values("sum")[Sample.extra] == [])
        #expect(try Sample.values("fail")[Sample.note] == nil)
    }

    @Test("repeated options and remaining arguments keep their order")
    func repetition() throws {
        let values = try Sample.values(
            "family", "create", "A", "--owner", "o", "--tag", "x", "--tag=y")
        #expect(values[Sample.tag] == ["x", "y"])
        #expect(try Sample.values("sum", "1", "2", "--", "-3")[Sample.extra] == [1, 2, -3])
    }

    @Test("every word after '--' is an argument")
    func separator() throws {
        let values = try Sample.values("family", "create", "--owner", "o", "--", "--json")
        #expect(values[Sample.name] == "--json")
        #expect(!values[Sample.json])
        #expect(try Sample.values("fail", "-")[Sample.note] == "-")
    }

    @Test("each mistake is reported together with the expected form")
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
                == "unexpected argument 'B': expected NAME")
        #expect(
            Sample.message("family", "list", "B")
                == "unexpected argument 'B': no arguments are expected")
        #expect(Sample.message("--json=yes") == "--json takes no value, but was given 'yes'")
        #expect(
            Sample.message("family", "list", "-n1", "-n2") == "--limit was given more than once")
        #expect(Sample.message() == "a command is missing")
        #expect(Sample.message("family") == "'family' needs a command")
    }

    @Test("a misspelt name suggests the nearest one")
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

    @Test("error messages show control characters as escapes")
    func terminalSafety() {
        #expect(
            Sample.message("family", "list", "--limit", "\u{1B}[2J")
                == "--limit can't be '\\u{1b}[2J': expected a whole number from -1 to 100")
        #expect(Sample.message("a\u{7}b") == "unknown command 'a\\u{7}b'")
        // Several lines may be a key.
        #expect(
            Sample.message("a\nb") == "unknown command (not shown: it may contain a secret)")
    }

    @Test("another command's option is refused as unknown")
    func scope() {
        #expect(Sample.message("sum", "--limit", "3") == "unknown option '--limit'")
    }

    @Test("contradictory declarations of parameters are reported")
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
