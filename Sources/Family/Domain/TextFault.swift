/// What is wrong with a text that a person entered.
package enum TextFault: Hashable, Sendable, CustomStringConvertible {
    /// It has so many code points in its one form.
    case length(Int, allowed: ClosedRange<Int>)
    case lineBreak
    /// Any other control character.
    case control(Unicode.Scalar)

    /// The complaint, to follow the name of the field.
    package var description: String {
        switch self {
        case .length(let count, let allowed):
            "must be \(allowed.lowerBound) to \(allowed.upperBound) characters long, "
                + "found \(count == 0 ? "none" : "\(count)")"
        case .lineBreak: "must not contain a line break"
        case .control(let scalar):
            "must not contain control characters, found U+\(Self.hexadecimal(scalar))"
        }
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
