/// A piece of HTML. Interpolated text is escaped; interpolated HTML and literals are not.
///
/// Interpolating HTML into a `String` does not compile, because it would show a description of the
/// value.
package struct HTML: ExpressibleByStringInterpolation {
    /// The markup as it is sent.
    package let text: String

    /// Wraps text that is already HTML.
    package init(markup: String) { text = markup }

    package init(stringLiteral value: String) { text = value }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// Collects literal parts unchanged, and escapes interpolated values unless they are HTML.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate(set) var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity * 2)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ html: HTML) { text += html.text }

        // Disfavored, so that a literal, such as each branch of `flag ? "<br>" : ""`, is HTML.
        @_disfavoredOverload
        package mutating func appendInterpolation(_ plain: String) {
            text += HTML.escaped(plain)
        }
    }

    /// Escapes text for content and quoted attributes.
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

// Deprecated rather than unavailable: an unavailable overload would lose to the standard library's
// generic one, which compiles. All warnings are errors here.
extension DefaultStringInterpolation {
    @available(*, deprecated, message: "HTML is not plain text: declare the result as HTML")
    package mutating func appendInterpolation(_ html: HTML) {}

    @available(*, deprecated, message: "HTML is not plain text: declare the result as HTML")
    package mutating func appendInterpolation(_ html: HTML?) {}
}

extension String {
    @available(*, deprecated, message: "HTML is not plain text: use its property 'text'")
    package init(describing html: HTML) { self = html.text }
}
