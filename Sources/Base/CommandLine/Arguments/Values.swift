package import Configuration

/// The values of a command line, by their parameters.
package struct Values: Sendable {
    /// The program's name and the selected commands: `["hearth-admin", "family", "create"]`.
    package let commandPath: [String]
    private let decoded: [String: any Sendable]
    /// The reader of settings for this command line; nil in a program without settings.
    var reader: SettingsReader?

    init(commandPath: [String], decoded: [String: any Sendable]) {
        self.commandPath = commandPath
        self.decoded = decoded
    }

    /// Returns the value of a parameter.
    ///
    /// The parameter must belong to the selected command or to a command above it.
    package subscript<Value>(_ parameter: Parameter<Value>) -> Value {
        guard let box = decoded[parameter.declaration.name] as? Box<Value> else {
            preconditionFailure(
                "\(parameter.declaration.spelling) is not a parameter of "
                    + commandPath.joined(separator: " "))
        }
        return box.value
    }

    /// Reads the settings that the command needs, from the environment and the file named by
    /// `--config`.
    ///
    /// Only the requested settings are checked, so a command requests what it uses.
    package func settings(_ requested: [any DeclaredSetting]) throws(SettingsError) -> Settings {
        guard let reader else { preconditionFailure("the program declares no settings") }
        return try reader.read(requested)
    }
}
