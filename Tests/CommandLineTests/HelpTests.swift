import Testing

@testable import CommandLine

@Suite("Help")
struct HelpTests {
    @Test("a command's help shows usage, arguments, options with defaults, and general options")
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

    @Test("a request for help about 'completion' or 'man' prints the help of that command")
    func builtIn() {
        let general = """

            General options:
              -j, --json     Print JSON.
              -v, --verbose  Tell more.
              -h, --help     Show this help.
              --version      Show the version.

            """
        let completion = """
            Print a script that completes command lines.

            Usage:
              tool completion SHELL

            Arguments:
              SHELL  The shell. One of: bash, zsh, fish.

            """ + general
        #expect(Sample.run("completion", "--help").1 == completion)
        #expect(Sample.run("completion", "-h").1 == completion)
        #expect(Sample.run("completion", "bash", "--help").1 == completion)
        #expect(Sample.run("completion", "csh", "--help").1 == completion)
        #expect(Sample.run("help", "completion").1 == completion)
        let manual = """
            Print the manual page, for man or mandoc.

            Usage:
              tool man

            """ + general
        #expect(Sample.run("man", "--help").1 == manual)
        #expect(Sample.run("man", "-h").1 == manual)
        #expect(Sample.run("help", "man").1 == manual)
        #expect(Sample.run("completion").2.hasSuffix("Try 'tool completion --help'.\n"))
    }

    @Test("'--help' after the option '--completion' prints help instead of refusing a shell's name")
    func builtInOption() {
        let (code, output, _) = Sample.run("--completion", "--help")
        #expect(code == 0 && output == Sample.run("--help").1)
    }

    @Test("help lines have at most 80 columns, however long the texts are")
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
