import Configuration

extension Program {
    /// The option `--config FILE`.
    static let config = Parameter<String?>.option(
        "config", "FILE", .file,
        "A file of NAME=VALUE lines with settings. The environment overrides it.")

    /// The option `--check-config`.
    static let checkConfig = Parameter<Bool>.flag(
        "check-config", "Check every setting, print the values in effect, and exit.")

    static var generalOptions: [any DeclaredParameter] { [config, checkConfig] }

    func reader(_ environment: [String: String], configPath: String?) -> SettingsReader {
        SettingsReader(
            environment: environment, knownSettings: knownSettings, configPath: configPath,
            checks: checks)
    }

    /// Returns the output of `--check-config` if every setting is as expected.
    func checkConfig(_ reader: SettingsReader) throws -> String {
        let values = try reader.read(settings)
        let checkWarnings = try check?(values) ?? []
        let warnings = (checkWarnings + misspelledVariables(reader)).map {
            "warning: \(($0).printable)"
        }
        return (values.shown + warnings).joined(separator: "\n") + "\n"
    }

    /// Returns warnings about environment variables that look like settings but are not.
    func misspelledVariables(_ reader: SettingsReader) -> [String] {
        if settings.isEmpty { return [] }
        return reader.unknownVariables(prefix: "HEARTH_").filter { warning in
            !Self.namesOfScripts.contains { warning.hasPrefix($0) }
        }
    }

    /// Prefixes of names that only Hearth's scripts, builds and tests read.
    private static let namesOfScripts = [
        "HEARTH_POSTGRES_BIN", "HEARTH_REVISION", "HEARTH_NOTE_RELEASE", "HEARTH_AGREEMENT_",
        "HEARTH_TEST_",
    ]
}
