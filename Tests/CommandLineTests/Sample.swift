import Configuration

@testable import CommandLine

/// A program that uses every feature of command lines.
enum Sample {
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
