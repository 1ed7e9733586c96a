import CommandLine
import Configuration
import FamilySettings
import Identity

/// `hearth-admin keys`: the keys of Hearth's own tokens.
enum KeysCommand {
    static let command = Command(
        "keys", "The keys that sign Hearth's own tokens.",
        subcommands: [create, rotate, show])

    /// Number of older keys that stay valid beside a new one: their tokens last ten minutes.
    private static let formerKeyCount = 2

    private static func path(_ values: Values) throws -> String {
        let setting = HearthSettings.signingKeysFile
        guard let path = try values.settings([setting])[setting] else {
            throw SettingsError(["HEARTH_SIGNING_KEYS_FILE: expected the path of a file"])
        }
        return path
    }

    /// Runs `body` and names the setting of the file in the error about a mistake in it.
    private static func readable<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let mistake as SigningKeys.Mistake {
            throw SettingsError(["HEARTH_SIGNING_KEYS_FILE: \(mistake)"])
        }
    }

    private static let file = Parameter<String>.argument(
        "FILE", .file, "The file to create. It must not exist yet.")

    private static let create = Command(
        "create", "Creates a file with a first key, for HEARTH_SIGNING_KEYS_FILE.",
        parameters: [file]
    ) { values in
        try SigningKeys.create(values[file])
        values.output.done("created") { $0.member("keys", 1) }
        return ExitCode.success
    }

    private static let rotate = Command(
        "rotate", "Puts a new key in front of the others in HEARTH_SIGNING_KEYS_FILE.",
        discussion: [
            "Running programs load it within seconds and sign with it. The last "
                + "\(formerKeyCount) keys stay, so tokens that were signed before remain "
                + "valid. Pass the new public keys ('hearth-admin keys show') to PostgREST."
        ]
    ) { values in
        let path = try path(values)
        let count = try readable { try SigningKeys.rotate(path, keeping: formerKeyCount) }
        values.output.done("\(count) keys; the first one signs") { $0.member("keys", count) }
        return ExitCode.success
    }

    private static let show = Command(
        "show", "Prints the public keys as a JSON Web Key Set."
    ) { values in
        let path = try path(values)
        let keys = try readable { try SigningKeys(path: path) }
        Terminal.standardOutput.write(keys.published + [UInt8(ascii: "\n")])
        return ExitCode.success
    }
}
