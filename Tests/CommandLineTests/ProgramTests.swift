import Configuration
import Testing

@testable import CommandLine

@Suite("Running command lines")
struct ProgramTests {
    @Test("the program exits with the command's exit code")
    func exitCode() {
        #expect(Sample.run("sum", "1").0 == 7)
    }

    @Test("a usage error refers to the help on standard error and exits with 64 or a chosen code")
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

    @Test("the version is written to standard output")
    func version() {
        #expect(Sample.run("--version") == (0, "tool 1.2.3\n", ""))
        #expect(Sample.run("family", "--version").1 == "tool 1.2.3\n")
    }

    @Test("a request for help takes precedence over mistakes")
    func helpWins() {
        let expected = Sample.run("family", "list", "--help").1
        #expect(expected.hasPrefix("Lists.\n"))
        #expect(Sample.run("help", "family", "list").1 == expected)
        #expect(Sample.run("family", "list", "-h").1 == expected)
        #expect(Sample.run("family", "list", "--bogus", "--help").1 == expected)
        #expect(Sample.run("family", "list", "--limit", "--help").1 == expected)
        #expect(Sample.run("family", "list", "--limit", "x", "-n", "y", "--", "-h").0 == 64)
    }

    @Test("an error prints one line and exits with its own code")
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

    @Test("developers' details of an error are shown to the operator, without secrets")
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

    @Test("developers' details are omitted if they only add a code to the message")
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
