package import Configuration

/// The values of a command line, by their parameters.
package struct Values: Sendable {
    /// The program's name and the commands chosen: `["hearth-admin", "family", "create"]`.
    package let commandPath: [String]
    private let decoded: [String: any Sendable]
    /// The reader of settings for this command line; nil in a program without settings.
    var reader: SettingsReader?

    init(commandPath: [String], decoded: [String: any Sendable]) {
        self.commandPath = commandPath
        self.decoded = decoded
    }

    /// The value of a parameter.
    ///
    /// The parameter must be one of the chosen command's, or of a command above it.
    package subscript<Value>(_ parameter: Parameter<Value>) -> Value {
        guard let box = decoded[parameter.declaration.name] as? Box<Value> else {
            preconditionFailure(
                "\(parameter.declaration.spelling) is not a parameter of "
                    + commandPath.joined(separator: " "))
        }
        return box.value
    }

    /// The settings that the command needs, from the environment and the file that `--config`
    /// names.
    ///
    /// Only the requested settings are checked: a command requests what it uses.
    package func settings(_ wanted: [any DeclaredSetting]) throws(SettingsError) -> Settings {
        guard let reader else { preconditionFailure("the program declares no settings") }
        return try reader.read(wanted)
    }
}
