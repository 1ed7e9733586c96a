package import Configuration

/// An option, flag or positional argument of a command, with the type of its value.
///
/// A parameter is declared once, listed in a `Command`, and is then the key to its own value:
/// ```swift
/// let name = Parameter.argument("NAME", .text, "The family's name.")
/// let json = Parameter.flag("json", "Print JSON instead of a table.")
/// let create = Command("create", "Create a family.", parameters: [name, json]) { values in
///     values[json] ? ... : values[name]
/// }
/// ```
package struct Parameter<Value: Sendable>: DeclaredParameter {
    /// The declaration without the type.
    package let declaration: Declaration
    let decode: @Sendable ([String]) throws(UsageError) -> Value

    /// Decodes the words given for this parameter into the form that `Values` stores.
    package func box(_ words: [String]) throws(UsageError) -> any Sendable {
        Box(value: try decode(words))
    }
}

/// A parameter of any type, for a command's list.
package protocol DeclaredParameter: Sendable {
    /// The declaration used by parsing, help, completion and the manual page.
    var declaration: Declaration { get }
    /// Decodes the words given for this parameter into the form that `Values` stores.
    func box(_ words: [String]) throws(UsageError) -> any Sendable
}

extension Parameter where Value == Bool {
    /// Declares `--name`: true if given.
    package static func flag(_ name: String, short: Character? = nil, _ help: String) -> Parameter {
        let declaration = Declaration(
            name: name, short: short, placeholder: nil, presence: .optional, repeats: false,
            help: help, expected: "", completion: .none)
        return Parameter(declaration: declaration) { (words) throws(UsageError) in !words.isEmpty }
    }
}

extension Parameter {
    /// Declares `--name VALUE`: nil if omitted.
    ///
    /// - Parameter isSecret: Whether a wrong value must not be repeated.
    package static func option<Wrapped>(
        _ name: String, short: Character? = nil, _ placeholder: String,
        _ expectation: Expectation<Wrapped>, isSecret: Bool = false, _ help: String
    ) -> Parameter where Value == Wrapped? {
        .named(
            name, short, placeholder, .optional, isSecret: isSecret, expectation, help
        ) { $0.last }
    }

    /// Declares `--name VALUE` with a default.
    ///
    /// `shownDefault` is the text in help if the default doesn't print well.
    package static func option(
        _ name: String, short: Character? = nil, _ placeholder: String,
        _ expectation: Expectation<Value>, default: Value, shownDefault: String? = nil,
        _ help: String
    ) -> Parameter {
        let shown = shownDefault ?? String(describing: `default`)
        return .named(name, short, placeholder, .defaulted(shown), expectation, help) {
            $0.last ?? `default`
        }
    }

    /// Declares a required `--name VALUE`.
    package static func requiredOption(
        _ name: String, short: Character? = nil, _ placeholder: String,
        _ expectation: Expectation<Value>, _ help: String
    ) -> Parameter {
        .single(
            Declaration(
                name: name, short: short, placeholder: placeholder, presence: .required,
                repeats: false, help: help, expected: expectation.description,
                completion: expectation.completion),
            expectation)
    }

    /// Declares `--name VALUE`, any number of times, in the order given.
    package static func repeatedOption<Element>(
        _ name: String, short: Character? = nil, _ placeholder: String,
        _ expectation: Expectation<Element>, _ help: String
    ) -> Parameter where Value == [Element] {
        .named(name, short, placeholder, .optional, repeats: true, expectation, help) { $0 }
    }

    /// Declares a required positional argument.
    package static func argument(
        _ placeholder: String, _ expectation: Expectation<Value>, _ help: String
    ) -> Parameter {
        .single(
            Declaration(
                positional: placeholder, presence: .required, repeats: false, help: help,
                expected: expectation.description, completion: expectation.completion),
            expectation)
    }

    /// Declares a positional argument: nil if omitted.
    package static func optionalArgument<Wrapped>(
        _ placeholder: String, _ expectation: Expectation<Wrapped>, _ help: String
    ) -> Parameter where Value == Wrapped? {
        .positional(placeholder, .optional, repeats: false, expectation, help) { $0.last }
    }

    /// Declares all remaining positional arguments; at least one if `isRequired`.
    package static func rest<Element>(
        _ placeholder: String, _ expectation: Expectation<Element>, isRequired: Bool = false,
        _ help: String
    ) -> Parameter where Value == [Element] {
        .positional(
            placeholder, isRequired ? .required : .optional, repeats: true, expectation, help
        ) { $0 }
    }
}

// MARK: - Decoding words into the value

extension Parameter {
    private static func named<Element>(
        _ name: String, _ short: Character?, _ placeholder: String,
        _ presence: Declaration.Presence, repeats: Bool = false, isSecret: Bool = false,
        _ expectation: Expectation<Element>, _ help: String,
        collect: @escaping @Sendable ([Element]) -> Value
    ) -> Parameter {
        let plain = Declaration(
            name: name, short: short, placeholder: placeholder, presence: presence,
            repeats: repeats, help: help, expected: expectation.description,
            completion: expectation.completion)
        let declaration = isSecret ? plain.secret() : plain
        return Parameter(declaration: declaration) { (words) throws(UsageError) in
            collect(try decodeAll(words, of: declaration, expectation))
        }
    }

    private static func positional<Element>(
        _ placeholder: String, _ presence: Declaration.Presence, repeats: Bool,
        _ expectation: Expectation<Element>, _ help: String,
        collect: @escaping @Sendable ([Element]) -> Value
    ) -> Parameter {
        let declaration = Declaration(
            positional: placeholder, presence: presence, repeats: repeats, help: help,
            expected: expectation.description, completion: expectation.completion)
        return Parameter(declaration: declaration) { (words) throws(UsageError) in
            collect(try decodeAll(words, of: declaration, expectation))
        }
    }

    private static func single(
        _ declaration: Declaration, _ expectation: Expectation<Value>
    ) -> Parameter {
        Parameter(declaration: declaration) { (words) throws(UsageError) in
            guard let value = try decodeAll(words, of: declaration, expectation).last else {
                throw UsageError.missing(declaration)
            }
            return value
        }
    }
}

private func decodeAll<Element>(
    _ words: [String], of declaration: Declaration, _ expectation: Expectation<Element>
) throws(UsageError) -> [Element] {
    var values: [Element] = []
    for word in words {
        guard let value = expectation.value(of: word) else {
            throw UsageError.unexpected(word, for: declaration)
        }
        values.append(value)
    }
    return values
}
