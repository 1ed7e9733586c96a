/// A statement's text with its values, written as one string literal.
///
/// Interpolation always binds: `"SELECT 1 FROM t WHERE id = \(id)"` becomes `$1` and a parameter,
/// so a value can't become syntax. For parts that can't be parameters there are `\(identifier:)`,
/// which quotes, and `\(unsafe:)`, for text that the caller trusts.
///
/// Meant for statements that run seldom; those of the request path are ``Statement``s.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
    package private(set) var text: String
    package private(set) var bindings: Bindings

    package init(stringLiteral value: String) {
        text = value
        bindings = Bindings()
    }

    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
        bindings = stringInterpolation.bindings
    }

    package struct StringInterpolation: StringInterpolationProtocol, Sendable {
        var text = ""
        var bindings = Bindings()

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 3)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        /// Binds `value` as the next parameter.
        package mutating func appendInterpolation(_ value: some PostgresEncodable) {
            value.bind(to: &bindings)
            text += "$\(bindings.slots.count)"
        }

        /// Inserts a name in double quotes, its own quotes doubled.
        package mutating func appendInterpolation(identifier name: String) {
            text += SQL.quoted(identifier: name)
        }

        /// Inserts trusted text as it is.
        package mutating func appendInterpolation(unsafe trusted: String) { text += trusted }
    }

    /// A name as SQL reads it back: in double quotes, each of its own doubled.
    package static func quoted(identifier name: String) -> String {
        "\""
            + name.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
    }

    /// A string literal: in single quotes, each of its own doubled; in the `E''` form when it has a
    /// backslash, so that its meaning does not depend on `standard_conforming_strings`.
    package static func quoted(literal value: String) -> String {
        var body = ""
        for character in value.unicodeScalars {
            if character == "'" || character == "\\" { body.unicodeScalars.append(character) }
            body.unicodeScalars.append(character)
        }
        return (value.utf8.contains(UInt8(ascii: "\\")) ? " E'" : "'") + body + "'"
    }
}
