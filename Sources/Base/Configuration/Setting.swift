/// A setting: its name, the expected form, and the type of its value.
///
/// A setting is declared once. It is read, checked and explained from its declaration, and is then
/// the key to its own value in `Settings`.
package struct Setting<Value: Sendable>: DeclaredSetting {
    /// The declaration without the type.
    package let declaration: SettingDeclaration
    let decode: @Sendable (String?) -> Value?

    /// Decodes the given text into the form that `Settings` stores; nil if it is not as expected.
    package func box(_ word: String?) -> (any Sendable)? {
        decode(word).map { Box(value: $0) }
    }
}

/// A setting of any type, for an executable's list.
package protocol DeclaredSetting: Sendable {
    /// The declaration without the type.
    var declaration: SettingDeclaration { get }
    /// Decodes the given text into the form that `Settings` stores; nil if it is not as expected.
    func box(_ word: String?) -> (any Sendable)?
}

/// The declaration of a setting, for reading, help and error messages.
package struct SettingDeclaration: Sendable, Equatable {
    /// Whether a setting must be given.
    package enum Presence: Sendable, Equatable {
        /// The setting must be given.
        case required
        /// The setting may be omitted and then has no value.
        case optional
        /// The setting must be given if the named setting is.
        case neededWith(String)
        /// The setting may be omitted and then has this value, in its written form.
        case defaulted(String)
    }

    /// The name in the environment and in the file.
    package let name: String
    /// Whether the setting must be given.
    package let presence: Presence
    /// True if the value must never be shown. It can then also be given with `NAME_FILE`, the path
    /// of a file that contains it.
    package let isSecret: Bool
    /// True if a wrong value may contain a secret, so that it is never repeated.
    var mayHoldSecret = false
    /// Whether the value is a path on this machine.
    var isPath = false
    /// The expected form of its value; completes "expected".
    package let expected: String
    /// One or two sentences, with a full stop.
    package let help: String

    /// Name of the setting with the path of a file that contains the value; nil if the setting is
    /// not secret.
    package var fileName: String? { isSecret ? name + "_FILE" : nil }

    /// The text for help, including derived parts.
    package var explanation: String {
        let presenceNote =
            switch presence {
            case .required: "(required)"
            case .optional: ""
            case .neededWith(let other): "(required with \(other))"
            case .defaulted(let value): "(default: \(value))"
            }
        let file = fileName.map { "Or \($0)." } ?? ""
        return [help, "Expected: \(expected).", file, presenceNote].filter { !$0.isEmpty }
            .joined(separator: " ")
    }
}

extension Setting {
    /// Declares a required setting.
    package static func required(
        _ name: String, _ expectation: Expectation<Value>, isSecret: Bool = false, _ help: String
    ) -> Setting {
        Setting(
            declaration: SettingDeclaration(
                name: name, presence: .required, isSecret: isSecret,
                isPath: expectation.isPath, expected: expectation.description, help: help)
        ) { $0.flatMap(expectation.value) }
    }

    /// Declares a setting that is nil if omitted.
    ///
    /// `neededWith` names another setting: if that one is given, this one must be too. With
    /// `mayHoldSecret`, a wrong value is not repeated.
    package static func optional<Wrapped>(
        _ name: String, _ expectation: Expectation<Wrapped>, neededWith: String? = nil,
        isSecret: Bool = false, mayHoldSecret: Bool = false, _ help: String
    ) -> Setting where Value == Wrapped? {
        Setting(
            declaration: SettingDeclaration(
                name: name, presence: neededWith.map { .neededWith($0) } ?? .optional,
                isSecret: isSecret, mayHoldSecret: mayHoldSecret, isPath: expectation.isPath,
                expected: expectation.description, help: help)
        ) { word in
            guard let word else { return .some(nil) }
            return expectation.value(of: word).map { .some($0) }
        }
    }

    /// A copy of this setting made optional; nil if omitted.
    package var orNone: Setting<Value?> {
        Setting<Value?>(
            declaration: SettingDeclaration(
                name: declaration.name, presence: .optional, isSecret: declaration.isSecret,
                mayHoldSecret: declaration.mayHoldSecret, isPath: declaration.isPath,
                expected: declaration.expected, help: declaration.help)
        ) { [decode] word in
            guard let word else { return .some(nil) }
            return decode(word).map { .some($0) }
        }
    }

    /// Declares a setting with a default in its written form.
    ///
    /// The default must have the expected form.
    package static func defaulted(
        _ name: String, _ expectation: Expectation<Value>, default: String, _ help: String
    ) -> Setting {
        precondition(
            expectation.value(of: `default`) != nil,
            "\(name): the default is not \(expectation.description)")
        return Setting(
            declaration: SettingDeclaration(
                name: name, presence: .defaulted(`default`), isSecret: false,
                isPath: expectation.isPath, expected: expectation.description, help: help)
        ) { expectation.value(of: $0 ?? `default`) }
    }
}
