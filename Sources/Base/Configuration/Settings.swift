/// Settings that were all found to be as expected.
package struct Settings: Sendable {
    /// Where a setting's value came from.
    enum Origin: Sendable, Equatable {
        /// An environment variable, maybe by way of a file that it names.
        case environment
        /// A line of the configuration file, counted from 1.
        case file(line: Int)
        /// It was not given.
        case standard
    }

    private let decoded: [String: any Sendable]
    /// Every setting as it can be shown to a person, in the order it was asked for.
    package let shown: [String]

    init(decoded: [String: any Sendable], shown: [String]) {
        self.decoded = decoded
        self.shown = shown
    }

    /// The value of a setting, which must have been read.
    package subscript<Value>(_ setting: Setting<Value>) -> Value {
        guard let box = decoded[setting.declaration.name] as? Box<Value> else {
            preconditionFailure("\(setting.declaration.name) was not read")
        }
        return box.value
    }
}

/// Settings that are missing or wrong, all of them at once.
package struct SettingsError: ExitCoded, Equatable, CustomStringConvertible {
    /// One line each, naming the setting and what is expected; never a secret's value.
    package let problems: [String]

    /// A custom error, such as two settings that exclude each other.
    package init(_ problems: [String]) {
        self.problems = problems
    }

    /// The exit code for wrong settings.
    package var exitCode: Int32 { ExitCode.configuration }

    /// All problems, one a line.
    package var description: String {
        let count = problems.count == 1 ? "1 setting is" : "\(problems.count) settings are"
        return (["\(count) not as expected:"] + problems).joined(separator: "\n  ")
    }
}
