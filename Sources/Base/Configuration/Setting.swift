/// A setting: its name, the expected form, and the type of its value.
///
/// Declared once, a setting is read, checked and explained from its declaration, and then is the
/// key to its own value in `Settings`.
package struct Setting<Value: Sendable>: DeclaredSetting {
    /// The setting apart from its type.
    package let declaration: SettingDeclaration
    let decode: @Sendable (String?) -> Value?

    /// Decodes the given text into the form that `Settings` stores; nil if it is not as expected.
    package func box(_ word: String?) -> (any Sendable)? {
        decode(word).map { Box(value: $0) }
    }
}

/// A setting of any type, for an executable's list.
package protocol DeclaredSetting: Sendable {
    /// The setting apart from its type.
    var declaration: SettingDeclaration { get }
    /// Decodes the given text into the form that `Settings` stores; nil if it is not as expected.
    func box(_ word: String?) -> (any Sendable)?
}

/// The declaration of a setting, for reading, help and error messages.
package struct SettingDeclaration: Sendable, Equatable {
    /// Whether a setting must be given.
    package enum Presence: Sendable, Equatable {
        /// It must.
        case required
        /// It need not, and there is no value then.
        case optional
        /// It must if the setting of this name is given.
        case neededWith(String)
        /// It need not; this is what holds instead, as it would be written.
        case defaulted(String)
    }

    /// The name in the environment and in the file.
    package let name: String
    /// Whether it must be given.
    package let presence: Presence
    /// True when its value must never be shown. It can then also be given by `NAME_FILE`, the path
    /// of a file that holds it.
    package let isSecret: Bool
    /// True when people put secrets into a wrong value of it, so that such a one is never repeated.
    var mayHoldSecret = false
    /// The expected form of its value; completes "expected".
    package let expected: String
    /// One or two sentences, ending in a full stop.
    package let help: String

    /// The name under which a file that holds the value is given; nil when that can't be.
    package var fileName: String? { isSecret ? name + "_FILE" : nil }

    /// The text for help, with derived parts.
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
    /// A setting that must be given.
    package static func required(
        _ name: String, _ expectation: Expectation<Value>, isSecret: Bool = false, _ help: String
    ) -> Setting {
        Setting(
            declaration: SettingDeclaration(
                name: name, presence: .required, isSecret: isSecret,
                expected: expectation.description, help: help)
        ) { $0.flatMap(expectation.value) }
    }

    /// A setting that is nil when it is not given.
    ///
    /// `neededWith` names another setting: where that one is given, this one must be too.
    /// `mayHoldSecret`: a wrong value of it is not repeated.
    package static func optional<Wrapped>(
        _ name: String, _ expectation: Expectation<Wrapped>, neededWith: String? = nil,
        isSecret: Bool = false, mayHoldSecret: Bool = false, _ help: String
    ) -> Setting where Value == Wrapped? {
        Setting(
            declaration: SettingDeclaration(
                name: name, presence: neededWith.map { .neededWith($0) } ?? .optional,
                isSecret: isSecret, mayHoldSecret: mayHoldSecret, expected: expectation.description,
                help: help)
        ) { word in
            guard let word else { return .some(nil) }
            return expectation.value(of: word).map { .some($0) }
        }
    }

    /// The same setting as an optional one; nil if it is not given.
    package var orNone: Setting<Value?> {
        Setting<Value?>(
            declaration: SettingDeclaration(
                name: declaration.name, presence: .optional, isSecret: declaration.isSecret,
                expected: declaration.expected, help: declaration.help)
        ) { [decode] word in
            guard let word else { return .some(nil) }
            return decode(word).map { .some($0) }
        }
    }

    /// A setting with a default, written as a person would write it.
    ///
    /// The default must itself be as expected.
    package static func defaulted(
        _ name: String, _ expectation: Expectation<Value>, default: String, _ help: String
    ) -> Setting {
        precondition(
            expectation.value(of: `default`) != nil,
            "\(name): the default is not \(expectation.description)")
        return Setting(
            declaration: SettingDeclaration(
                name: name, presence: .defaulted(`default`), isSecret: false,
                expected: expectation.description, help: help)
        ) { expectation.value(of: $0 ?? `default`) }
    }
}
