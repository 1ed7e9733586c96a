/// Settings that were all found to be valid.
package struct Settings: Sendable {
    /// The origin of a setting's value.
    enum Origin: Sendable, Equatable {
        /// An environment variable, or a file that it names.
        case environment
        /// A line of the configuration file, counted from 1.
        case file(line: Int)
        /// The default, because the setting was omitted.
        case standard
    }

    private let decoded: [String: any Sendable]
    /// Every setting in a form that can be shown, in the order requested.
    package let shown: [String]
    /// The settings as in ``shown``, but without paths on this machine: a value that is a path is
    /// omitted, and so is the file that contains a setting.
    package let shownWithoutPaths: [String]

    init(decoded: [String: any Sendable], shown: [String], shownWithoutPaths: [String]) {
        self.decoded = decoded
        self.shown = shown
        self.shownWithoutPaths = shownWithoutPaths
    }

    /// Returns the value of a setting, which must have been read.
    package subscript<Value>(_ setting: Setting<Value>) -> Value {
        guard let box = decoded[setting.declaration.name] as? Box<Value> else {
            preconditionFailure("\(setting.declaration.name) was not read")
        }
        return box.value
    }
}

/// All settings that are missing or wrong.
package struct SettingsError: ExitCoded, Equatable, CustomStringConvertible {
    /// One line per problem, with the setting's name and the expected form; never a secret's value.
    package let problems: [String]

    /// Creates a custom error, such as two settings that exclude each other.
    package init(_ problems: [String]) {
        self.problems = problems
    }

    package var exitCode: Int32 { ExitCode.configuration }

    /// All problems, one per line.
    package var description: String {
        let count = problems.count == 1 ? "1 setting is" : "\(problems.count) settings are"
        return (["\(count) wrong:"] + problems).joined(separator: "\n  ")
    }
}
