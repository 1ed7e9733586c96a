/// A piece of HTML. Interpolated text is escaped; interpolated HTML is not.
package struct HTML: ExpressibleByStringInterpolation {
    /// As it is sent.
    package let text: String

    /// Takes what is HTML already.
    package init(markup: String) { text = markup }

    package init(stringLiteral value: String) { text = value }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// Gathers the literal parts as they are, and escapes what is interpolated unless it is HTML
    /// itself.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate(set) var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity * 2)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ html: HTML) { text += html.text }

        package mutating func appendInterpolation(_ plain: String) {
            text += HTML.escaped(plain)
        }
    }

    /// Text as HTML shows it, in content and in quoted attributes.
    package static func escaped(_ plain: String) -> String {
        var text = ""
        for scalar in plain.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
